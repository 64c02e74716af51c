#include "compile/port_plans.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace onefold::impl {

std::string make_label(const partition &p, const std::vector<logical_tensor> &inputs,
                       const std::vector<logical_tensor> &outputs) {
    std::string ops;
    for (const op &o : p.ops)
        ops += fmt::format("{}{}", ops.empty() ? "" : "+", o.schema().name);
    std::string tensors;
    for (const auto &input : inputs)
        tensors += fmt::format(" in{}:{}", input.id, to_string(input));
    for (const auto &output : outputs)
        tensors += fmt::format(" out{}:{}", output.id, to_string(output));
    return fmt::format("{},{},{}", p.id, ops, tensors.empty() ? tensors : tensors.substr(1));
}

port_plans::port_plans(const partition &p, resolved_ports ports, size_t most_plans)
    : ports_(std::move(ports)), label_(make_label(p, ports_.inputs, ports_.outputs)) {
    if (std::any_of(p.ops.begin(), p.ops.end(), has_axes_input))
        axes_ = std::make_unique<const axes_plans>(p, ports_, label_, most_plans);
    else
        own_ = std::make_unique<const plan>(make_plan(p, ports_));
    info_ = only_plan() ? only_plan()->info : "axes: each set is compiled at its first execution";
}

} // namespace onefold::impl
