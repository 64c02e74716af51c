#include <algorithm>

#include <fmt/format.h>

#include "compile/compiled_partition.hpp"
#include "graph/error.hpp"
#include "runtime/verbose.hpp"

namespace onefold::impl {

namespace {

/// "3:Abs+Add:src=f32:2x3:strided,...:dst=...": partition id, ops and tensors, without a comma.
std::string make_label(const partition &p, const resolved_ports &ports) {
    std::string ops;
    for (const op &o : p.ops)
        ops += fmt::format("{}{}", ops.empty() ? "" : "+", o.schema().name);
    std::string tensors;
    for (const auto &input : ports.inputs)
        tensors += fmt::format(" in{}:{}", input.id, to_string(input));
    for (const auto &output : ports.outputs)
        tensors += fmt::format(" out{}:{}", output.id, to_string(output));
    return fmt::format("{},{},{}", p.id, ops, tensors.empty() ? tensors : tensors.substr(1));
}

} // namespace

std::shared_ptr<const compiled_partition> compile(const partition &p, std::span<const logical_tensor> inputs,
                                                  std::span<const logical_tensor> outputs, const std::shared_ptr<engine> &e) {
    const verbose_timer timer;
    if (!p.is_supported())
        fail(onefold_invalid_arguments, "partition {}: {} is not supported, so it cannot be compiled", p.id,
             p.ops.empty() ? "it" : to_string(p.ops.front()));
    resolved_ports ports = resolve_ports(p, inputs, outputs);
    std::string label = make_label(p, ports);
    const bool has_axes = std::any_of(p.ops.begin(), p.ops.end(), has_axes_input);
    auto plans = has_axes ? std::make_unique<const axes_plans>(p, ports, label) : nullptr;
    auto only_plan = has_axes ? nullptr : std::make_unique<const plan>(make_plan(p, ports));
    auto compiled = std::make_shared<const compiled_partition>(e, std::move(ports.inputs), std::move(ports.outputs),
                                                               std::move(only_plan), std::move(plans), std::move(label));
    compiled->report(timer, "compile");
    return compiled;
}

} // namespace onefold::impl
