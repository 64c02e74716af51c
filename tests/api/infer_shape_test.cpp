// What outputs become, without compiling.
#include "api/helpers.hpp"

namespace onefold_test {
namespace {

const logical_tensor open_dst(1, data_type::f32);

partition mean_partition(bool keep_dims = false) {
    op mean = reduce_mean(3, logical_tensor(0, data_type::f32, 3, layout_type::any), open_dst, {-1});
    mean.set_attr(op::attr::keep_dims, keep_dims);
    return partition(mean, engine::kind::cpu);
}

TEST(infer_shape, fills_in_dims_strides_and_type) {
    std::vector<logical_tensor> outputs = {logical_tensor(1, data_type::undef)};
    mean_partition().infer_shape({f32(0, {4, 5, 6})}, outputs);
    EXPECT_EQ(outputs[0].get_id(), 1U);
    EXPECT_EQ(outputs[0].get_data_type(), data_type::f32);
    EXPECT_EQ(outputs[0].get_dims(), (dims{4, 5}));
    EXPECT_EQ(outputs[0].get_strides(), (dims{5, 1}));
    EXPECT_EQ(outputs[0].get_layout_type(), layout_type::strided);

    outputs = {open_dst};
    mean_partition(true).infer_shape({f32(0, {4, 5, 6})}, outputs);
    EXPECT_EQ(outputs[0].get_dims(), (dims{4, 5, 1}));
}

TEST(infer_shape, keeps_what_is_known_and_gives_what_compile_gives) {
    const engine cpu(engine::kind::cpu, 0);
    const logical_tensor nhwc(0, data_type::f32, {2, 3, 4, 5}, dims{60, 1, 15, 3});
    const partition relu(op(0, op::kind::ReLU, {nhwc}, {open_dst}), engine::kind::cpu);
    for (const logical_tensor &dst : {open_dst, logical_tensor(1, data_type::f32, 4, layout_type::any),
                                      logical_tensor(1, data_type::f32, {2, 3, 4, 5}, dims{1000, 200, 40, 8})}) {
        std::vector<logical_tensor> outputs = {dst};
        relu.infer_shape({nhwc}, outputs);
        EXPECT_TRUE(outputs[0].is_equal(relu.compile({nhwc}, {dst}, cpu).query_logical_tensor(1)));
    }
}

TEST(infer_shape, needs_no_layout_of_inputs) {
    for (const layout_type layout : {layout_type::undef, layout_type::any, layout_type::strided}) {
        std::vector<logical_tensor> outputs = {open_dst};
        mean_partition().infer_shape({logical_tensor(0, data_type::f32, {7, 8, 9}, layout)}, outputs);
        EXPECT_EQ(outputs[0].get_dims(), (dims{7, 8}));
    }
}

TEST(infer_shape, says_what_is_wrong_and_leaves_outputs_as_they_are) {
    std::vector<logical_tensor> outputs = {open_dst};
    const auto infer = [&](const partition &p, const std::vector<logical_tensor> &inputs, const logical_tensor &dst) {
        outputs = {dst};
        p.infer_shape(inputs, outputs);
    };
    const partition mean = mean_partition();
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"input tensor 0", "unknown dims"}, [&] {
        infer(mean, {logical_tensor(0, data_type::f32, {4, ONEFOLD_UNKNOWN_DIM, 6}, layout_type::any)}, open_dst);
    }));
    EXPECT_TRUE(
        fails(onefold_invalid_arguments, {"input tensor 0", "not among"}, [&] { infer(mean, {f32(5, {4})}, open_dst); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"output tensor 1", "not among"}, [&] {
        infer(mean, {f32(0, {4, 5, 6})}, f32(2, {4, 5}));
    }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"op 3 (ReduceMean)", "tensor 1", "4x5", "4x6"}, [&] {
        infer(mean, {f32(0, {4, 5, 6})}, f32(1, {4, 6}));
    }));
    EXPECT_TRUE(fails(onefold_invalid_data_type, {"tensor 1", "bf16", "f32"}, [&] {
        infer(mean, {f32(0, {4, 5, 6})}, logical_tensor(1, data_type::bf16));
    }));
    EXPECT_TRUE(outputs[0].is_equal(logical_tensor(1, data_type::bf16)));

    const partition add(op(8, op::kind::Add, {f32(0, {2, 3}), logical_tensor(2, data_type::f32)}, {open_dst}),
                        engine::kind::cpu);
    EXPECT_TRUE(fails(onefold_invalid_shape, {"op 8 (Add)", "2x3", "2x4"}, [&] {
        infer(add, {f32(0, {2, 3}), f32(2, {2, 4})}, open_dst);
    }));
    const partition foreign(op(9, op::kind::SoftMaxBackward, {f32(0, {2, 3}), f32(5, {2, 3})}, {open_dst}), engine::kind::cpu);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 9 (SoftMaxBackward)", "not supported"}, [&] {
        infer(foreign, {f32(0, {2, 3}), f32(5, {2, 3})}, open_dst);
    }));
}

TEST(infer_shape, of_outputs_that_are_none_is_refused) {
    std::vector<logical_tensor> outputs = {open_dst, f32(7, {2})};
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"no output tensor 7"}, [&] {
        mean_partition().infer_shape({f32(0, {4, 5, 6})}, outputs);
    }));
    EXPECT_TRUE(outputs[0].is_equal(open_dst));
}

} // namespace
} // namespace onefold_test
