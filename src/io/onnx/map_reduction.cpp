#include <algorithm>
#include <numeric>

#include "io/json.hpp"
#include "io/onnx/builder.hpp"
#include "io/onnx/tensor.hpp"

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
    logical_tensor src = b.src(n, 0);
    const bool noop = n.integer("noop_with_empty_axes", 0) != 0;
    attribute_map attributes = {{onefold_op_attr_keep_dims, n.integer("keepdims", 1) != 0}};
    std::optional<std::vector<int64_t>> axes = known_axes(b, n);
    if (!axes) {
        const std::optional<op_attr> noop_attr = op_attr_from_name("noop_with_empty_axes");
        if (!noop_attr) throw not_supported("the axes are not a constant");
        attributes.emplace(*noop_attr, noop);
        return b.define(n.dst(), b.add(n, n.row()->kind, {src, b.src(n, 1)}, std::move(attributes)));
    }
    const auto negative = std::find_if(axes->begin(), axes->end(), [](int64_t axis) { return axis < 0; });
    if (n.opset() < 11 && negative != axes->end()) n.reject("axis {}: negative axes came with opset 11", *negative);
    if (axes->empty() && src.ndims == unknown_ndims)
        throw not_supported("no axes are given, and the rank of its input is not known");
    if (axes->empty() && noop) {
        // What the op does to each element still happens: it reduces an axis of 1 that is added for it.
        dims widened = src.dims;
        widened.push_back(1);
        axes->push_back(src.ndims);
        attributes[onefold_op_attr_keep_dims] = false;
        src = b.add_view(fmt::format("axis of 1 for \"{}\"", printable(n.proto().name())), src, widened);
    } else if (axes->empty()) {
        axes->resize(src.dims.size());
        std::iota(axes->begin(), axes->end(), 0);
    }
    attributes.emplace(onefold_op_attr_axes, *axes);
    b.define(n.dst(), b.add(n, n.row()->kind, {src}, std::move(attributes)));
}

} // namespace onefold::impl::io
