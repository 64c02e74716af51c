// What the rows of the ops that onefold does not compile check beyond ports and attributes.
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "graph/op.hpp"

namespace onefold::impl {

namespace {

using ints = std::vector<int64_t>;
using floats = std::vector<float>;

struct port {
    data_type type;
    std::optional<impl::dims> dims = std::nullopt;
};

std::vector<logical_tensor> make_ports(std::initializer_list<port> ports) {
    std::vector<logical_tensor> tensors;
    for (const port &p : ports) {
        tensors.push_back(make_dense(tensors.size(), p.type, p.dims.value_or(impl::dims{})));
        if (!p.dims) tensors.back().ndims = unknown_ndims;
    }
    return tensors;
}

op make_op(std::string_view kind, std::initializer_list<port> inputs, std::initializer_list<port> outputs,
           attribute_map attributes = {}) {
    op o;
    o.id = 4711;
    o.kind = schema_by_name(kind)->kind;
    o.inputs = make_ports(inputs);
    o.outputs = make_ports(outputs);
    o.raw_attributes = std::move(attributes);
    return o;
}

void expect_accepted(const op &o) { EXPECT_NO_THROW(validate(o)) << to_string(o); }

void expect_rejected(const op &o, std::initializer_list<std::string_view> words) {
    try {
        validate(o);
        ADD_FAILURE() << to_string(o) << " is accepted";
    } catch (const error &e) {
        const std::string_view message = e.what();
        EXPECT_EQ(e.code(), onefold_invalid_graph_op) << message;
        EXPECT_EQ(message.find(to_string(o)), 0U) << message;
        for (const std::string_view word : words)
            EXPECT_NE(message.find(word), std::string_view::npos) << message << " lacks " << word;
    }
}

constexpr port f32{onefold_f32};
constexpr port bf16{onefold_bf16};
constexpr port f16{onefold_f16};

op make_max_pool(ints pads_begin, ints pads_end, std::optional<ints> dilations = std::nullopt) {
    op o = make_op("MaxPool", {f32}, {f32},
                   {{onefold_op_attr_strides, ints{1, 1}},
                    {onefold_op_attr_kernel, ints{3, 3}},
                    {onefold_op_attr_pads_begin, std::move(pads_begin)},
                    {onefold_op_attr_pads_end, std::move(pads_end)}});
    if (dilations) o.raw_attributes[onefold_op_attr_dilations] = std::move(*dilations);
    return o;
}

op make_group_norm(std::initializer_list<port> inputs, std::initializer_list<port> outputs,
                   std::optional<bool> keep_stats = std::nullopt) {
    op o = make_op("GroupNorm", inputs, outputs, {{onefold_op_attr_groups, int64_t{2}}});
    if (keep_stats) o.raw_attributes[onefold_op_attr_keep_stats] = *keep_stats;
    return o;
}

op make_quantize(std::string_view type, size_t scales, std::optional<size_t> zps, data_type dst = onefold_s8) {
    op o = make_op("Quantize", {f32}, {{dst}},
                   {{onefold_op_attr_qtype, std::string(type)}, {onefold_op_attr_scales, floats(scales, 1.0F)}});
    if (zps) o.raw_attributes[onefold_op_attr_zps] = ints(*zps, 0);
    return o;
}

op make_dynamic_dequantize(std::string_view type, std::optional<dims> scales, std::optional<dims> zps) {
    return make_op("DynamicDequantize", {{onefold_s8}, {onefold_f16, scales}, {onefold_s8, zps}}, {f16},
                   {{onefold_op_attr_qtype, std::string(type)}});
}

} // namespace

TEST(foreign_checks, pads_are_not_negative) {
    expect_accepted(make_max_pool({0, 0}, {1, 1}));
    expect_rejected(make_max_pool({0, -1}, {1, 1}), {"pads_begin", "[0, -1]"});
    expect_rejected(make_max_pool({0, 0}, {-2, 1}), {"pads_end", "[-2, 1]"});
}

TEST(foreign_checks, dilations_match_the_kernel) {
    expect_accepted(make_max_pool({0, 0}, {0, 0}, ints{2, 2}));
    expect_accepted(make_max_pool({0, 0}, {0, 0}, ints(12, 1))); // as in oneDNN's graph dumps
    expect_rejected(make_max_pool({0, 0}, {0, 0}, ints{2, 2, 2}), {"dilations", "[2, 2, 2]", "kernel", "2 dims"});
}

TEST(foreign_checks, bf16_statistics_need_a_bf16_src) {
    const attribute_map epsilon = {{onefold_op_attr_epsilon, 1e-5F}};
    expect_accepted(make_op("BatchNormInference", {bf16, bf16, bf16, bf16, bf16}, {bf16}, epsilon));
    expect_accepted(make_op("BatchNormInference", {bf16, f32, f32, f32, f32}, {bf16}, epsilon));
    expect_rejected(make_op("BatchNormInference", {f16, bf16, bf16, bf16, bf16}, {f16}, epsilon), {"gamma", "bf16", "f16"});
    expect_rejected(make_group_norm({f32}, {f32, bf16, bf16}), {"mean", "bf16", "f32"});
}

TEST(foreign_checks, optional_ports_of_a_norm_come_together) {
    expect_accepted(make_group_norm({f32, f32, f32}, {f32}, false));
    expect_rejected(make_group_norm({f32, f32}, {f32}, false), {"gamma", "beta"});
    expect_rejected(make_group_norm({f32}, {f32, f32}, false), {"mean", "variance"});
}

TEST(foreign_checks, kept_statistics_have_outputs) {
    expect_accepted(make_group_norm({f32}, {f32, f32, f32}));
    expect_rejected(make_group_norm({f32}, {f32}), {"mean", "keep_stats"});
    expect_rejected(make_group_norm({f32}, {f32}, true), {"mean", "keep_stats"});
}

TEST(foreign_checks, affine_gradients_have_outputs) {
    expect_accepted(make_op("LayerNormBackward", {f32, f32, f32, f32, f32, f32}, {f32, f32, f32}));
    expect_accepted(make_op("LayerNormBackward", {f32, f32, f32, f32}, {f32}, {{onefold_op_attr_use_affine, false}}));
    expect_rejected(make_op("LayerNormBackward", {f32, f32, f32, f32}, {f32}), {"diff_gamma", "use_affine"});
}

TEST(foreign_checks, an_interpolation_has_one_source_of_sizes) {
    const attribute_map mode = {{onefold_op_attr_mode, std::string("nearest")}};
    attribute_map sizes = mode;
    sizes[onefold_op_attr_sizes] = ints{4, 4};
    attribute_map both = sizes;
    both[onefold_op_attr_scales] = floats{2.0F, 2.0F};
    expect_accepted(make_op("Interpolate", {f32}, {f32}, sizes));
    expect_accepted(make_op("Interpolate", {f32, {onefold_s32}}, {f32}, mode));
    expect_rejected(make_op("Interpolate", {f32}, {f32}, mode), {"sizes", "scales"});
    expect_rejected(make_op("Interpolate", {f32}, {f32}, both), {"sizes", "scales", "both"});
    expect_rejected(make_op("InterpolateBackward", {f32, f32}, {f32}, mode), {"sizes", "scales"});
}

TEST(foreign_checks, scales_and_zps_are_as_many_as_qtype_says) {
    expect_accepted(make_quantize("per_tensor", 1, 1));
    expect_accepted(make_quantize("per_tensor", 1, std::nullopt, onefold_f8_e4m3));
    expect_accepted(make_quantize("per_channel", 3, 3));
    expect_rejected(make_quantize("per_tensor", 2, std::nullopt), {"scales", "2 values", "per_tensor"});
    expect_rejected(make_quantize("per_channel", 3, 2), {"zps", "2 values", "3"});
    expect_rejected(make_quantize("per_tensor", 1, 1, onefold_f8_e5m2), {"zps", "f8"});
}

TEST(foreign_checks, scales_and_zps_that_are_tensors_match) {
    expect_accepted(make_dynamic_dequantize("per_tensor", dims{1}, dims{}));
    expect_accepted(make_dynamic_dequantize("per_tensor", std::nullopt, std::nullopt));
    expect_accepted(make_dynamic_dequantize("per_channel", dims{8}, dims{1}));
    expect_accepted(make_dynamic_dequantize("per_group", dims{8, 2}, dims{8, 2}));
    expect_rejected(make_dynamic_dequantize("per_tensor", dims{2}, dims{1}), {"scales", "per_tensor"});
    expect_rejected(make_dynamic_dequantize("per_tensor", dims{1}, dims{3}), {"zps", "per_tensor"});
    expect_rejected(make_dynamic_dequantize("per_channel", dims{8}, dims{4}), {"zps", "4", "scales", "8"});
    expect_rejected(make_dynamic_dequantize("per_group", dims{8, 2}, dims{1}), {"zps", "8x2"});
}

TEST(foreign_checks, concat_takes_one_tensor_or_many) {
    const attribute_map axis = {{onefold_op_attr_axis, int64_t{0}}};
    expect_accepted(make_op("Concat", {bf16}, {bf16}, axis));
    expect_accepted(make_op("Concat", {bf16, bf16, bf16, bf16}, {bf16}, axis));
    expect_rejected(make_op("Concat", {}, {bf16}, axis), {"src_0"});
    expect_rejected(make_op("Concat", {bf16, bf16, f32}, {bf16}, axis), {"src_i", "f32", "bf16"});
}

} // namespace onefold::impl
