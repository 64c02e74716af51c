// A dst given with another shape or type is refused, and left untouched.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

struct shape_case {
    dims src;
    axes_list axes;
    bool keep_dims;
    dims dst;
};

const shape_case wrong_shapes[] = {
    {{2, 3, 4}, {1}, false, {2, 1, 4}}, {{2, 3, 4}, {1}, true, {2, 4}},
    {{2, 3, 4}, {1}, false, {4, 2}},    {{2, 3, 4}, {1}, false, {8}},
    {{2, 3, 4}, {1}, false, {2, 4, 1}}, {{2, 3, 4}, {}, false, {}},
    {{2, 3, 4}, {0, 1, 2}, false, {1}}, {{2, 3, 4}, {0, 1, 2}, true, {1, 1}},
    {{2, 3, 4}, {2}, false, {2, 0}},    {{0, 3}, {0}, false, {0}},
    {{0, 3}, {1}, false, {3}},
};

TEST(destination, of_another_shape_is_refused) {
    for (const op::kind kind : reductions)
        for (const shape_case &wrong : wrong_shapes) {
            SCOPED_TRACE(testing::PrintToString(wrong.dst));
            EXPECT_TRUE(fails(onefold_invalid_shape, {name_of(kind), "100"}, [&] {
                compile_op(kind, over(wrong.axes, wrong.keep_dims), {dense(0, data_type::f32, wrong.src)},
                           dense(dst_id, data_type::f32, wrong.dst));
            }));
        }
}

TEST(destination, of_a_broadcast_op_has_the_broadcast_shape) {
    for (const op::kind kind : {op::kind::Add, op::kind::Divide, op::kind::Maximum, op::kind::SquaredDifference})
        for (const dims &wrong : {dims{3}, dims{1, 3}, dims{2, 4}, dims{2, 3, 1}, dims{}}) {
            const std::vector<logical_tensor> srcs = {dense(0, data_type::f32, {2, 3}), dense(1, data_type::f32, {1, 3})};
            EXPECT_TRUE(fails(onefold_invalid_shape, {name_of(kind)},
                              [&] { compile_op(kind, {}, srcs, dense(dst_id, data_type::f32, wrong)); }));
        }
}

TEST(destination, of_an_elementwise_op_has_the_shape_of_src) {
    for (const op::kind kind : {op::kind::Abs, op::kind::Exp, op::kind::Reorder})
        EXPECT_TRUE(fails(onefold_invalid_shape, {name_of(kind)}, [&] {
            compile_op(kind, {}, {dense(0, data_type::f32, {2, 3})}, dense(dst_id, data_type::f32, {3, 2}));
        }));
}

TEST(destination, of_another_type_at_compile_is_refused) {
    const logical_tensor src = dense(0, data_type::f32, {2, 3});
    for (const op::kind kind : reductions) {
        const partition p(make_op(0, kind, over({1}), {src}, open_tensor(dst_id, data_type::f32)), engine::kind::cpu);
        for (const data_type other : {data_type::bf16, data_type::f16, data_type::s32})
            EXPECT_TRUE(fails(onefold_invalid_data_type, {"100", "f32"},
                              [&] { p.compile({src}, {dense(dst_id, other, dims(1, 2))}, cpu()); }));
    }
}

TEST(destination, of_a_type_that_the_op_cannot_give_is_refused) {
    for (const op::kind kind : reductions)
        EXPECT_TRUE(fails(onefold_invalid_graph_op, {name_of(kind), "dst"}, [&] {
            compile_op(kind, over({1}), {dense(0, data_type::f32, {2, 3})}, open_tensor(dst_id, data_type::bf16));
        }));
}

TEST(destination, that_differs_at_execute_is_left_untouched) {
    const array src(data_type::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
    const auto compiled =
        compile_op(op::kind::ReduceSum, over({1}), {src.describe(0)}, dense(dst_id, data_type::f32, dims(1, 2)));
    std::vector<array> srcs = {src};
    for (array wrong : {array(data_type::f32, {3}), array(data_type::f32, {2, 1}), array(data_type::bf16, {2}),
                        array::strided(data_type::f32, {2}, {2})}) {
        const auto before = wrong.memory();
        EXPECT_TRUE(fails(onefold_invalid_arguments, {"100"}, [&] { execute(compiled, srcs, wrong); }));
        EXPECT_EQ(wrong.memory(), before);
    }
}

TEST(destination, whose_elements_overlap_is_refused) {
    const logical_tensor src = dense(0, data_type::f32, {4, 3, 5});
    for (const dims &strides : {dims{0, 1}, dims{1, 1}, dims{4, 1}, dims{1, 0}, dims{2, 3}})
        EXPECT_TRUE(fails(onefold_invalid_arguments, {"100", "overlap"}, [&] {
            compile_op(op::kind::ReduceMean, over({1}), {src}, logical_tensor(dst_id, data_type::f32, dims{4, 5}, strides));
        }));
}

} // namespace
