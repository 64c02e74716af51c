// Reductions whose axes are a tensor: what they give, for sets of axes that compile() could not know.
#include "support/axes_tensor.hpp"
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr data_type axes_types[] = {data_type::s32, data_type::s64};

array random_array(const dims &shape, unsigned seed = 1, data_type type = data_type::f32) {
    return {type, shape, random_values(type, count_of(shape), seed)};
}

/// Every other one from the end, the last first.
axes_list shuffled(const axes_list &axes, int64_t rank) {
    axes_list result(axes.rbegin(), axes.rend());
    for (size_t i = 0; i < result.size(); i += 2)
        result[i] -= rank;
    return result;
}

class axes_tensor : public testing::TestWithParam<op::kind> {};

TEST_P(axes_tensor, of_every_set_gives_what_the_attribute_gives) {
    const array src = random_array({2, 3, 4, 5});
    for (const data_type type : axes_types)
        for (const bool keep_dims : {false, true})
            for (size_t count = 1; count <= 4; ++count)
                for (const axes_list &axes : all_sets(4, count)) {
                    SCOPED_TRACE(name_of(type) + testing::PrintToString(axes) + (keep_dims ? " kept" : ""));
                    const array expected = reduce(GetParam(), src, axes, keep_dims);
                    const array got =
                        reduce_by_tensor(GetParam(), src, shuffled(axes, 4), keeping(keep_dims), expected.shape(), type);
                    ASSERT_TRUE(are_identical(got.values(), expected.values()));
                    ASSERT_TRUE(are_within(got, expect_reduction(GetParam(), src.values(), src.shape(), axes, keep_dims)));
                }
}

TEST_P(axes_tensor, of_sets_that_lead_to_one_shape_are_told_apart) {
    const dims shape = {3, 3, 3, 3};
    const array src = random_array(shape);
    for (size_t count = 1; count <= 3; ++count) {
        const dims dst_shape(4 - count, 3);
        const auto compiled = compile_by_tensor(GetParam(), shape, dst_shape, count);
        for (int round = 0; round < 3; ++round)
            for (const axes_list &axes : all_sets(4, count)) {
                const array expected = reduce(GetParam(), src, axes);
                ASSERT_TRUE(are_identical(execute_over(compiled, src, axes, dst_shape).values(), expected.values()));
                ASSERT_TRUE(
                    are_identical(execute_over(compiled, src, shuffled(axes, 4), dst_shape).values(), expected.values()));
            }
    }
}

TEST_P(axes_tensor, without_axes_is_what_the_attribute_without_axes_is) {
    const array src(data_type::f32, {2, 1, 3}, {-1, 2, -0.5, -3, 4, 8});
    for (const bool keep_dims : {false, true}) {
        const array all = reduce(GetParam(), src, {0, 1, 2}, keep_dims);
        const array none = reduce(GetParam(), array(data_type::f32, {2, 1, 3, 1}, src.values()), {3});
        for (const data_type type : axes_types) {
            const auto run_both = [&](const attributes &attrs, const dims &dst_shape, const std::vector<double> &expected) {
                EXPECT_TRUE(are_identical(reduce_by_tensor(GetParam(), src, {}, attrs, dst_shape, type).values(), expected));
                attributes with_list = attrs;
                with_list.emplace_back(op::attr::axes, axes_list{});
                const array by_list = run(GetParam(), with_list, {src});
                EXPECT_EQ(by_list.shape(), dst_shape);
                EXPECT_TRUE(are_identical(by_list.values(), expected));
            };
            run_both(keeping(keep_dims), src.shape(), src.values());
            run_both({{op::attr::keep_dims, keep_dims}, {op::attr::noop_with_empty_axes, false}}, all.shape(), all.values());
            run_both({{op::attr::keep_dims, keep_dims}, {op::attr::noop_with_empty_axes, true}}, src.shape(), none.values());
        }
    }
}

TEST_P(axes_tensor, need_not_be_given_where_the_attribute_says_what_none_means) {
    const array src(data_type::f32, {2, 3}, {-1, 2, -0.5, -3, 4, 8});
    const array all = run(GetParam(), {{op::attr::noop_with_empty_axes, false}}, {src});
    EXPECT_EQ(all.shape(), dims{});
    EXPECT_TRUE(are_identical(all.values(), reduce(GetParam(), src, {0, 1}).values()));
    const array kept = run(GetParam(), {{op::attr::noop_with_empty_axes, false}, {op::attr::keep_dims, true}}, {src});
    EXPECT_EQ(kept.shape(), (dims{1, 1}));
    const array none = run(GetParam(), {{op::attr::noop_with_empty_axes, true}}, {src});
    EXPECT_EQ(none.shape(), src.shape());
    EXPECT_TRUE(are_identical(none.values(), reduce(GetParam(), array(data_type::f32, {2, 3, 1}, src.values()), {2}).values()));
}

TEST_P(axes_tensor, matters_not_to_noop_with_empty_axes_unless_it_is_empty) {
    const array src = random_array({4, 5});
    for (const bool noop : {false, true}) {
        const attributes attrs = {{op::attr::noop_with_empty_axes, noop}};
        const array expected = reduce(GetParam(), src, {1});
        EXPECT_TRUE(are_identical(reduce_by_tensor(GetParam(), src, {1}, attrs, {4}).values(), expected.values()));
    }
}

TEST_P(axes_tensor, of_a_scalar_is_empty) {
    const array src(data_type::f32, {}, {-2.5});
    EXPECT_EQ(reduce_by_tensor(GetParam(), src, {}, {}, {}).values(), std::vector<double>{-2.5});
    const array one = reduce(GetParam(), array(data_type::f32, {1}, {-2.5}), {0});
    for (const bool noop : {false, true})
        EXPECT_TRUE(are_identical(reduce_by_tensor(GetParam(), src, {}, {{op::attr::noop_with_empty_axes, noop}}, {}).values(),
                                  one.values()));
}

INSTANTIATE_TEST_SUITE_P(every, axes_tensor, testing::ValuesIn(reductions),
                         [](const auto &kind) { return name_of(kind.param); });

TEST(axes_tensor_of, rank_12_and_more_than_64) {
    dims shape(12, 2);
    const array src = random_array(shape);
    const auto compiled = compile_by_tensor(op::kind::ReduceSum, shape, dims(6, 2), 6);
    for (const axes_list &axes : {axes_list{0, 2, 4, 6, 8, 10}, {1, 3, 5, 7, 9, 11}, {0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}})
        EXPECT_TRUE(are_identical(execute_over(compiled, src, shuffled(axes, 12), dims(6, 2)).values(),
                                  reduce(op::kind::ReduceSum, src, axes).values()));
    dims tall(80, 1);
    tall[3] = tall[70] = tall[79] = 3;
    const array tall_src = random_array(tall);
    axes_list axes;
    for (int64_t i = 0; i < 80; ++i)
        if (i != 70) axes.push_back(i);
    EXPECT_TRUE(are_identical(reduce_by_tensor(op::kind::ReduceMean, tall_src, shuffled(axes, 80), {}, {3}).values(),
                              reduce(op::kind::ReduceMean, tall_src, axes).values()));
}

TEST(axes_tensor_of, more_sets_than_are_kept) {
    const dims shape(14, 2), dst_shape(7, 2);
    const array src = random_array(shape);
    const auto compiled = compile_by_tensor(op::kind::ReduceMax, shape, dst_shape, 7);
    const auto sets = all_sets(14, 7);
    ASSERT_EQ(sets.size(), 3432U);
    for (size_t i = 0; i < sets.size(); i += 3) // 1144 of them
        (void)execute_over(compiled, src, sets[i], dst_shape);
    for (const size_t i : {0U, 3U, 3000U, 3429U, 1U})
        EXPECT_TRUE(are_identical(execute_over(compiled, src, sets[i], dst_shape).values(),
                                  reduce(op::kind::ReduceMax, src, sets[i]).values()));
}

TEST(axes_tensor_of, types_other_than_f32) {
    for (const data_type type : {data_type::bf16, data_type::f16, data_type::f64, data_type::s8, data_type::u64}) {
        array src(type, {4, 4}, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
        for (const axes_list &axes : {axes_list{0}, {1}})
            EXPECT_TRUE(are_identical(reduce_by_tensor(op::kind::ReduceSum, src, axes, {}, {4}).values(),
                                      reduce(op::kind::ReduceSum, src, axes).values()))
                << name_of(type);
    }
}

TEST(axes_tensor_of, any_strides_and_alignment) {
    const array src = random_array({3, 3, 3, 3});
    const array expected = reduce(op::kind::ReduceSum, src, {1, 3});
    for (const data_type type : axes_types)
        for (const int64_t stride : {1, 2, 5}) {
            array axes = array::strided(type, {2}, {stride});
            axes.misalign(3).set({3, -3});
            array dst(data_type::f32, {3, 3});
            run_into(dst, op::kind::ReduceSum, {}, {src, axes});
            EXPECT_TRUE(are_identical(dst.values(), expected.values())) << name_of(type) << " " << stride;
        }
}

TEST(axes_tensor_of, src_and_dst_of_any_layout) {
    const std::vector<double> values = random_values(data_type::f32, 27, 3);
    const array src(data_type::f32, {3, 3, 3}, values, {3, 1, 9});
    for (const axes_list &axes : all_sets(3, 1)) {
        array dst = array::strided(data_type::f32, {3, 3}, {2, 7});
        run_into(dst, op::kind::ReduceMin, {}, {src, axes_array(data_type::s32, axes)});
        EXPECT_TRUE(are_identical(dst.values(), reduce(op::kind::ReduceMin, src, axes).values()));
    }
}

TEST(axes_tensor_of, dims_of_0) {
    EXPECT_EQ(reduce_by_tensor(op::kind::ReduceProd, array(data_type::f32, {0, 3}), {0}, {}, {3}).values(),
              (std::vector<double>{1, 1, 1}));
    EXPECT_EQ(reduce_by_tensor(op::kind::ReduceSum, array(data_type::f32, {0, 3}), {1}, {}, dims(1, 0)).count(), 0U);
    // Both axes lead to 0 elements or from them.
    const auto compiled = compile_by_tensor(op::kind::ReduceSum, {0, 0}, dims(1, 0), 1);
    for (const axes_list &axes : all_sets(2, 1))
        EXPECT_EQ(execute_over(compiled, array(data_type::f32, {0, 0}), axes, dims(1, 0)).count(), 0U);
}

TEST(axes_tensor_of, src_itself) {
    // One tensor is both: over axis 0 its sum is that axis.
    const logical_tensor src = dense(0, data_type::s64, dims(1, 1));
    const auto compiled = compile_op(op::kind::ReduceSum, {}, {src, src}, dense(dst_id, data_type::s64, {}));
    std::vector<array> srcs = {array(data_type::s64, {1}, {0})};
    array dst(data_type::s64, {});
    execute(compiled, srcs, dst);
    EXPECT_EQ(dst.values(), std::vector<double>{0});
}

/// Compiles (x * y) reduced over a tensor of axes, then + z and its absolute value, as one partition.
compiled_partition compile_chain(const dims &shape, const dims &reduced, size_t count) {
    const auto f32 = [](size_t id, const dims &d) { return dense(id, data_type::f32, d); };
    const logical_tensor axes = dense(1, data_type::s64, dims(1, static_cast<int64_t>(count)));
    graph g(engine::kind::cpu);
    g.add_op(make_op(0, op::kind::Multiply, {}, {f32(0, shape), f32(2, shape)}, f32(10, shape)));
    g.add_op(make_op(1, op::kind::ReduceSum, {}, {f32(10, shape), axes}, f32(11, reduced)));
    g.add_op(make_op(2, op::kind::Add, {}, {f32(11, reduced), f32(3, reduced)}, f32(12, reduced)));
    g.add_op(make_op(3, op::kind::Abs, {}, {f32(12, reduced)}, f32(dst_id, reduced)));
    g.finalize();
    const auto partitions = g.get_partitions();
    EXPECT_EQ(partitions.size(), 1U);
    return partitions.at(0).compile({f32(0, shape), axes, f32(2, shape), f32(3, reduced)}, {f32(dst_id, reduced)}, cpu());
}

TEST(axes_tensor_of, a_reduction_in_the_middle_of_a_chain) {
    const dims shape = {4, 4, 4}, reduced = {4, 4};
    const array x = random_array(shape, 1), y = random_array(shape, 2), z = random_array(reduced, 3);
    const auto compiled = compile_chain(shape, reduced, 1);
    for (const axes_list &axes : all_sets(3, 1)) {
        std::vector<array> srcs = {x, axes_array(data_type::s64, axes), y, z};
        array dst(data_type::f32, reduced);
        execute(compiled, srcs, dst);
        const array sum = reduce(op::kind::ReduceSum, run(op::kind::Multiply, {}, {x, y}), axes);
        const array expected = run(op::kind::Abs, {}, {run(op::kind::Add, {}, {sum, z})});
        EXPECT_TRUE(are_within(dst, {reduced, expected.values(), std::vector<double>(16, 1e-5)}));
    }
}

} // namespace
