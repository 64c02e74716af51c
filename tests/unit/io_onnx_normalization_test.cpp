// What ONNX's normalizations become, and what they give.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "io_onnx_model.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

constexpr int f32 = pb::TensorProto::FLOAT;
constexpr int f64 = pb::TensorProto::DOUBLE;
constexpr int f16 = pb::TensorProto::FLOAT16;
constexpr int bf16 = pb::TensorProto::BFLOAT16;

impl::data_type type_of(int type) {
    return type == f32 ? onefold_f32 : type == f64 ? onefold_f64 : type == f16 ? onefold_f16 : onefold_bf16;
}

/// A node whose inputs x, s and b, as many as there are shapes, have that type.
onnx_model one_node(int opset, const std::string &op, int type, const std::vector<impl::dims> &shapes,
                    const std::vector<std::string> &outputs = {"y"}) {
    const std::vector<std::string> names = {"x", "s", "b"};
    onnx_model m(opset);
    m.node(op, {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shapes.size())}, outputs);
    for (size_t i = 0; i < shapes.size(); ++i)
        m.input(names[i], type, shapes[i]);
    for (const std::string &name : outputs)
        if (!name.empty()) m.output(name);
    return m;
}

pb::NodeProto &node_of(onnx_model &m) { return *m.graph().mutable_node(0); }

std::vector<std::string> kinds_of(const onnx_model &m) {
    std::vector<std::string> kinds;
    for (const impl::op &o : impl::io::import_model(m.proto, {}).file.ops)
        kinds.emplace_back(o.schema().name);
    return kinds;
}

/// Values of one type by name, run through the model.
std::map<std::string, onnx_values> run_with(const onnx_model &m, std::map<std::string, onnx_values> inputs, int type = f32) {
    for (auto &input : inputs)
        input.second.type = type_of(type);
    return run(m.proto, inputs);
}

auto near(std::vector<double> values) { return Pointwise(DoubleNear(1e-5), std::move(values)); }

TEST(io_onnx_normalization, is_one_op_where_that_means_the_same) {
    for (const int type : {f32, f16, bf16}) {
        EXPECT_THAT(kinds_of(one_node(13, "Softmax", type, {{2, 3, 4}})), ElementsAre("SoftMax"));
        EXPECT_THAT(kinds_of(one_node(13, "LogSoftmax", type, {{2, 3, 4}})), ElementsAre("LogSoftmax"));
        EXPECT_THAT(kinds_of(one_node(17, "LayerNormalization", type, {{2, 3}, {3}, {3}})), ElementsAre("LayerNorm"));
        EXPECT_THAT(kinds_of(one_node(23, "RMSNormalization", type, {{2, 3}, {3}})), ElementsAre("RMSNorm"));
    }
    EXPECT_THAT(kinds_of(one_node(11, "Softmax", f32, {{2, 3}})), ElementsAre("SoftMax"));
    EXPECT_THAT(kinds_of(one_node(13, "Softmax", f32, {{-1, -1}})), ElementsAre("SoftMax"));
    EXPECT_THAT(kinds_of(one_node(17, "LayerNormalization", f32, {{-1, 3}, {3}, {-1}})), ElementsAre("LayerNorm"));
}

TEST(io_onnx_normalization, passes_attributes_on) {
    onnx_model layer_norm = one_node(17, "LayerNormalization", f32, {{2, 3, 4}, {3, 4}, {3, 4}});
    set(node_of(layer_norm), "axis", int64_t{1});
    set(node_of(layer_norm), "epsilon", 0.25F);
    const impl::normalization_attributes given = impl::io::import_model(layer_norm.proto, {}).file.ops.at(0).normalization();
    EXPECT_EQ(given.begin_norm_axis, 1);
    EXPECT_EQ(given.epsilon, 0.25F);
    EXPECT_FALSE(given.keep_stats);
    EXPECT_TRUE(given.use_affine);
    const auto axis_of = [](const onnx_model &m) {
        return impl::io::import_model(m.proto, {}).file.ops.at(0).normalization().axis;
    };
    onnx_model softmax = one_node(13, "Softmax", f32, {{2, 3, 4}});
    EXPECT_EQ(axis_of(softmax), -1);
    set(node_of(softmax), "axis", int64_t{0});
    EXPECT_EQ(axis_of(softmax), 0);
    EXPECT_EQ(axis_of(one_node(11, "LogSoftmax", f32, {{2, 3}})), 1);
}

TEST(io_onnx_normalization, softmax_goes_over_all_dims_from_axis_on_before_opset_13) {
    const double third = std::log(3.0);
    const onnx_values x{{1, 2, 2}, {0, third, third, 0}};
    EXPECT_THAT(run_with(one_node(11, "Softmax", f32, {{1, 2, 2}}), {{"x", x}}).at("y").values,
                near({0.125, 0.375, 0.375, 0.125}));
    EXPECT_THAT(run_with(one_node(1, "LogSoftmax", f32, {{1, 2, 2}}), {{"x", x}}).at("y").values,
                near({std::log(0.125), std::log(0.375), std::log(0.375), std::log(0.125)}));
    const onnx_values rows{{2, 2}, {0, third, 1000, 1000}};
    EXPECT_THAT(run_with(one_node(13, "Softmax", f64, {{2, 2}}), {{"x", rows}}, f64).at("y").values,
                Pointwise(DoubleNear(1e-12), {0.25, 0.75, 0.5, 0.5}));
}

TEST(io_onnx_normalization, layer_normalization_gives_mean_and_inverse_deviation) {
    onnx_model m = one_node(17, "LayerNormalization", f32, {{2, 2, 2}, {2}, {}}, {"y", "mean", "inverse"});
    set(node_of(m), "axis", int64_t{1});
    set(node_of(m), "epsilon", 0.0F);
    const onnx_values x{{2, 2, 2}, {1, 3, 1, 3, 0, 4, 4, 0}};
    const auto outputs = run_with(m, {{"x", x}, {"s", {{2}, {1, 10}}}, {"b", {{}, {0.5}}}});
    EXPECT_THAT(outputs.at("y").values, near({-0.5, 10.5, -0.5, 10.5, -0.5, 10.5, 1.5, -9.5}));
    EXPECT_THAT(outputs.at("mean").dims, ElementsAre(2, 1, 1));
    EXPECT_THAT(outputs.at("mean").values, near({2, 2}));
    EXPECT_THAT(outputs.at("inverse").values, near({1, 0.5}));
}

TEST(io_onnx_normalization, statistics_have_the_type_that_stash_type_names) {
    onnx_model m = one_node(17, "LayerNormalization", f16, {{2, 3}, {3}}, {"y", "", "inverse"});
    const auto type_of_inverse = [&] { return impl::io::import_model(m.proto, {}).file.ops; };
    const auto has_cast_to = [&](impl::data_type type) {
        for (const impl::op &o : type_of_inverse())
            if (o.kind == onefold_op_type_cast && o.outputs[0].type == type) return true;
        return false;
    };
    EXPECT_FALSE(has_cast_to(onefold_bf16));
    set(node_of(m), "stash_type", int64_t{bf16});
    EXPECT_TRUE(has_cast_to(onefold_bf16));
    node_of(m).clear_attribute();
    set(node_of(m), "stash_type", int64_t{6});
    EXPECT_THAT(refusal(m.proto), HasSubstr("attribute stash_type is 6, which is no float's"));
}

TEST(io_onnx_normalization, rms_normalization_of_two_types_gives_the_scale_s) {
    onnx_model m(23);
    m.node("RMSNormalization", {"x", "s"});
    m.input("x", f16, {1, 2});
    m.input("s", f64, {2});
    m.output();
    const auto y = run(m.proto, {{"x", {{1, 2}, {3, 4}, onefold_f16}}, {"s", {{2}, {1, 2}, onefold_f64}}}).at("y");
    EXPECT_EQ(y.type, onefold_f64);
    EXPECT_THAT(y.values, near({3 / std::sqrt(12.50001), 8 / std::sqrt(12.50001)}));
}

TEST(io_onnx_normalization, instance_normalization_scales_each_channel) {
    onnx_model m = one_node(6, "InstanceNormalization", f32, {{1, 2, 2}, {2}, {2}});
    set(node_of(m), "epsilon", 0.0F);
    const onnx_values x{{1, 2, 2}, {1, 3, 0, 4}};
    EXPECT_THAT(run_with(m, {{"x", x}, {"s", {{2}, {1, 10}}}, {"b", {{2}, {0, 0.5}}}}).at("y").values,
                near({-1, 1, -9.5, 10.5}));
    EXPECT_THAT(refusal(one_node(6, "InstanceNormalization", f32, {{1, 2, 2}, {3}, {2}}).proto),
                HasSubstr("input 1 has dims 3; it must have one value for each of the 2 channels"));
    EXPECT_THAT(refusal(one_node(6, "InstanceNormalization", f32, {{1, 2}, {2}, {2}}).proto),
                HasSubstr("input 0 has rank 2; it must be 3 or more"));
}

TEST(io_onnx_normalization, mean_variance_normalization_keeps_the_channels) {
    const onnx_values x{{2, 2, 1, 1}, {1, 10, 3, 30}};
    EXPECT_THAT(run_with(one_node(9, "MeanVarianceNormalization", f32, {{2, 2, 1, 1}}), {{"x", x}}).at("y").values,
                near({-1, -1, 1, 1}));
    onnx_model rows = one_node(13, "MeanVarianceNormalization", f64, {{1, 2}});
    set(node_of(rows), "axes", std::vector<int64_t>{-1});
    EXPECT_THAT(run_with(rows, {{"x", {{1, 2}, {5, 9}}}}, f64).at("y").values, near({-1, 1}));
}

TEST(io_onnx_normalization, a_norm_of_0_gives_0) {
    const onnx_values x{{2, 2}, {3, -4, 0, 0}};
    for (const int type : {f32, f16, f64}) {
        onnx_model m = one_node(22, "LpNormalization", type, {{2, 2}});
        EXPECT_THAT(run_with(m, {{"x", x}}, type).at("y").values, Pointwise(DoubleNear(1e-3), {0.6, -0.8, 0.0, 0.0}));
        set(node_of(m), "p", int64_t{1});
        EXPECT_THAT(run_with(m, {{"x", x}}, type).at("y").values, Pointwise(DoubleNear(1e-3), {3.0 / 7, -4.0 / 7, 0.0, 0.0}));
    }
    onnx_model third = one_node(22, "LpNormalization", f32, {{2, 2}});
    set(node_of(third), "p", int64_t{3});
    EXPECT_THAT(refusal(third.proto), HasSubstr("attribute p is 3; it must be 1 or 2"));
}

TEST(io_onnx_normalization, what_breaks_a_rule_is_refused) {
    onnx_model negative = one_node(9, "Softmax", f32, {{2, 3}});
    set(node_of(negative), "axis", int64_t{-1});
    EXPECT_THAT(refusal(negative.proto), HasSubstr("axis -1: negative axes came with opset 11"));
    onnx_model far = one_node(13, "Softmax", f32, {{2, 3}});
    set(node_of(far), "axis", int64_t{2});
    EXPECT_THAT(refusal(far.proto), HasSubstr("attribute axis is 2, not in [-2, 1]"));
    EXPECT_THAT(refusal(one_node(12, "Softmax", bf16, {{2, 3}}).proto), HasSubstr("input 0 has type bf16"));
    EXPECT_THAT(refusal(one_node(17, "LayerNormalization", f32, {{2, 3}, {4}, {3}}).proto),
                HasSubstr("input gamma has dims 4, which cannot be broadcast to src's 2x3"));
    EXPECT_THAT(refusal(one_node(17, "LayerNormalization", f32, {{2, 3}, {3}}, {"y", "m", "i", "z"}).proto),
                HasSubstr("4 outputs are given; the op has 1 to 3"));
    EXPECT_THAT(refusal(one_node(13, "Softmax", f32, {{2, 3}}, {"y", "z"}).proto),
                HasSubstr("2 outputs are given; the op has 1"));
}

} // namespace
