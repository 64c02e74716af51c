#include <array>

#include "graph/error.hpp"
#include "graph/op.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

constexpr std::array inputs = {port_schema{"src", all_numbers, 'T'},
                               port_schema{"axes", types({onefold_s32, onefold_s64}), 0, port_need::optional}};
constexpr std::array outputs = {port_schema{"dst", all_numbers, 'T'}};
constexpr std::array attributes = {
    attribute_schema{onefold_op_attr_axes},
    attribute_schema{onefold_op_attr_keep_dims, attribute_need::optional, false},
    attribute_schema{onefold_op_attr_noop_with_empty_axes},
};

void check_one_source_of_axes(const op &o) {
    const bool has_attribute = o.raw_attributes.count(onefold_op_attr_axes) != 0;
    const bool has_tensor = has_axes_input(o);
    // Only the specification's own reductions must be told the axes: ONNX's, which say what none means, may have none.
    const bool may_have_neither = o.raw_attributes.count(onefold_op_attr_noop_with_empty_axes) != 0;
    if (has_attribute == has_tensor && (has_tensor || !may_have_neither))
        fail(onefold_invalid_graph_op,
             "{}: exactly one of attribute axes and the second input tensor axes must be given, not {}", to_string(o),
             has_tensor ? "both" : "neither");
}

constexpr op_schema row(op_kind kind, std::string_view name) {
    return {kind, name, op_family::reduction, inputs, outputs, attributes, infer_reduction, check_one_source_of_axes};
}

constexpr std::array rows = {
    row(onefold_op_reduce_l1, "ReduceL1"),   row(onefold_op_reduce_l2, "ReduceL2"),
    row(onefold_op_reduce_max, "ReduceMax"), row(onefold_op_reduce_mean, "ReduceMean"),
    row(onefold_op_reduce_min, "ReduceMin"), row(onefold_op_reduce_prod, "ReduceProd"),
    row(onefold_op_reduce_sum, "ReduceSum"), row(onefold_op_reduce_sum_square, "ReduceSumSquare"),
};

} // namespace

std::span<const op_schema> reduction_schemas() { return rows; }

} // namespace onefold::impl
