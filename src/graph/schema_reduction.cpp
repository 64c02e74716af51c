#include <array>

#include "graph/error.hpp"
#include "graph/op.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

struct ports {
    std::array<port_schema, 2> inputs;
    std::array<port_schema, 1> outputs;
};
constexpr ports ports_of(type_set allowed) {
    return {{port_schema{"src", allowed, 'T'}, port_schema{"axes", types({onefold_s32, onefold_s64}), 0, port_need::optional}},
            {port_schema{"dst", allowed, 'T'}}};
}
constexpr ports of_numbers = ports_of(all_numbers);
constexpr ports of_numbers_and_boolean = ports_of(numbers_and_boolean);
constexpr ports of_wide_numbers = ports_of(wide_numbers);

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

constexpr op_schema row(op_kind kind, std::string_view name, const ports &p = of_numbers) {
    return {kind,      name,       op_family::reduction,        p.inputs,
            p.outputs, attributes, one_output<infer_reduction>, check_one_source_of_axes};
}

constexpr std::array rows = {
    row(onefold_op_reduce_l1, "ReduceL1"),
    row(onefold_op_reduce_l2, "ReduceL2"),
    row(onefold_op_reduce_log_sum, "ReduceLogSum", of_wide_numbers),
    row(onefold_op_reduce_log_sum_exp, "ReduceLogSumExp", of_wide_numbers),
    row(onefold_op_reduce_max, "ReduceMax", of_numbers_and_boolean),
    row(onefold_op_reduce_mean, "ReduceMean"),
    row(onefold_op_reduce_min, "ReduceMin", of_numbers_and_boolean),
    row(onefold_op_reduce_prod, "ReduceProd"),
    row(onefold_op_reduce_sum, "ReduceSum"),
    row(onefold_op_reduce_sum_square, "ReduceSumSquare"),
};

} // namespace

std::span<const op_schema> reduction_schemas() { return rows; }

} // namespace onefold::impl
