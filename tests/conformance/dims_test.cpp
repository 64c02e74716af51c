// Dims that compile() does not know: executions bring them.
#include "support/axes_tensor.hpp"

using namespace onefold_test;

namespace {

constexpr int64_t any_dim = ONEFOLD_UNKNOWN_DIM;

logical_tensor open_rank(size_t id, int32_t rank, layout_type layout = layout_type::strided) {
    return {id, data_type::f32, rank, layout};
}

/// 0.5, 1.5, 2.5, ... in row-major order, wherever they lie.
array counted(const dims &shape, const dims &strides) {
    std::vector<double> values(count_of(shape));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i % 1000) + 0.5;
    return {data_type::f32, shape, values, strides};
}
array counted(const dims &shape) { return counted(shape, row_major(shape)); }

/// Executes with a dst of the dims given, and compares with a compilation for just these.
void check(const compiled_partition &open, op::kind kind, const attributes &attrs, std::vector<array> srcs) {
    const array expected = run(kind, attrs, srcs);
    array dst(data_type::f32, expected.shape());
    execute(open, srcs, dst);
    EXPECT_TRUE(are_identical(dst.values(), expected.values())) << testing::PrintToString(srcs[0].shape());
}

compiled_partition open_mean(layout_type layout = layout_type::strided) {
    return compile_op(op::kind::ReduceMean, over({-1}), {open_rank(0, 3, layout)}, open_tensor(dst_id, data_type::f32));
}

TEST(dims, of_reductions_come_with_the_tensors) {
    for (const layout_type layout : {layout_type::strided, layout_type::any}) {
        const auto open = open_mean(layout);
        for (int round = 0; round < 2; ++round)
            for (const dims &shape : std::vector<dims>{{2, 3, 4}, {4, 3, 2}, {1, 1, 1}, {5, 0, 7}, {5, 7, 0}, {30, 40, 500}})
                check(open, op::kind::ReduceMean, over({-1}), {counted(shape)});
    }
}

TEST(dims, and_strides_come_with_the_tensors) {
    const auto open = open_mean();
    for (int round = 0; round < 2; ++round)
        for (const dims &strides : std::vector<dims>{{12, 4, 1}, {1, 2, 6}, {100, 20, 3}, {4, 0, 1}})
            check(open, op::kind::ReduceMean, over({-1}),
                  {strides[1] == 0 ? array(data_type::f32, {2, 3, 4}, std::vector<double>(24, 3), strides)
                                   : counted({2, 3, 4}, strides)});
    // A dst of its own strides: its gaps stay as they are.
    array src = counted({2, 3, 4}), dst = array::strided(data_type::f32, {2, 3}, {10, 3});
    std::vector<array> srcs = {src};
    execute(open, srcs, dst);
    EXPECT_TRUE(are_identical(dst.values(), reduce(op::kind::ReduceMean, src, {-1}).values()));
    EXPECT_TRUE(dst.gaps_are_untouched());
}

TEST(dims, may_be_known_in_part) {
    const logical_tensor src(0, data_type::f32, {any_dim, 8}, layout_type::any), row = dense(1, data_type::f32, {8});
    const auto open = compile_op(op::kind::Add, {}, {src, row}, open_tensor(dst_id, data_type::f32));
    for (const int64_t n : {1, 5, 1000})
        check(open, op::kind::Add, {}, {counted({n, 8}), counted({8})});
    array wrong = counted({3, 9}), ok = counted({8}), dst(data_type::f32, {3, 9});
    std::vector<array> srcs = {wrong, ok};
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"input tensor 0", "3x9", "?x8"}, [&] { execute(open, srcs, dst); }));
    EXPECT_TRUE(dst.gaps_are_untouched());
}

TEST(dims, broadcast_as_they_come) {
    const auto open =
        compile_op(op::kind::Multiply, {}, {open_rank(0, 2), open_rank(1, 2)}, open_tensor(dst_id, data_type::f32));
    for (const auto &[a, b] :
         std::vector<std::pair<dims, dims>>{{{3, 4}, {3, 4}}, {{3, 1}, {1, 4}}, {{1, 4}, {3, 4}}, {{1, 1}, {9, 9}}})
        check(open, op::kind::Multiply, {}, {counted(a), counted(b)});
}

TEST(dims, of_chains_come_too) {
    graph g(engine::kind::cpu);
    const logical_tensor src = open_rank(0, 2), middle = open_tensor(1, data_type::f32), bias = open_rank(2, 1);
    g.add_op(make_op(0, op::kind::ReduceSum, over({0}), {src}, middle));
    g.add_op(make_op(1, op::kind::Add, {}, {middle, bias}, open_tensor(dst_id, data_type::f32)));
    g.finalize();
    const auto partitions = g.get_partitions();
    ASSERT_EQ(partitions.size(), 1U);
    const auto open = partitions[0].compile({src, bias}, {open_tensor(dst_id, data_type::f32)}, cpu());
    for (const int64_t n : {3, 4, 300}) {
        array x(data_type::f32, {5, n}, std::vector<double>(static_cast<size_t>(5 * n), 2));
        array b(data_type::f32, {n}, std::vector<double>(static_cast<size_t>(n), 0.25)), dst(data_type::f32, {n});
        stream s(cpu());
        open.execute(s, {tensor(x.describe(0), cpu(), x.data()), tensor(b.describe(2), cpu(), b.data())},
                     {tensor(dst.describe(dst_id), cpu(), dst.data())});
        EXPECT_EQ(dst.values(), std::vector<double>(static_cast<size_t>(n), 10.25));
    }
}

TEST(dims, and_axes_may_both_be_unknown) {
    const logical_tensor axes = dense(1, data_type::s32, {1});
    const auto open = compile_op(op::kind::ReduceSum, {}, {open_rank(0, 2), axes}, open_tensor(dst_id, data_type::f32));
    for (int round = 0; round < 2; ++round)
        for (const dims &shape : std::vector<dims>{{3, 3}, {3, 5}, {7, 7}, {1, 4}})
            for (const int64_t axis : {0, 1, -1}) {
                const array src = counted(shape), expected = reduce(op::kind::ReduceSum, src, {axis});
                std::vector<array> srcs = {src, axes_array(data_type::s32, {axis})};
                array dst(data_type::f32, expected.shape());
                execute(open, srcs, dst);
                EXPECT_TRUE(are_identical(dst.values(), expected.values())) << testing::PrintToString(shape) << axis;
            }
    std::vector<array> srcs = {counted({3, 3}), axes_array(data_type::s32, {2})};
    array dst(data_type::f32, {3});
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 0", "axis 2"}, [&] { execute(open, srcs, dst); }));
}

TEST(dims, and_the_number_of_axes_too) {
    const logical_tensor axes(1, data_type::s64, 1, layout_type::any);
    const auto open = compile_op(op::kind::ReduceSum, {}, {open_rank(0, 3), axes}, open_tensor(dst_id, data_type::f32));
    for (const axes_list &list : std::vector<axes_list>{{0}, {1}, {0, 2}, {0, 1, 2}, {1, 2}}) {
        const array src = counted({2, 2, 2}), expected = reduce(op::kind::ReduceSum, src, list);
        std::vector<array> srcs = {src, axes_array(data_type::s64, list)};
        array dst(data_type::f32, expected.shape());
        execute(open, srcs, dst);
        EXPECT_TRUE(are_identical(dst.values(), expected.values())) << testing::PrintToString(list);
    }
}

TEST(dims, more_than_are_kept_are_right_all_the_same) {
    const auto open = compile_op(op::kind::Abs, {}, {open_rank(0, 1)}, open_tensor(dst_id, data_type::f32));
    std::vector<array> srcs;
    stream s(cpu());
    std::vector<float> src(1300, -2), dst;
    for (const int64_t first : {1, 200, 1})
        for (int64_t n = first; n <= 1300; ++n) {
            dst.assign(1301, 7);
            const logical_tensor in = dense(0, data_type::f32, {n}), out = dense(dst_id, data_type::f32, {n});
            open.execute(s, {tensor(in, cpu(), src.data())}, {tensor(out, cpu(), dst.data())});
            ASSERT_EQ(std::count(dst.begin(), dst.end(), 2.0F), n);
        }
}

TEST(dims, that_are_unknown_are_what_queries_give_back) {
    const logical_tensor src(0, data_type::f32, {any_dim, 8}, layout_type::any);
    const auto open = compile_op(op::kind::Abs, {}, {src}, open_rank(dst_id, 2));
    EXPECT_EQ(open.query_logical_tensor(0).get_dims(), (dims{any_dim, 8}));
    EXPECT_EQ(open.query_logical_tensor(0).get_layout_type(), layout_type::strided);
    EXPECT_EQ(open.query_logical_tensor(0).get_strides(), (dims{any_dim, any_dim}));
    EXPECT_EQ(open.query_logical_tensor(dst_id).get_dims(), (dims{any_dim, any_dim}));
    EXPECT_TRUE(open.get_inplace_ports().empty());
    EXPECT_EQ(open.get_scratchpad_logical_tensor().get_dims(), (dims(1, 0)));
    EXPECT_NE(open.get_info().find("dims"), std::string::npos) << open.get_info();
}

TEST(dims, of_an_output_must_be_those_that_shape_inference_gives) {
    const auto open = open_mean();
    for (int round = 0; round < 2; ++round) {
        std::vector<array> srcs = {counted({2, 3, 4})};
        for (const dims &shape : std::vector<dims>{{3, 2}, {6}, {2, 3, 1}, {}}) {
            array dst(data_type::f32, shape, std::vector<double>(count_of(shape), 77));
            const auto before = dst.memory();
            EXPECT_TRUE(
                fails(onefold_invalid_shape, {"op 0 (ReduceMean)", "tensor 100", "2x3"}, [&] { execute(open, srcs, dst); }));
            EXPECT_EQ(dst.memory(), before);
        }
        array right(data_type::f32, {2, 3});
        execute(open, srcs, right);
    }
    const auto fixed_dst = compile_op(op::kind::Abs, {}, {open_rank(0, 2)},
                                      logical_tensor(dst_id, data_type::f32, {any_dim, 8}, layout_type::any));
    std::vector<array> srcs = {counted({2, 9})};
    array dst(data_type::f32, {2, 9});
    EXPECT_TRUE(fails(onefold_invalid_shape, {"output tensor 100", "2x9", "?x8"}, [&] { execute(fixed_dst, srcs, dst); }));
}

TEST(dims, that_are_wrong_are_refused) {
    const auto open = open_mean();
    stream s(cpu());
    std::vector<float> memory(100, 5);
    const auto run_with = [&](const logical_tensor &src, const logical_tensor &dst) {
        open.execute(s, {tensor(src, cpu(), memory.data())}, {tensor(dst, cpu(), memory.data() + 50)});
    };
    const logical_tensor src = dense(0, data_type::f32, {2, 3, 4}), dst = dense(dst_id, data_type::f32, {2, 3});
    EXPECT_TRUE(
        fails(onefold_invalid_arguments, {"input tensor 0", "dims must be known"}, [&] { run_with(open_rank(0, 3), dst); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"output tensor 100", "dims must be known"},
                      [&] { run_with(src, open_tensor(dst_id, data_type::f32)); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"input tensor 0", "2x3"}, [&] {
        run_with(dense(0, data_type::f32, {2, 3}), dst);
    }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"input tensor 0", "bf16"}, [&] {
        run_with(dense(0, data_type::bf16, {2, 3, 4}), dst);
    }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"overlap"}, [&] {
        run_with(src, logical_tensor(dst_id, data_type::f32, {2, 3}, dims{1, 1}));
    }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"tensor 0", "no buffer"},
                      [&] { open.execute(s, {tensor(src, cpu(), nullptr)}, {tensor(dst, cpu(), memory.data())}); }));
    EXPECT_EQ(memory, std::vector<float>(100, 5));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"tensor 0", "unknown rank"}, [&] {
        compile_op(op::kind::Abs, {}, {logical_tensor(0, data_type::f32, layout_type::any)},
                   open_tensor(dst_id, data_type::f32));
    }));
}

TEST(dims, of_inputs_that_do_not_go_together_are_refused_when_they_come) {
    const auto open = compile_op(op::kind::Add, {}, {open_rank(0, 2), open_rank(1, 2)}, open_tensor(dst_id, data_type::f32));
    std::vector<array> srcs = {counted({2, 3}), counted({2, 4})};
    array dst(data_type::f32, {2, 4}, std::vector<double>(8, 7));
    for (int round = 0; round < 2; ++round)
        EXPECT_TRUE(fails(onefold_invalid_shape, {"op 0 (Add)", "2x3", "2x4"}, [&] { execute(open, srcs, dst); }));
    EXPECT_EQ(dst.values(), std::vector<double>(8, 7));
}

TEST(dims, of_a_tensor_without_a_layout_are_row_major) {
    const auto open = open_mean();
    array src = counted({2, 3, 4}), dst(data_type::f32, {2, 3});
    stream s(cpu());
    open.execute(s, {tensor(logical_tensor(0, data_type::f32, {2, 3, 4}, layout_type::any), cpu(), src.data())},
                 {tensor(logical_tensor(dst_id, data_type::f32, {2, 3}, layout_type::any), cpu(), dst.data())});
    EXPECT_TRUE(are_identical(dst.values(), reduce(op::kind::ReduceMean, src, {-1}).values()));
}

} // namespace
