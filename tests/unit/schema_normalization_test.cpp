// What the rows of normalizations say beyond ports and attributes: shapes, types, and what goes together.
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "graph/op.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

using types_of_ports = std::vector<data_type>;

op make_op(op_kind kind, const types_of_ports &inputs, const types_of_ports &outputs, attribute_map attributes = {}) {
    op o;
    o.id = 4711;
    o.kind = kind;
    o.raw_attributes = std::move(attributes);
    for (const data_type type : inputs)
        o.inputs.push_back(make_dense(o.inputs.size(), type, {}));
    for (const data_type type : outputs)
        o.outputs.push_back(make_dense(100 + o.outputs.size(), type, {}));
    return o;
}

/// "", or the sentence that says why not.
std::string refusal(const op &o) {
    try {
        validate(o);
    } catch (const error &e) {
        EXPECT_EQ(e.code(), onefold_invalid_graph_op) << e.what();
        return e.what();
    }
    return "";
}

attribute_map layer_norm_attributes(bool keep_stats, bool use_affine) {
    return {{onefold_op_attr_keep_stats, keep_stats}, {onefold_op_attr_use_affine, use_affine}};
}

std::vector<dims> infer(op o, const std::vector<dims> &shapes) {
    o.attributes = make_attributes(o);
    std::vector<logical_tensor> inputs;
    for (const dims &shape : shapes)
        inputs.push_back(make_dense(inputs.size(), onefold_f32, shape));
    return o.schema().infer(o, inputs);
}

std::string failure_to_infer(const op &o, const std::vector<dims> &shapes, status expected) {
    try {
        infer(o, shapes);
    } catch (const error &e) {
        EXPECT_EQ(e.code(), expected) << e.what();
        return e.what();
    }
    return "";
}

constexpr op_kind softmaxes[] = {onefold_op_softmax, onefold_op_log_softmax};
constexpr data_type f32 = onefold_f32, bf16 = onefold_bf16, f16 = onefold_f16;

} // namespace

TEST(schema_normalization, attributes_have_the_specification_s_defaults) {
    const auto attributes = [](op_kind kind) {
        return std::get<normalization_attributes>(make_attributes(make_op(kind, {f32}, {f32})));
    };
    EXPECT_EQ(attributes(onefold_op_softmax).axis, 1);
    EXPECT_EQ(attributes(onefold_op_log_softmax).axis, -1);
    for (const op_kind kind : {onefold_op_layer_norm, onefold_op_rms_norm}) {
        EXPECT_EQ(attributes(kind).begin_norm_axis, -1);
        EXPECT_EQ(attributes(kind).epsilon, 1e-5F);
    }
    EXPECT_TRUE(attributes(onefold_op_layer_norm).keep_stats);
    EXPECT_TRUE(attributes(onefold_op_layer_norm).use_affine);
}

TEST(schema_normalization, dst_of_a_softmax_has_src_s_type_or_one_of_them_is_f32) {
    for (const op_kind kind : softmaxes) {
        for (const data_type type : {f32, bf16, f16})
            for (const auto &[src, dst] : {std::pair(type, type), std::pair(f32, type), std::pair(type, f32)})
                EXPECT_EQ(refusal(make_op(kind, {src}, {dst})), "");
        EXPECT_NE(refusal(make_op(kind, {bf16}, {f16})).find("src has data type bf16 and output dst f16"), std::string::npos);
        EXPECT_NE(refusal(make_op(kind, {onefold_f64}, {onefold_f64})), "");
    }
}

TEST(schema_normalization, only_softmax_s_plain_mode_is_there) {
    const auto with_mode = [](const std::string &mode) {
        return make_op(onefold_op_softmax, {f32}, {f32}, {{onefold_op_attr_mode, mode}});
    };
    EXPECT_EQ(refusal(with_mode("none")), "");
    EXPECT_EQ(refusal(with_mode("inf_as_zero")), "op 4711 (SoftMax): attribute mode is 'inf_as_zero'; allowed: 'none'");
    EXPECT_EQ(refusal(make_op(onefold_op_softmax, {f32}, {f32, f32})), "op 4711 (SoftMax): 2 outputs given, at most 1 allowed");
}

TEST(schema_normalization, gamma_beta_mean_and_variance_are_f32_or_src_s_type) {
    const auto affine = layer_norm_attributes(true, true);
    for (const data_type type : {f32, bf16, f16}) {
        EXPECT_EQ(refusal(make_op(onefold_op_layer_norm, {type, f32, type}, {type, type, f32}, affine)), "");
        EXPECT_EQ(refusal(make_op(onefold_op_rms_norm, {type, type}, {type})), "");
    }
    EXPECT_EQ(refusal(make_op(onefold_op_layer_norm, {f32, bf16, f32}, {f32, f32, f32}, affine)),
              "op 4711 (LayerNorm): gamma has data type bf16; f32 or src's f32 is allowed");
    EXPECT_EQ(refusal(make_op(onefold_op_layer_norm, {bf16, f32, f32}, {bf16, f16, f32}, affine)),
              "op 4711 (LayerNorm): mean has data type f16; f32 or src's bf16 is allowed");
    EXPECT_NE(refusal(make_op(onefold_op_rms_norm, {f16, bf16}, {f16})), "");
    EXPECT_NE(refusal(make_op(onefold_op_rms_norm, {f16}, {f32})), "");
}

TEST(schema_normalization, optional_ports_are_those_that_attributes_tell) {
    const auto layer_norm = [](size_t inputs, size_t outputs, const attribute_map &attributes) {
        return refusal(make_op(onefold_op_layer_norm, types_of_ports(inputs, f32), types_of_ports(outputs, f32), attributes));
    };
    EXPECT_EQ(layer_norm(3, 3, {}), "");
    EXPECT_EQ(layer_norm(1, 1, layer_norm_attributes(false, false)), "");
    EXPECT_EQ(layer_norm(1, 3, layer_norm_attributes(false, false)), "");
    EXPECT_EQ(layer_norm(1, 3, {}), "op 4711 (LayerNorm): input gamma is missing: attribute use_affine is true");
    EXPECT_EQ(layer_norm(2, 3, {}), "op 4711 (LayerNorm): input beta is missing: attribute use_affine is true");
    EXPECT_EQ(layer_norm(3, 3, layer_norm_attributes(true, false)),
              "op 4711 (LayerNorm): input gamma is given, but attribute use_affine is false");
    EXPECT_EQ(layer_norm(3, 1, {}), "op 4711 (LayerNorm): output mean is missing: attribute keep_stats is true");
    EXPECT_EQ(layer_norm(1, 2, layer_norm_attributes(false, false)),
              "op 4711 (LayerNorm): mean is given without variance; both or neither must be");
}

TEST(schema_normalization, epsilon_is_finite_and_not_negative) {
    const auto with_epsilon = [](float epsilon) {
        return refusal(make_op(onefold_op_rms_norm, {f32}, {f32}, {{onefold_op_attr_epsilon, epsilon}}));
    };
    EXPECT_EQ(with_epsilon(0), "");
    EXPECT_EQ(with_epsilon(-0.5F), "op 4711 (RMSNorm): attribute epsilon is -0.5; it must be finite and not negative");
    EXPECT_NE(with_epsilon(INFINITY), "");
    EXPECT_NE(with_epsilon(NAN), "");
}

TEST(schema_normalization, shapes) {
    for (const op_kind kind : softmaxes)
        for (const int64_t axis : {-3, 0, 2})
            EXPECT_EQ(infer(make_op(kind, {f32}, {f32}, {{onefold_op_attr_axis, axis}}), {{2, 0, 4}}),
                      (std::vector<dims>{{2, 0, 4}}));
    const auto layer_norm = [](int64_t axis) {
        attribute_map attributes = layer_norm_attributes(true, true);
        attributes[onefold_op_attr_begin_norm_axis] = axis;
        return make_op(onefold_op_layer_norm, {f32, f32, f32}, {f32, f32, f32}, attributes);
    };
    EXPECT_EQ(infer(layer_norm(-1), {{2, 3, 4}, {4}, {1}}), (std::vector<dims>{{2, 3, 4}, {2, 3}, {2, 3}}));
    EXPECT_EQ(infer(layer_norm(1), {{2, 3, 4}, {3, 4}, {}}), (std::vector<dims>{{2, 3, 4}, {2}, {2}}));
    EXPECT_EQ(infer(layer_norm(-3), {{2, 3, 4}, {2, 1, 1}, {4}}), (std::vector<dims>{{2, 3, 4}, {}, {}}));
    EXPECT_EQ(failure_to_infer(layer_norm(-1), {{2, 3, 4}, {4}, {2, 2, 3, 4}}, onefold_invalid_shape),
              "op 4711 (LayerNorm): input beta has dims 2x2x3x4, which cannot be broadcast to src's 2x3x4");
    EXPECT_NE(failure_to_infer(layer_norm(-1), {{2, 3, 1}, {4}, {1}}, onefold_invalid_shape), "");
}

TEST(schema_normalization, axes_out_of_range) {
    const auto softmax = make_op(onefold_op_softmax, {f32}, {f32});
    EXPECT_EQ(failure_to_infer(softmax, {{5}}, onefold_invalid_arguments),
              "op 4711 (SoftMax): attribute axis is 1, not in [-1, 0], the range for a src of rank 1");
    EXPECT_EQ(failure_to_infer(softmax, {{}}, onefold_invalid_arguments),
              "op 4711 (SoftMax): attribute axis is 1, but src has rank 0, which has no axis");
    const auto rms_norm = make_op(onefold_op_rms_norm, {f32}, {f32}, {{onefold_op_attr_begin_norm_axis, int64_t{-4}}});
    EXPECT_EQ(failure_to_infer(rms_norm, {{1, 2, 3}}, onefold_invalid_arguments),
              "op 4711 (RMSNorm): attribute begin_norm_axis is -4, not in [-3, 2], the range for a src of rank 3");
}

} // namespace onefold::impl
