// From a graph to numbers: compiling, querying, executing.
#include <algorithm>
#include <cstring>

#include "api/helpers.hpp"

namespace onefold_test {
namespace {

const logical_tensor src = f32(0, {2, 3});
const logical_tensor open_dst(1, data_type::f32);
const std::vector<float> rows = {1, 2, 3, 4, 5, 6};

struct compiled_partition_test : testing::Test {
    engine cpu{engine::kind::cpu, 0};
    stream s{cpu};
    std::vector<float> x = rows;
    std::vector<float> y = std::vector<float>(8, -1);

    tensor x_tensor(const logical_tensor &lt = src) { return {lt, cpu, x.data()}; }
    tensor y_tensor(const logical_tensor &lt) { return {lt, cpu, y.data()}; }
    std::vector<float> result(size_t count) const { return {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(count)}; }
};

TEST_F(compiled_partition_test, finds_what_the_output_leaves_open) {
    const auto compiled = partition_of(reduce_mean(0, src, open_dst)).compile({src}, {open_dst}, cpu);
    const auto dst = compiled.query_logical_tensor(1);
    EXPECT_EQ(dst.get_dims(), dims(1, 2));
    EXPECT_EQ(dst.get_strides(), dims(1, 1));
    EXPECT_EQ(dst.get_layout_type(), layout_type::strided);
    EXPECT_EQ(dst.get_mem_size(), 8U);
    EXPECT_TRUE(compiled.query_logical_tensor(0).is_equal(src));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"77"}, [&] { compiled.query_logical_tensor(77); }));
    compiled.execute(s, {x_tensor()}, {y_tensor(dst)});
    EXPECT_EQ(result(3), (std::vector<float>{2, 5, -1}));
    EXPECT_FALSE(compiled.get_info().empty());
}

TEST_F(compiled_partition_test, reads_a_tensor_of_axes_at_each_execution) {
    const logical_tensor square = f32(0, {2, 2}), axes(2, data_type::s64, dims(1, 1), layout_type::strided),
                         dst = f32(1, dims(1, 2));
    const auto compiled = partition_of(op(0, op::kind::ReduceMean, {square, axes}, {dst})).compile({square, axes}, {dst}, cpu);
    EXPECT_TRUE(compiled.get_inplace_ports().empty());
    int64_t axis = 0;
    const auto execute = [&](int64_t value) {
        axis = value;
        compiled.execute(s, {tensor(axes, cpu, &axis), x_tensor(square)}, {y_tensor(dst)});
        return result(3);
    };
    EXPECT_EQ(execute(1), (std::vector<float>{1.5, 3.5, -1}));
    EXPECT_EQ(execute(-2), (std::vector<float>{2, 3, -1}));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 0 (ReduceMean)", "axis 2"}, [&] { execute(2); }));
    EXPECT_EQ(result(3), (std::vector<float>{2, 3, -1}));
    EXPECT_EQ(axis, 2);
}

TEST_F(compiled_partition_test, dims_unknown_in_the_graph_are_given_at_compile) {
    const logical_tensor unknown_src(0, data_type::f32, {ONEFOLD_UNKNOWN_DIM, ONEFOLD_UNKNOWN_DIM}, layout_type::undef);
    const partition p = partition_of(reduce_mean(0, unknown_src, open_dst));
    for (const int64_t count : {3, 2, 1}) { // one partition, several shapes
        const logical_tensor known = f32(0, {2, count});
        const auto compiled = p.compile({known}, {open_dst}, cpu);
        compiled.execute(s, {x_tensor(known)}, {y_tensor(compiled.query_logical_tensor(1))});
        const auto mean = static_cast<float>(count + 1) / 2;
        EXPECT_EQ(result(2), (std::vector<float>{mean, mean + static_cast<float>(count)}));
    }
    EXPECT_THROW(p.compile({unknown_src}, {open_dst}, cpu), error);
}

TEST_F(compiled_partition_test, output_layout_any_becomes_strided) {
    const logical_tensor any(1, data_type::f32, {2, 3}, layout_type::any);
    const op o(0, op::kind::Abs, {src}, {any});
    const auto compiled = partition_of(o).compile({src}, {any}, cpu);
    const auto dst = compiled.query_logical_tensor(1);
    EXPECT_EQ(dst.get_layout_type(), layout_type::strided);
    EXPECT_EQ(dst.get_mem_size(), 24U);
    compiled.execute(s, {x_tensor()}, {y_tensor(dst)});
    EXPECT_EQ(result(6), rows);
}

TEST_F(compiled_partition_test, output_strides_are_kept) {
    const logical_tensor transposed(1, data_type::f32, {2, 3}, dims{1, 2});
    const op o(0, op::kind::Abs, {src}, {transposed});
    const auto compiled = partition_of(o).compile({src}, {transposed}, cpu);
    EXPECT_EQ(compiled.query_logical_tensor(1).get_strides(), (dims{1, 2}));
    compiled.execute(s, {x_tensor()}, {y_tensor(transposed)});
    EXPECT_EQ(result(6), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST_F(compiled_partition_test, in_place_ports_may_share_a_buffer) {
    const op o(0, op::kind::Square, {src}, {open_dst});
    const auto compiled = partition_of(o).compile({src}, {open_dst}, cpu);
    ASSERT_EQ(compiled.get_inplace_ports(), (std::vector<std::pair<size_t, size_t>>{{0, 1}}));
    compiled.execute(s, {x_tensor()}, {tensor(compiled.query_logical_tensor(1), cpu, x.data())});
    EXPECT_EQ(x, (std::vector<float>{1, 4, 9, 16, 25, 36}));
    const auto mean = partition_of(reduce_mean(0, src, open_dst)).compile({src}, {open_dst}, cpu);
    EXPECT_TRUE(mean.get_inplace_ports().empty());
}

TEST_F(compiled_partition_test, scratch_memory_may_be_the_callers) {
    // A strided source and axes that are not trailing, so that some lowering needs scratch memory.
    const logical_tensor wide(0, data_type::f16, {40, 33, 50}, layout_type::strided);
    const logical_tensor dst(1, data_type::f16);
    const auto compiled = partition_of(reduce_mean(0, wide, dst, {0, 2})).compile({wide}, {dst}, cpu);
    const tensor ones(wide, cpu);
    std::fill_n(static_cast<uint16_t *>(ones.get_data_handle()), 40 * 33 * 50, uint16_t{0x3c00});
    const tensor means(compiled.query_logical_tensor(1), cpu);
    auto *mean = static_cast<uint16_t *>(means.get_data_handle());

    const auto scratchpad = compiled.get_scratchpad_logical_tensor();
    EXPECT_EQ(scratchpad.get_data_type(), data_type::u8);
    ASSERT_EQ(scratchpad.get_dims().size(), 1U);
    const size_t size = scratchpad.get_mem_size();
    std::vector<unsigned char> memory(size + 1, 0xaa);
    for (size_t offset = 0; offset <= 1; ++offset) { // of any alignment
        mean[32] = 0;
        compiled.execute(s, {ones}, {means}, tensor(scratchpad, cpu, memory.data() + offset));
        EXPECT_EQ(mean[32], 0x3c00);
    }
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"empty"}, [&] { compiled.execute(s, {ones}, {means}, tensor()); }));
    if (size == 0) return;
    const logical_tensor too_small(SIZE_MAX, data_type::u8, {1, 1}, layout_type::strided);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"scratchpad", "too small"},
                      [&] { compiled.execute(s, {ones}, {means}, tensor(too_small, cpu, memory.data())); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"scratchpad", "no buffer"},
                      [&] { compiled.execute(s, {ones}, {means}, tensor(scratchpad, cpu, nullptr)); }));
}

TEST_F(compiled_partition_test, runs_in_a_streams_own_threads) {
    const auto compiled = partition_of(reduce_mean(0, src, open_dst)).compile({src}, {open_dst}, cpu);
    for (const unsigned threads : {1U, 2U, 3U}) {
        stream own(cpu, threads);
        std::fill(y.begin(), y.end(), -1.0F);
        compiled.execute(own, {x_tensor()}, {y_tensor(compiled.query_logical_tensor(1))});
        EXPECT_EQ(result(2), (std::vector<float>{2, 5}));
    }
}

TEST_F(compiled_partition_test, outlives_everything_it_came_from) {
    compiled_partition compiled;
    {
        const engine other(engine::kind::cpu, 0);
        compiled = partition(reduce_mean(0, src, open_dst), engine::kind::cpu).compile({src}, {open_dst}, other);
    }
    compiled.execute(s, {x_tensor()}, {y_tensor(compiled.query_logical_tensor(1))});
    EXPECT_EQ(result(2), (std::vector<float>{2, 5}));
}

TEST_F(compiled_partition_test, matches_tensors_by_id_in_any_order) {
    const logical_tensor divisor = f32(5, {2, 1});
    const op o(0, op::kind::Divide, {src, divisor}, {open_dst});
    const auto compiled = partition_of(o).compile({divisor, src}, {open_dst}, cpu);
    std::vector<float> halves = {2, 4};
    compiled.execute(s, {tensor(divisor, cpu, halves.data()), x_tensor()}, {y_tensor(compiled.query_logical_tensor(1))});
    EXPECT_EQ(result(6), (std::vector<float>{0.5F, 1, 1.5F, 1, 1.25F, 1.5F}));
}

TEST_F(compiled_partition_test, takes_more_tensors_than_fit_on_the_stack) {
    // A chain of 19 additions: 20 inputs.
    graph g(engine::kind::cpu);
    std::vector<logical_tensor> inputs = {src};
    std::vector<tensor> tensors = {x_tensor()};
    for (size_t i = 0; i < 19; ++i) {
        inputs.push_back(f32(100 + i, {2, 3}));
        tensors.push_back(x_tensor(inputs.back()));
        const logical_tensor left = i == 0 ? src : logical_tensor(200 + i, data_type::f32);
        g.add_op(op(i, op::kind::Add, {left, inputs.back()}, {logical_tensor(201 + i, data_type::f32)}));
    }
    g.finalize();
    const auto partitions = g.get_partitions();
    ASSERT_EQ(partitions.size(), 1U);
    const auto compiled = partitions[0].compile(inputs, {logical_tensor(219, data_type::f32)}, cpu);
    compiled.execute(s, tensors, {y_tensor(compiled.query_logical_tensor(219))});
    EXPECT_EQ(result(6), (std::vector<float>{20, 40, 60, 80, 100, 120}));
}

TEST_F(compiled_partition_test, compile_explains_what_it_refuses) {
    const partition p = partition_of(reduce_mean(4, src, open_dst, {2}));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 4 (ReduceMean)", "axis 2"}, [&] { p.compile({src}, {open_dst}, cpu); }));
    const partition good = partition_of(reduce_mean(4, src, open_dst));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"0"}, [&] { good.compile({}, {open_dst}, cpu); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"1"}, [&] { good.compile({src}, {}, cpu); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"inputs[0]"}, [&] { good.compile({logical_tensor()}, {open_dst}, cpu); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"engine"}, [&] { good.compile({src}, {open_dst}, engine()); }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"op 4 (ReduceMean)"}, [&] { good.compile({src}, {f32(1, {2, 2})}, cpu); }));
}

TEST_F(compiled_partition_test, execute_explains_what_it_refuses_and_writes_nothing) {
    const auto compiled = partition_of(reduce_mean(0, src, open_dst)).compile({src}, {open_dst}, cpu);
    const logical_tensor dst = compiled.query_logical_tensor(1);
    const auto refused = [&](std::initializer_list<const char *> words, auto &&call) {
        return fails(onefold_invalid_arguments, words, call);
    };
    EXPECT_TRUE(refused({"0"}, [&] { compiled.execute(s, {}, {y_tensor(dst)}); }));
    EXPECT_TRUE(refused({"1"}, [&] { compiled.execute(s, {x_tensor()}, {}); }));
    EXPECT_TRUE(refused({"inputs[0]"}, [&] { compiled.execute(s, {tensor()}, {y_tensor(dst)}); }));
    EXPECT_TRUE(refused({"outputs[0]"}, [&] { compiled.execute(s, {x_tensor()}, {tensor()}); }));
    EXPECT_TRUE(refused({"0"}, [&] { compiled.execute(s, {tensor(src, cpu, nullptr)}, {y_tensor(dst)}); }));
    EXPECT_TRUE(refused({"1"}, [&] { compiled.execute(s, {x_tensor()}, {tensor(dst, cpu, nullptr)}); }));
    EXPECT_TRUE(refused({"0"}, [&] { compiled.execute(s, {x_tensor(f32(0, {3, 2}))}, {y_tensor(dst)}); }));
    stream empty;
    EXPECT_TRUE(refused({"stream"}, [&] { compiled.execute(empty, {x_tensor()}, {y_tensor(dst)}); }));
    EXPECT_EQ(y, std::vector<float>(8, -1));
}

TEST_F(compiled_partition_test, needs_no_buffers_for_empty_tensors) {
    const logical_tensor none = f32(0, {0, 3});
    const auto compiled = partition_of(reduce_mean(0, none, open_dst)).compile({none}, {open_dst}, cpu);
    const logical_tensor dst = compiled.query_logical_tensor(1);
    EXPECT_EQ(dst.get_dims(), dims(1, 0));
    EXPECT_NO_THROW(compiled.execute(s, {tensor(none, cpu, nullptr)}, {tensor(dst, cpu)}));
}

} // namespace
} // namespace onefold_test
