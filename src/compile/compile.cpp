#include <fmt/format.h>

#include "compile/compiled_partition.hpp"
#include "compile/partition_lowering.hpp"
#include "compile/ports.hpp"
#include "graph/error.hpp"
#include "runtime/verbose.hpp"

namespace onefold::impl {

namespace {

std::vector<onefold_inplace_pair> find_inplace_pairs(const resolved_ports &ports, const program_builder &builder) {
    std::vector<onefold_inplace_pair> pairs;
    for (size_t o = 0; o < ports.outputs.size(); ++o)
        for (size_t i = 0; i < ports.inputs.size(); ++i) {
            const logical_tensor &input = ports.inputs[i];
            const logical_tensor &output = ports.outputs[o];
            const bool alike = input.type == output.type && input.dims == output.dims && input.strides == output.strides;
            if (alike && builder.may_share(i, o)) pairs.push_back({input.id, output.id});
        }
    return pairs;
}

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
    program_builder builder = partition_lowering(p, ports.inputs, ports.outputs, ports.dims_of).lower_all();
    auto pairs = find_inplace_pairs(ports, builder);
    std::string label = make_label(p, ports);
    auto compiled = std::make_shared<const compiled_partition>(e, std::move(ports.inputs), std::move(ports.outputs),
                                                               std::move(pairs), builder.finish(), std::move(label));
    compiled->report(timer, "compile");
    return compiled;
}

} // namespace onefold::impl
