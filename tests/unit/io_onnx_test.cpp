// What ONNX models become: ops by opset version, constants, views, symbolic dims.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "io/onnx/ops.hpp"
#include "io_onnx_model.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int f32 = pb::TensorProto::FLOAT;
const impl::dims dims_of_one = {1};
const onnx_values x23 = {{2, 3}, {1, 2, 6, 4, 5, 9}};

/// A model of one node with input x of shape 2x3 and output y.
onnx_model one_node(int opset, const std::string &op, const std::vector<std::string> &inputs = {"x"}) {
    onnx_model m(opset);
    m.node(op, inputs);
    m.input("x", f32, {2, 3});
    m.output();
    return m;
}

pb::NodeProto &node_of(onnx_model &m) { return *m.graph().mutable_node(0); }

onnx_values run_one(const onnx_model &m, const onnx_values &x = x23) { return run(m.proto, {{"x", x}}).at("y"); }

TEST(io_onnx, every_row_has_types_and_versions_that_do_not_overlap) {
    for (const impl::io::onnx_op &row : impl::io::onnx_ops()) {
        EXPECT_LE(row.since, row.until) << row.name;
        EXPECT_FALSE(row.types.empty()) << row.name;
        for (const impl::io::onnx_op &other : impl::io::onnx_ops())
            EXPECT_TRUE(&row == &other || row.name != other.name || row.until < other.since || other.until < row.since)
                << row.name;
    }
}

TEST(io_onnx, axes_are_an_attribute_in_old_versions) {
    onnx_model m = one_node(13, "ReduceMean");
    set(node_of(m), "axes", std::vector<int64_t>{-1});
    set(node_of(m), "keepdims", int64_t{0});
    const onnx_values y = run_one(m);
    EXPECT_THAT(y.dims, ElementsAre(2));
    EXPECT_THAT(y.values, ElementsAre(3, 6));
}

TEST(io_onnx, axes_are_an_input_in_new_versions) {
    onnx_model m = one_node(18, "ReduceMean", {"x", "axes"});
    m.integers("axes", {0});
    const onnx_values y = run_one(m);
    EXPECT_THAT(y.dims, ElementsAre(1, 3));
    EXPECT_THAT(y.values, ElementsAre(2.5, 3.5, 7.5));
}

TEST(io_onnx, no_axes_are_all_axes_unless_noop) {
    for (const auto &inputs : {std::vector<std::string>{"x"}, {"x", ""}, {"x", "axes"}}) {
        onnx_model m = one_node(18, "ReduceSum", inputs);
        m.integers("axes", {});
        EXPECT_THAT(run_one(m).dims, ElementsAre(1, 1));
        EXPECT_THAT(run_one(m).values, ElementsAre(27));
        set(node_of(m), "noop_with_empty_axes", int64_t{1});
        EXPECT_EQ(run_one(m).values, x23.values);
    }
    onnx_model squares = one_node(18, "ReduceSumSquare");
    set(node_of(squares), "noop_with_empty_axes", int64_t{1});
    set(node_of(squares), "keepdims", int64_t{0});
    EXPECT_THAT(run_one(squares).values, ElementsAre(1, 4, 36, 16, 25, 81));
}

/// ReduceSum over an input of axes, and what stands behind it.
onnx_model sum_over_input(int64_t keepdims) {
    onnx_model m(18);
    set(m.node("ReduceSum", {"x", "axes"}, {"s"}), "keepdims", keepdims);
    m.node("Abs", {"s"});
    m.input("x", f32, {2, 3});
    m.input("axes", pb::TensorProto::INT64, {-1});
    m.output();
    return m;
}

TEST(io_onnx, axes_that_are_given_tell_the_shapes) {
    const auto run_over = [](const onnx_model &m, const impl::dims &axes) {
        const onnx_values given{{static_cast<int64_t>(axes.size())}, {axes.begin(), axes.end()}, onefold_s64};
        return run(m.proto, {{"x", x23}, {"axes", given}}).at("y");
    };
    EXPECT_THAT(run_over(sum_over_input(0), {1}).values, ElementsAre(9, 18));
    EXPECT_THAT(run_over(sum_over_input(0), {-2}).values, ElementsAre(5, 7, 15));
    EXPECT_THAT(run_over(sum_over_input(1), {0}).dims, ElementsAre(1, 3));
    EXPECT_THAT(run_over(sum_over_input(1), {}).dims, ElementsAre(1, 1));
    EXPECT_THAT(run_over(sum_over_input(0), {}).values, ElementsAre(27));
    onnx_model noop = sum_over_input(0);
    set(node_of(noop), "noop_with_empty_axes", int64_t{1});
    EXPECT_EQ(run_over(noop, {}).values, x23.values);
    EXPECT_THAT([&] { run_over(sum_over_input(0), {2}); },
                testing::ThrowsMessage<impl::error>(HasSubstr("axis 2 is not in [-2, 1]")));
    // What the model says of the shape is stale, then.
    onnx_model stale = sum_over_input(0);
    auto &info = *stale.graph().add_value_info();
    info.set_name("s");
    info.mutable_type()->mutable_tensor_type()->set_elem_type(f32);
    info.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(2);
    EXPECT_THAT(run_over(stale, {0}).values, ElementsAre(5, 7, 15));
}

TEST(io_onnx, shapes_behind_axes_may_be_declared) {
    onnx_model m = sum_over_input(0);
    m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("n");
    auto &info = *m.graph().add_value_info();
    info.set_name("s");
    info.mutable_type()->mutable_tensor_type()->set_elem_type(f32);
    info.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param("n");
    const auto known = impl::io::import_model(m.proto, {}, {{"x", {{2, 3}}}, {"axes", {dims_of_one, onefold_s64}}});
    EXPECT_THAT(known.file.ops.at(0).outputs.at(0).dims, ElementsAre(2));
    EXPECT_THAT(known.file.ops.at(1).outputs.at(0).dims, ElementsAre(2));
    EXPECT_EQ(known.file.ops.at(0).inputs.size(), 2U);
    const auto open = impl::io::import_model(m.proto, {});
    EXPECT_FALSE(open.file.ops.at(0).outputs.at(0).has_known_dims());
}

TEST(io_onnx, a_constant_node_is_as_good_as_an_initializer) {
    onnx_model m(18);
    set(m.node("Constant", {}, {"axes"}), "value_ints", std::vector<int64_t>{1});
    m.node("ReduceMax", {"x", "axes"});
    m.input("x", f32, {2, 3});
    m.output();
    EXPECT_THAT(run_one(m).values, ElementsAre(6, 9));
}

TEST(io_onnx, elementwise_ops_with_their_defaults) {
    const auto of = [](const std::string &op, int opset, double x) {
        return run_one(one_node(opset, op), {{2, 3}, {x, x, x, x, x, x}}).values[0];
    };
    EXPECT_FLOAT_EQ(static_cast<float>(of("LeakyRelu", 16, -2)), -0.02F);
    EXPECT_FLOAT_EQ(static_cast<float>(of("Elu", 6, -2)), std::expm1(-2.0F));
    EXPECT_FLOAT_EQ(static_cast<float>(of("HardSigmoid", 6, 1)), 0.7F);
    EXPECT_FLOAT_EQ(static_cast<float>(of("HardSwish", 14, 1)), 4.0F / 6);
    EXPECT_NEAR(of("Softplus", 1, 1), std::log1p(std::exp(1.0)), 1e-5);
    EXPECT_NEAR(of("Mish", 18, 1), std::tanh(std::log1p(std::exp(1.0))), 1e-5);
    EXPECT_NEAR(of("Gelu", 20, 1), 0.841345, 1e-5);
    EXPECT_EQ(of("Round", 11, 2.5), 2);
    EXPECT_EQ(of("Neg", 6, 2), -2);
    EXPECT_EQ(of("Abs", 1, -2), 2);
}

TEST(io_onnx, legacy_attributes_are_ignored) {
    onnx_model m = one_node(1, "Sqrt");
    set(node_of(m), "consumed_inputs", std::vector<int64_t>{0});
    EXPECT_FLOAT_EQ(static_cast<float>(run_one(m).values[0]), 1);
}

TEST(io_onnx, attributes_without_a_type_as_ir_version_1_has_them) {
    onnx_model m = one_node(1, "ReduceSum");
    m.proto.set_ir_version(1);
    m.proto.clear_opset_import();
    set(node_of(m), "axes", std::vector<int64_t>{1});
    set(node_of(m), "keepdims", int64_t{0});
    for (pb::AttributeProto &a : *node_of(m).mutable_attribute())
        a.clear_type();
    EXPECT_THAT(run_one(m).values, ElementsAre(9, 18));
}

TEST(io_onnx, clip_by_attributes_and_by_inputs) {
    onnx_model old = one_node(6, "Clip");
    set(node_of(old), "min", 2.0F);
    EXPECT_THAT(run_one(old).values, ElementsAre(2, 2, 6, 4, 5, 9));
    onnx_model m = one_node(13, "Clip", {"x", "", "max"});
    m.initializer("max", f32, {}).add_float_data(4);
    EXPECT_THAT(run_one(m).values, ElementsAre(1, 2, 4, 4, 4, 4));
    EXPECT_EQ(run_one(one_node(13, "Clip")).values, x23.values);
}

/// The op's result in another type: input 0 is "x" of `values`.
std::vector<double> run_in(int onnx_type, impl::data_type type, onnx_model m, const std::vector<double> &values) {
    const auto count = static_cast<int64_t>(values.size());
    m.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx_type);
    return run(m.proto, {{"x", {{count}, values, type}}}).begin()->second.values;
}

onnx_model one_node_of_a_row(int opset, const std::string &op, const std::vector<std::string> &inputs = {"x"}) {
    onnx_model m(opset);
    m.node(op, inputs);
    m.input("x", f32, {-1});
    m.output();
    return m;
}

TEST(io_onnx, clip_in_every_type_and_by_bounds_that_no_f32_holds) {
    onnx_model small = one_node_of_a_row(13, "Clip", {"x", "min"});
    small.initializer("min", pb::TensorProto::INT8, {}).add_int32_data(-5);
    EXPECT_THAT(run_in(pb::TensorProto::INT8, onefold_s8, small, {-128, -5, 7}), ElementsAre(-5, -5, 7));
    onnx_model wide = one_node_of_a_row(13, "Clip", {"x", "min", "max"});
    wide.initializer("min", pb::TensorProto::INT64, {}).add_int64_data(16777217);
    wide.initializer("max", pb::TensorProto::INT64, {}).add_int64_data((int64_t{1} << 53) - 1);
    EXPECT_THAT(run_in(pb::TensorProto::INT64, onefold_s64, wide, {0, 16777218, 0x1p60}),
                ElementsAre(16777217, 16777218, 0x1p53 - 1));
    onnx_model f64 = one_node_of_a_row(13, "Clip", {"x", "", "max"});
    f64.initializer("max", pb::TensorProto::DOUBLE, {}).add_double_data(0.1);
    EXPECT_THAT(run_in(pb::TensorProto::DOUBLE, onefold_f64, f64, {-1, 0.05, 3}), ElementsAre(-1, 0.05, 0.1));
    onnx_model later = one_node(13, "Clip", {"x", "min"});
    later.input("min", f32, {});
    EXPECT_THAT(run(later.proto, {{"x", x23}, {"min", {{}, {4}}}}).at("y").values, ElementsAre(4, 4, 6, 4, 5, 9));
}

TEST(io_onnx, elementwise_ops_of_f64_and_integers) {
    EXPECT_THAT(run_in(pb::TensorProto::INT16, onefold_s16, one_node_of_a_row(13, "Neg"), {-32768, 5}),
                ElementsAre(-32768, -5));
    EXPECT_THAT(run_in(pb::TensorProto::INT32, onefold_s32, one_node_of_a_row(14, "Relu"), {-7, 7}), ElementsAre(0, 7));
    EXPECT_THAT(run_in(pb::TensorProto::UINT64, onefold_u64, one_node_of_a_row(13, "Abs"), {7}), ElementsAre(7));
    EXPECT_DOUBLE_EQ(run_in(pb::TensorProto::DOUBLE, onefold_f64, one_node_of_a_row(13, "Exp"), {1}).at(0), std::exp(1.0));
    onnx_model pow = one_node_of_a_row(13, "Pow", {"x", "e"});
    pow.initializer("e", pb::TensorProto::FLOAT, {}).add_float_data(3);
    EXPECT_THAT(run_in(pb::TensorProto::INT64, onefold_s64, pow, {-3, 2}), ElementsAre(-27, 8));
    onnx_model inexact = one_node_of_a_row(13, "Pow", {"x", "e"});
    inexact.initializer("e", pb::TensorProto::DOUBLE, {}).add_double_data(0.1);
    inexact.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(pb::TensorProto::DOUBLE);
    EXPECT_THAT(unsupported(inexact.proto), HasSubstr("the exponent of f64 is no f32"));
}

TEST(io_onnx, casts_between_any_two_types) {
    const auto cast = [](int to) {
        onnx_model m = one_node_of_a_row(13, "Cast");
        set(node_of(m), "to", int64_t{to});
        return m;
    };
    EXPECT_THAT(run_in(f32, onefold_f32, cast(pb::TensorProto::INT8), {-1.9, 2.9, 300}), ElementsAre(-1, 2, 127));
    EXPECT_THAT(run_in(pb::TensorProto::INT32, onefold_s32, cast(pb::TensorProto::UINT8), {257, -1}), ElementsAre(1, 255));
    EXPECT_THAT(run_in(pb::TensorProto::INT64, onefold_s64, cast(pb::TensorProto::BOOL), {0, 5}), ElementsAre(0, 1));
    EXPECT_THAT(run_in(pb::TensorProto::BOOL, onefold_boolean, cast(pb::TensorProto::DOUBLE), {0, 1}), ElementsAre(0, 1));
    EXPECT_THAT(run_in(pb::TensorProto::DOUBLE, onefold_f64, cast(pb::TensorProto::FLOAT16), {1 + 0x1p-11 + 0x1p-40}),
                ElementsAre(1 + 0x1p-10));
}

TEST(io_onnx, pow_by_a_constant) {
    onnx_model m = one_node(13, "Pow", {"x", "e"});
    m.initializer("e", pb::TensorProto::INT32, {1}).add_int32_data(2);
    EXPECT_THAT(run_one(m).values, ElementsAre(1, 4, 36, 16, 25, 81));
}

TEST(io_onnx, casts) {
    onnx_model m(13);
    set(m.node("Cast", {"x"}, {"h"}), "to", int64_t{pb::TensorProto::FLOAT16});
    set(m.node("Cast", {"h"}, {"b"}), "to", int64_t{pb::TensorProto::BFLOAT16});
    set(m.node("Cast", {"b"}), "to", int64_t{pb::TensorProto::FLOAT});
    m.input("x", f32, {2, 3});
    m.output();
    EXPECT_EQ(run_one(m).values, x23.values);
    onnx_model old = one_node(1, "Cast");
    set(node_of(old), "to", std::string("FLOAT"));
    EXPECT_EQ(run_one(old).values, x23.values);
}

TEST(io_onnx, broadcasting_before_opset_7) {
    onnx_model m = one_node(6, "Add", {"x", "b"});
    pb::TensorProto &b = m.initializer("b", f32, {2});
    b.add_float_data(10);
    b.add_float_data(20);
    set(node_of(m), "broadcast", int64_t{1});
    set(node_of(m), "axis", int64_t{0});
    EXPECT_THAT(run_one(m).values, ElementsAre(11, 12, 16, 24, 25, 29));
}

TEST(io_onnx, views_between_ops) {
    onnx_model m(13);
    m.node("Relu", {"x"}, {"r"});
    m.node("Reshape", {"r", "shape"}, {"v"});
    m.node("Unsqueeze", {"v", "axes"}, {"u"});
    m.node("Squeeze", {"u"}, {"s"});
    m.node("Flatten", {"s"}, {"f"});
    m.node("Identity", {"f"}, {"i"});
    m.node("Exp", {"i"});
    m.integers("shape", {0, -1, 1});
    m.integers("axes", {0, -1});
    m.input("x", f32, {2, 3});
    for (const char *name : {"y", "v", "u", "s", "f"})
        m.output(name);
    const auto outputs = run(m.proto, {{"x", x23}});
    EXPECT_THAT(outputs.at("v").dims, ElementsAre(2, 3, 1));
    EXPECT_THAT(outputs.at("u").dims, ElementsAre(1, 2, 3, 1, 1));
    EXPECT_THAT(outputs.at("s").dims, ElementsAre(2, 3));
    EXPECT_THAT(outputs.at("f").dims, ElementsAre(2, 3));
    EXPECT_EQ(outputs.at("u").values, x23.values);
    EXPECT_FLOAT_EQ(static_cast<float>(outputs.at("y").values[5]), std::exp(9.0F));
}

TEST(io_onnx, outputs_that_are_inputs_constants_or_twice_the_same) {
    onnx_model m(13);
    m.node("Abs", {"x"}, {"a"});
    m.node("Identity", {"a"}, {"b"});
    m.input("x", f32, {2, 3});
    m.initializer("c", f32, {1}).add_float_data(7);
    for (const char *name : {"x", "a", "b", "c"})
        m.output(name);
    const auto outputs = run(m.proto, {{"x", x23}});
    EXPECT_EQ(outputs.size(), 4U);
    for (const char *name : {"x", "a", "b"})
        EXPECT_EQ(outputs.at(name).values, x23.values) << name;
    EXPECT_THAT(outputs.at("c").values, ElementsAre(7));
}

TEST(io_onnx, symbolic_dims_come_from_the_inputs_given) {
    onnx_model m(13);
    m.node("Add", {"x", "z"});
    for (const char *name : {"x", "z"})
        m.input(name, f32, {-1, 3}).mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("n");
    m.output();
    const auto graph = impl::io::import_model(m.proto, {});
    EXPECT_THAT(graph.inputs.at(1).unknown, ElementsAre("dim 0 (\"n\")"));
    const auto bound = impl::io::import_model(m.proto, {}, {{"x", {{2, 3}}}});
    EXPECT_THAT(bound.inputs.at(1).unknown, testing::IsEmpty());
    EXPECT_THAT(bound.file.ops.at(0).outputs.at(0).dims, ElementsAre(2, 3));
    const auto refused = [&](const impl::io::onnx_known_inputs &known) -> std::string {
        try {
            impl::io::import_model(m.proto, {}, known);
        } catch (const impl::error &e) {
            return e.what();
        }
        return "";
    };
    EXPECT_THAT(refused({{"x", {{2, 3}}}, {"z", {{4, 3}}}}),
                HasSubstr("\"n\") is 4 in the array given, but 2 in that of input \"x\""));
    EXPECT_THAT(refused({{"x", {{2, 4}}}}), HasSubstr("dim 1 is 3, but an array of shape 2x4 is given"));
    EXPECT_THAT(refused({{"x", {{2}}}}), HasSubstr("has rank 2, but an array of rank 1 is given"));
}

TEST(io_onnx, what_is_not_supported_says_why) {
    EXPECT_THAT(unsupported(one_node(13, "Erf").proto), HasSubstr("node 0 (Erf, opset 13): onefold has no such op"));
    onnx_model custom = one_node(13, "Abs");
    node_of(custom).set_domain("com.example");
    EXPECT_THAT(unsupported(custom.proto), HasSubstr("the domain \"com.example\" is not known"));
    onnx_model cast = one_node(13, "Cast");
    set(node_of(cast), "to", int64_t{pb::TensorProto::STRING});
    EXPECT_THAT(unsupported(cast.proto), HasSubstr("onefold has no type for ONNX's type 8"));
    onnx_model pow = one_node(13, "Pow", {"x", "x"});
    EXPECT_THAT(unsupported(pow.proto), HasSubstr("the exponent is not a constant of one element"));
}

} // namespace
