#include <algorithm>

#include "io/json.hpp"
#include "io/onnx/builder.hpp"

namespace onefold::impl::io {

namespace {

/// The axes that the model gives, if they are known before the graph runs; empty also where there are none.
std::optional<std::vector<int64_t>> known_axes(const graph_builder &b, const onnx_node &n) {
    if (const auto axes = n.integers("axes")) return axes;
    if (!n.has_input(1)) return std::vector<int64_t>{};
    const logical_tensor &axes = b.src(n, 1);
    if (axes.type != onefold_s64 && axes.type != onefold_data_type_undef)
        n.reject("input axes has type {}; it must be s64", name_of(axes.type));
    if (axes.ndims != unknown_ndims && axes.ndims != 1) n.reject("input axes has rank {}; it must be 1", axes.ndims);
    const onnx_array *array = b.constant(n, 1);
    if (!array) return std::nullopt;
    return integers_of(*array);
}

} // namespace

void map_reduction(graph_builder &b, const onnx_node &n) {
    attribute_map attributes = {{onefold_op_attr_keep_dims, n.integer("keepdims", 1) != 0}};
    const bool noop = n.integer("noop_with_empty_axes", 0) != 0;
    const std::optional<std::vector<int64_t>> axes = known_axes(b, n);
    // No axes are all axes here, which the graph must be told.
    if (!axes || axes->empty()) attributes.emplace(onefold_op_attr_noop_with_empty_axes, noop);
    if (!axes) return b.define(n.dst(), b.add(n, n.row()->kind, {b.src(n, 0), b.src(n, 1)}, std::move(attributes)));
    const auto negative = std::find_if(axes->begin(), axes->end(), [](int64_t axis) { return axis < 0; });
    if (n.opset() < 11 && negative != axes->end()) n.reject("axis {}: negative axes came with opset 11", *negative);
    attributes.emplace(onefold_op_attr_axes, *axes);
    b.define(n.dst(), b.add(n, n.row()->kind, {b.src(n, 0)}, std::move(attributes)));
}

} // namespace onefold::impl::io
