// SoftMax, LogSoftmax, LayerNorm and RMSNorm: dst has src's dims, and each of its elements depends on all of src's along the
// dims that are normalized.
#include <array>
#include <cmath>

#include "graph/error.hpp"
#include "graph/schema_foreign_checks.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

constexpr port_schema one(std::string_view name, port_need need = port_need::required) { return {name, small_floats, 0, need}; }
constexpr port_schema maybe(std::string_view name) { return one(name, port_need::optional); }
constexpr port_schema data(std::string_view name) { return {name, small_floats, 'T'}; }

constexpr std::array any_src = {one("src")};
constexpr std::array any_dst = {one("dst")};
constexpr std::array dst = {data("dst")};
constexpr std::array layer_norm_inputs = {data("src"), maybe("gamma"), maybe("beta")};
constexpr std::array layer_norm_outputs = {data("dst"), maybe("mean"), maybe("variance")};
constexpr std::array rms_norm_inputs = {data("src"), maybe("gamma")};

constexpr attribute_schema may(op_attr name, default_value value) { return {name, attribute_need::optional, value}; }

constexpr std::array<std::string_view, 1> softmax_modes = {"none"};
constexpr std::array softmax_attributes = {
    may(onefold_op_attr_axis, int64_t{1}),
    attribute_schema{onefold_op_attr_mode, attribute_need::optional, softmax_modes[0], softmax_modes}};
constexpr std::array log_softmax_attributes = {may(onefold_op_attr_axis, int64_t{-1})};
constexpr std::array layer_norm_attributes = {may(onefold_op_attr_begin_norm_axis, int64_t{-1}),
                                              may(onefold_op_attr_epsilon, 1e-5F), may(onefold_op_attr_keep_stats, true),
                                              may(onefold_op_attr_use_affine, true)};
constexpr std::array rms_norm_attributes = {may(onefold_op_attr_begin_norm_axis, int64_t{-1}),
                                            may(onefold_op_attr_epsilon, 1e-5F)};

/// src and dst of one type, or one of them in f32.
void check_dst_type(const op &o) {
    const data_type src = o.inputs[0].type;
    const data_type dst_type = o.outputs[0].type;
    if (src != dst_type && src != onefold_f32 && dst_type != onefold_f32)
        fail(onefold_invalid_graph_op,
             "{}: input src has data type {} and output dst {}; they must be the same unless one is f32", to_string(o),
             name_of(src), name_of(dst_type));
}

/// What stands beside src and dst has their type or f32.
void check_types_beside(const op &o, std::span<const port_schema> ports, const std::vector<logical_tensor> &given) {
    for (size_t i = 1; i < given.size(); ++i)
        if (given[i].type != onefold_f32 && given[i].type != o.inputs[0].type)
            fail(onefold_invalid_graph_op, "{}: {} has data type {}; f32 or src's {} is allowed", to_string(o), ports[i].name,
                 name_of(given[i].type), name_of(o.inputs[0].type));
}

void check_statistics_types(const op &o) {
    check_types_beside(o, o.schema().inputs, o.inputs);
    check_types_beside(o, o.schema().outputs, o.outputs);
}

void check_epsilon(const op &o) {
    const auto given = o.raw_attributes.find(onefold_op_attr_epsilon);
    if (given == o.raw_attributes.end()) return;
    const float epsilon = std::get<float>(given->second);
    if (!std::isfinite(epsilon) || epsilon < 0)
        fail(onefold_invalid_graph_op, "{}: attribute epsilon is {}; it must be finite and not negative", to_string(o),
             epsilon);
}

/// gamma and beta are there if, and only if, use_affine is true, which it is where it is not set.
void check_affine_inputs(const op &o) {
    const auto given = o.raw_attributes.find(onefold_op_attr_use_affine);
    const bool is_affine = given == o.raw_attributes.end() || std::get<bool>(given->second);
    if (is_affine && o.inputs.size() < o.schema().inputs.size())
        fail(onefold_invalid_graph_op, "{}: input {} is missing: attribute use_affine is true", to_string(o),
             o.schema().inputs[o.inputs.size()].name);
    if (!is_affine && o.inputs.size() > 1)
        fail(onefold_invalid_graph_op, "{}: input gamma is given, but attribute use_affine is false", to_string(o));
}

constexpr auto check_layer_norm = check_all<check_affine_inputs, check_optional_outputs_together, check_kept_statistics,
                                            check_statistics_types, check_epsilon>;
constexpr auto check_rms_norm = check_all<check_statistics_types, check_epsilon>;

constexpr op_schema row(op_kind kind, std::string_view name, std::span<const port_schema> inputs,
                        std::span<const port_schema> outputs, std::span<const attribute_schema> attributes,
                        void (*check)(const op &)) {
    return {kind, name, op_family::normalization, inputs, outputs, attributes, infer_normalization, check};
}

constexpr std::array rows = {
    row(onefold_op_layer_norm, "LayerNorm", layer_norm_inputs, layer_norm_outputs, layer_norm_attributes, check_layer_norm),
    row(onefold_op_log_softmax, "LogSoftmax", any_src, any_dst, log_softmax_attributes, check_dst_type),
    row(onefold_op_rms_norm, "RMSNorm", rms_norm_inputs, dst, rms_norm_attributes, check_rms_norm),
    row(onefold_op_softmax, "SoftMax", any_src, any_dst, softmax_attributes, check_dst_type),
};

} // namespace

std::span<const op_schema> normalization_schemas() { return rows; }

} // namespace onefold::impl
