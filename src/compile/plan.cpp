#include "compile/plan.hpp"

#include "compile/partition_lowering.hpp"
#include "graph/error.hpp"

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

/// The whole partition as one step; nullopt where its ops do not share a loop space.
std::optional<program_builder> lower_as_row_program(const partition &p, const resolved_ports &ports) {
    program_builder builder(ports.inputs.size(), ports.outputs.size());
    const auto program = make_row_program(p, place(ports.inputs, builder.input_buffer(0)),
                                          place(ports.outputs, builder.output_buffer(0)), ports.dims_of);
    if (!program || !try_lower(*program, builder)) return std::nullopt;
    return builder;
}

/// Chains are left to the steps that are made for them.
bool may_be_row_program(const partition &p) { return p.pattern->name == "row_program"; }

program_builder lower_in_parts(const partition &p, const resolved_ports &ports) {
    return partition_lowering(p, ports.inputs, ports.outputs, ports.dims_of).lower_all();
}

/// nullopt where an op has no lowering alone.
std::optional<program_builder> try_lower_in_parts(const partition &p, const resolved_ports &ports) {
    try {
        return lower_in_parts(p, ports);
    } catch (const error &e) {
        if (e.code() == onefold_unimplemented) return std::nullopt;
        throw;
    }
}

program_builder lower_cheapest(const partition &p, const resolved_ports &ports) {
    auto whole = may_be_row_program(p) ? lower_as_row_program(p, ports) : std::nullopt;
    if (!whole) return lower_in_parts(p, ports);
    auto parts = try_lower_in_parts(p, ports);
    return parts && parts->nanoseconds() <= whole->nanoseconds() ? std::move(*parts) : std::move(*whole);
}

} // namespace

plan make_plan(const partition &p, const resolved_ports &ports) {
    program_builder builder = lower_cheapest(p, ports);
    auto pairs = find_inplace_pairs(ports, builder);
    std::string text = builder.program_text();
    program steps = builder.finish();
    std::string info = describe(steps);
    return {std::move(steps), std::move(pairs), std::move(text), std::move(info)};
}

} // namespace onefold::impl
