// What a node means: its row of the table is held against it, then the row's mapping does the rest.

#include <algorithm>

#include "io/json.hpp"
#include "io/onnx/builder.hpp"

namespace onefold::impl::io {

namespace {

void check_types(const graph_builder &b, const onnx_node &n) {
    type_set allowed = 0;
    for (const onnx_types &step : n.row()->types)
        if (step.since <= n.opset()) allowed = step.allowed;
    std::optional<size_t> first;
    for (size_t i = 0; i < std::min(n.inputs().size(), n.row()->inputs.operands); ++i) {
        if (!n.has_input(i)) continue;
        const data_type type = b.src(n, i).type;
        if (type == onefold_data_type_undef) throw not_supported(fmt::format("the type of input {} is not known", i));
        if (!contains(allowed, type))
            n.reject("input {} has type {}, which the op does not take in this version", i, name_of(type));
        if (!first) first = i;
        if (const data_type other = b.src(n, *first).type; type != other)
            n.reject("input {} has type {}, but input {} has {}; they must be the same", i, name_of(type), *first,
                     name_of(other));
    }
}

void map_node(graph_builder &b, const onnx_node &n) {
    if (!is_default_domain(n.domain()))
        throw not_supported(fmt::format("the domain \"{}\" is not known", printable(n.domain())));
    if (!n.row()) {
        if (const onnx_op *later = find_onnx_op(n.op_type()); later && n.opset() < later->since)
            n.reject("the op came with opset {}", later->since);
        throw not_supported("onefold has no such op");
    }
    n.check();
    check_types(b, n);
    n.row()->map(b, n);
}

} // namespace

void graph_builder::add_node(const onnx_node &n) {
    const size_t first_op = graph_.file.ops.size();
    try {
        map_node(*this, n);
    } catch (const not_supported &e) {
        add_unsupported(n, first_op, e.what());
    }
}

} // namespace onefold::impl::io
