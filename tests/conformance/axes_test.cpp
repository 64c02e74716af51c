// Which axes a reduction takes, and what it gives for them.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr int64_t huge = int64_t{1} << 62;

/// Compiles the reduction of an f32 tensor, dst left open.
compiled_partition compile(op::kind kind, const attributes &attrs, const dims &shape) {
    return compile_op(kind, attrs, {dense(0, data_type::f32, shape)}, open_tensor(dst_id, data_type::f32));
}

TEST(axes, out_of_range_are_refused_by_value) {
    for (const op::kind kind : reductions)
        for (const int64_t axis : {int64_t{3}, int64_t{-4}, int64_t{17}, int64_t{-100}, huge, -huge, INT64_MAX, INT64_MIN}) {
            SCOPED_TRACE(name_of(kind) + " over " + std::to_string(axis));
            EXPECT_TRUE(
                fails(onefold_invalid_arguments, {"axis " + std::to_string(axis), "[-3, 2]", name_of(kind), "op 0"}, [&] {
                    compile(kind, over({axis}), {2, 3, 4});
                }));
            EXPECT_TRUE(fails(onefold_invalid_arguments, {"axis " + std::to_string(axis)}, [&] {
                compile(kind, over({0, axis, 1}), {2, 3, 4});
            }));
        }
}

TEST(axes, every_axis_in_range_is_taken) {
    for (const op::kind kind : reductions)
        for (int64_t axis = -3; axis < 3; ++axis)
            EXPECT_NO_THROW(compile(kind, over({axis}), {2, 3, 4})) << axis;
}

TEST(axes, given_twice_are_refused_by_value) {
    struct twice {
        axes_list axes;
        const char *named;
    };
    for (const auto &[axes, named] : {twice{{1, 1}, "axis 1"}, twice{{1, -2}, "axis -2"}, twice{{-3, 2, 0}, "axis 0"},
                                      twice{{0, 1, 2, 0}, "axis 0"}, twice{{2, -1}, "axis -1"}})
        for (const op::kind kind : reductions)
            EXPECT_TRUE(fails(onefold_invalid_arguments, {named, "twice", name_of(kind)}, [&, axes = axes] {
                compile(kind, over(axes), {2, 3, 4});
            }));
}

TEST(axes, rank_0_has_none) {
    for (const op::kind kind : reductions)
        for (const int64_t axis : {int64_t{0}, int64_t{-1}, int64_t{1}})
            EXPECT_TRUE(fails(onefold_invalid_arguments, {"axis " + std::to_string(axis), "rank 0", name_of(kind)},
                              [&] { compile(kind, over({axis}), {}); }));
}

TEST(axes, rank_0_over_none_is_the_identity) {
    for (const op::kind kind : reductions) {
        const array dst = reduce(kind, array(data_type::f32, {}, {-2.5}), {});
        EXPECT_EQ(dst.shape(), dims{});
        EXPECT_EQ(dst.values(), std::vector<double>{-2.5}) << name_of(kind);
    }
}

TEST(axes, are_taken_in_any_order_and_sign) {
    const dims shape = {3, 4, 5, 6};
    const array src(data_type::f32, shape, random_values(data_type::f32, 360, 1));
    const std::vector<std::vector<axes_list>> same = {
        {{0, 2}, {2, 0}, {-4, -2}, {-2, 0}, {2, -4}},
        {{1, 2, 3}, {3, 1, 2}, {-1, -2, -3}, {2, -1, 1}},
        {{0, 1, 2, 3}, {3, 2, 1, 0}, {-1, 0, -2, 1}},
        {{3}, {-1}},
    };
    for (const op::kind kind : reductions)
        for (const auto &lists : same)
            for (const axes_list &axes : lists)
                for (const bool keep_dims : {false, true}) {
                    SCOPED_TRACE(name_of(kind) + testing::PrintToString(axes));
                    const array dst = reduce(kind, src, axes, keep_dims);
                    EXPECT_TRUE(are_within(dst, expect_reduction(kind, src.values(), shape, axes, keep_dims)));
                    EXPECT_TRUE(are_identical(dst.values(), reduce(kind, src, lists[0], keep_dims).values()));
                }
}

TEST(axes, none_is_the_identity_whatever_the_op) {
    const std::vector<double> values = {-1, 2, -0.5, -0.0, 0, -infinity, infinity, not_a_number, -60000, 3};
    for (const op::kind kind : reductions)
        for (const data_type type : float_types)
            for (const bool keep_dims : {false, true}) {
                SCOPED_TRACE(name_of(kind) + " of " + name_of(type));
                const array src(type, {5, 2}, values);
                const array dst = reduce(kind, src, {}, keep_dims);
                EXPECT_EQ(dst.shape(), src.shape());
                EXPECT_TRUE(are_identical(dst.values(), src.values()));
            }
}

TEST(axes, of_size_1_still_make_a_reduction) {
    const std::vector<double> values = {-1.5, 2, -0.25, -infinity};
    for (const data_type type : float_types) {
        const array src(type, {4, 1}, values);
        for (const op::kind kind : {op::kind::ReduceL1, op::kind::ReduceL2})
            EXPECT_TRUE(are_identical(reduce(kind, src, {1}).values(), {1.5, 2, 0.25, infinity})) << name_of(kind);
        for (const op::kind kind : {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceMax, op::kind::ReduceProd})
            EXPECT_TRUE(are_identical(reduce(kind, src, {-1}).values(), values)) << name_of(kind);
    }
}

TEST(axes, keep_dims_is_false_unless_given) {
    for (const op::kind kind : reductions) {
        EXPECT_EQ(compile(kind, over({1}), {2, 3, 4}).query_logical_tensor(dst_id).get_dims(), (dims{2, 4}));
        EXPECT_EQ(compile(kind, over({1}, false), {2, 3, 4}).query_logical_tensor(dst_id).get_dims(), (dims{2, 4}));
        EXPECT_EQ(compile(kind, over({1}, true), {2, 3, 4}).query_logical_tensor(dst_id).get_dims(), (dims{2, 1, 4}));
        EXPECT_EQ(compile(kind, over({0, 1, 2}), {2, 3, 4}).query_logical_tensor(dst_id).get_dims(), (dims{}));
        EXPECT_EQ(compile(kind, over({0, 1, 2}, true), {2, 3, 4}).query_logical_tensor(dst_id).get_dims(), (dims{1, 1, 1}));
    }
}

TEST(axes, must_be_given_as_an_attribute_or_a_tensor) {
    graph g(engine::kind::cpu);
    const op none(0, op::kind::ReduceSum, {dense(0, data_type::f32, {2, 3})}, {open_tensor(1, data_type::f32)});
    EXPECT_TRUE(fails(onefold_invalid_graph_op, {"op 0", "ReduceSum", "axes"}, [&] { g.add_op(none); }));
    op both(1, op::kind::ReduceSum, {dense(2, data_type::f32, {2, 3}), dense(3, data_type::s32, dims(1, 1))},
            {open_tensor(4, data_type::f32)});
    both.set_attr(op::attr::axes, axes_list{1});
    EXPECT_TRUE(fails(onefold_invalid_graph_op, {"op 1", "axes", "both"}, [&] { g.add_op(both); }));
}

} // namespace
