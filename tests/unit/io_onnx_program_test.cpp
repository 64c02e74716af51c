// The program on ONNX models: names, files, exit codes.

#include <array>
#include <cstring>

#include <gmock/gmock.h>

#include "io/npy.hpp"
#include "io_onnx_model.hpp"
#include "support/program.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using testing::HasSubstr;

constexpr int f32 = pb::TensorProto::FLOAT;

class io_onnx_program : public program_test {
protected:
    std::string write_model(const onnx_model &m) const { return write("m.onnx", m.proto.SerializeAsString()); }

    std::string write_array(const std::string &name, const impl::dims &dims, const std::vector<float> &values) const {
        const std::string path = (folder_ / name).string();
        impl::io::write_npy(path, onefold_f32, dims, std::as_bytes(std::span(values)));
        return path;
    }
};

/// y = x - mean of x's rows, flat; x has the dims n and 3.
onnx_model centred(const std::string &last_op = "Reshape") {
    onnx_model m(13);
    set(m.node("ReduceMean", {"x"}, {"m"}), "axes", std::vector<int64_t>{1});
    m.node("Sub", {"x", "m"}, {"c"});
    m.node(last_op, {"c", "shape"}, {"out/y"}).set_name("last");
    m.integers("shape", {-1});
    m.input("x", f32, {-1, 3}).mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param("n");
    m.output("out/y");
    return m;
}

TEST_F(io_onnx_program, runs_by_name) {
    const std::string x = write_array("x.npy", {2, 3}, {1, 2, 6, 4, 5, 9});
    const outcome result =
        run("run " + write_model(centred()) + " --input x=" + x + " --output-dir " + (folder_ / "out").string());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "output out/y: f32 6: -2, -1, 3, -2, -1, 3\n");
    const auto y = impl::io::read_npy(folder_ / "out" / "out_y.npy");
    EXPECT_THAT(y.dims, testing::ElementsAre(6));
}

TEST_F(io_onnx_program, says_which_dim_is_open) {
    const outcome result = run("run " + write_model(centred()));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("input \"x\": dim 0 (\"n\") has no size; --input x=PATH.npy gives it one"));
}

TEST_F(io_onnx_program, refuses_inputs_that_do_not_fit) {
    const std::string model = write_model(centred());
    const std::string x = write_array("x.npy", {2, 4}, std::vector<float>(8));
    const auto says = [&](const std::string &arguments) {
        const outcome result = run("run " + model + arguments);
        EXPECT_EQ(result.exit_code, 2);
        return result.err;
    };
    EXPECT_THAT(says(" --input x=" + x), HasSubstr("input \"x\": dim 1 is 3, but an array of shape 2x4 is given"));
    EXPECT_THAT(says(" --input z=" + x), HasSubstr("tensor z is not an input of the graph"));
    EXPECT_THAT(says(" --input shape=" + x), HasSubstr("tensor shape is not an input of the graph"));
    EXPECT_THAT(says(" --input 0=" + x), HasSubstr("tensor 0 is not an input of the graph"));
}

TEST_F(io_onnx_program, says_what_is_not_supported) {
    const std::string model = write_model(centred("Tile"));
    const outcome ran = run("run " + model);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr("not supported: node 2 (Tile \"last\", opset 13): onefold has no such op"));
    const outcome inspected = run("inspect " + model);
    EXPECT_EQ(inspected.exit_code, 0);
    EXPECT_THAT(inspected.out, HasSubstr("graph: ops 3, partitions 2, inputs [0 \"x\", 1 \"shape\"], outputs [6 \"out/y\"]\n"
                                         "partition 0: supported\n"));
    EXPECT_THAT(inspected.out, HasSubstr("partition 1: not supported\n    op      2 (Tile \"last\")\n"));
    EXPECT_THAT(inspected.out, HasSubstr("    node 2 (Tile \"last\", opset 13): onefold has no such op\n"));
}

TEST_F(io_onnx_program, reads_axes_when_it_runs) {
    onnx_model m(18);
    m.node("ReduceMean", {"x", "axes"}).set_name("mean");
    m.input("x", f32, {2, 3});
    m.input("axes", pb::TensorProto::INT64, {1});
    m.output("y");
    const std::string model = write_model(m), x = write_array("x.npy", {2, 3}, {1, 2, 6, 4, 5, 9});
    const auto write_axis = [&](int64_t axis) {
        const std::string path = (folder_ / "axes.npy").string();
        impl::io::write_npy(path, onefold_s64, {1}, std::as_bytes(std::span(&axis, 1)));
        return " --input axes=" + path;
    };
    const outcome rows = run("run " + model + " --input x=" + x + write_axis(1));
    EXPECT_EQ(rows.out, "output y: f32 2x1: 3, 6\n") << rows.err;
    const outcome columns = run("run " + model + " --input x=" + x + write_axis(-2));
    EXPECT_EQ(columns.out, "output y: f32 1x3: 2.5, 3.5, 7.5\n") << columns.err;
    const outcome wrong = run("run " + model + write_axis(2));
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("node 0 (ReduceMean \"mean\", opset 18): axis 2 is not in [-2, 1]"));
    const outcome open = run("run " + model);
    EXPECT_EQ(open.exit_code, 2);
    EXPECT_THAT(open.err,
                HasSubstr("(ReduceMean): the shape of its result depends on its axes; --input axes=PATH.npy gives them"));
    const outcome inspected = run("inspect " + model);
    EXPECT_EQ(inspected.exit_code, 0);
    EXPECT_THAT(inspected.out, HasSubstr("the steps depend on shapes that are not known"));
}

/// The mean over tokens that a mask leaves, as exporters write it.
onnx_model masked_mean(int mask_type) {
    onnx_model m(13);
    set(m.node("Cast", {"mask"}, {"m"}), "to", int64_t{f32});
    m.node("Mul", {"x", "m"}, {"kept"});
    set(m.node("ReduceSum", {"kept", "axes"}, {"total"}), "keepdims", int64_t{0});
    set(m.node("ReduceSum", {"m", "axes"}, {"count"}), "keepdims", int64_t{0});
    m.node("Clip", {"count", "least"}, {"divisor"});
    m.node("Div", {"total", "divisor"});
    m.integers("axes", {1});
    m.initializer("least", f32, {}).add_float_data(1e-9F);
    m.input("x", f32, {2, 3, 2});
    m.input("mask", mask_type, {2, 3, 1});
    m.output();
    return m;
}

TEST_F(io_onnx_program, a_masked_mean_with_the_masks_cast_is_one_partition) {
    const std::string x = write_array("x.npy", {2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    const auto check = [&](int onnx_type, onefold_data_type type, const auto &mask) {
        const std::string path = (folder_ / "mask.npy").string();
        impl::io::write_npy(path, type, {2, 3, 1}, std::as_bytes(std::span(mask)));
        const std::string model = write_model(masked_mean(onnx_type));
        const outcome result = run("run " + model + " --input x=" + x + " --input mask=" + path);
        EXPECT_EQ(result.out, "output y: f32 2x2: 3, 4, 8, 9\n") << result.err;
        const outcome inspected = run("inspect " + model);
        EXPECT_THAT(inspected.out, HasSubstr("graph: ops 6, partitions 1"));
        EXPECT_THAT(inspected.out, HasSubstr(" cast to f32\n"));
    };
    check(pb::TensorProto::INT64, onefold_s64, std::array<int64_t, 6>{1, 0, 1, 1, 1, 0});
    check(pb::TensorProto::INT32, onefold_s32, std::array<int32_t, 6>{1, 0, 1, 1, 1, 0});
    check(pb::TensorProto::BOOL, onefold_boolean, std::array<uint8_t, 6>{1, 0, 1, 1, 1, 0});
}

TEST_F(io_onnx_program, inspects_views) {
    const outcome result = run("inspect " + write_model(centred()));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("a view, nothing to execute\n    op      2 (Reshape \"last\")\n"));
    EXPECT_EQ(run("inspect --dot " + write_model(centred())).exit_code, 0);
}

TEST_F(io_onnx_program, is_short_about_bad_files) {
    for (const std::string &content : {std::string(), std::string("text"), centred().proto.SerializeAsString().substr(0, 60)}) {
        const outcome result = run("run " + write("bad.onnx", content));
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
        EXPECT_THAT(result.err, HasSubstr("bad.onnx: is not an ONNX"));
    }
}

} // namespace
