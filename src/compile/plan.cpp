#include "compile/plan.hpp"

#include "compile/partition_lowering.hpp"

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

std::string describe(const program &p) {
    std::string info;
    for (const auto &s : p.steps)
        info += (info.empty() ? "" : "; ") + s->name();
    return info.empty() ? "nothing to do" : info;
}

} // namespace

plan make_plan(const partition &p, const resolved_ports &ports) {
    program_builder builder = partition_lowering(p, ports.inputs, ports.outputs, ports.dims_of).lower_all();
    auto pairs = find_inplace_pairs(ports, builder);
    program steps = builder.finish();
    std::string info = describe(steps);
    return {std::move(steps), std::move(pairs), std::move(info)};
}

} // namespace onefold::impl
