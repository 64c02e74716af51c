// Many threads execute one compiled partition over many dims at once, more than it keeps plans for; many compile at once.
#include <atomic>
#include <thread>

#include "support/run_op.hpp"

using namespace onefold_test;

namespace {

constexpr size_t thread_count = 8;

template <typename Body>
void in_threads(const Body &body) {
    std::vector<std::thread> threads;
    for (size_t t = 0; t < thread_count; ++t)
        threads.emplace_back([&body, t] { body(t); });
    for (std::thread &t : threads)
        t.join();
}

compiled_partition open_abs() {
    return compile_op(op::kind::Abs, {}, {logical_tensor(0, data_type::f32, 1, layout_type::any)},
                      open_tensor(dst_id, data_type::f32));
}

/// Whether executing over n elements gives n results.
bool is_right(const compiled_partition &open, stream &s, int64_t n, std::vector<float> &src, std::vector<float> &dst) {
    const auto size = static_cast<size_t>(n);
    src.assign(size, -static_cast<float>(n));
    dst.assign(size + 1, 0);
    open.execute(s, {tensor(dense(0, data_type::f32, {n}), cpu(), src.data())},
                 {tensor(dense(dst_id, data_type::f32, {n}), cpu(), dst.data())});
    return std::count(dst.begin(), dst.end(), static_cast<float>(n)) == n && dst.back() == 0;
}

TEST(threads_dims, one_that_is_new_to_all) {
    const auto open = open_abs();
    std::atomic<int> wrong{0};
    in_threads([&](size_t) {
        stream s(cpu());
        std::vector<float> src, dst;
        for (int64_t n = 1; n < 40; ++n)
            wrong += !is_right(open, s, n, src, dst);
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads_dims, more_than_are_kept) {
    const auto open = open_abs();
    std::atomic<int> wrong{0};
    in_threads([&](size_t t) {
        stream s(cpu());
        std::vector<float> src, dst;
        for (size_t i = 0; i < 1000; ++i)
            wrong += !is_right(open, s, static_cast<int64_t>((i * (2 * t + 1) + 160 * t) % 1280 + 1), src, dst);
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads_dims, and_axes_with_few_plans_kept_of_each) {
    // 64 dims and 16 sets of axes for each are kept.
    const auto open = compile_op(op::kind::ReduceSum, {},
                                 {logical_tensor(0, data_type::f32, 4, layout_type::any), dense(1, data_type::s32, {2})},
                                 open_tensor(dst_id, data_type::f32));
    std::atomic<int> wrong{0};
    in_threads([&](size_t t) {
        stream s(cpu());
        for (size_t i = 0; i < 300; ++i) {
            const auto n = static_cast<int64_t>((i + 10 * t) % 80 + 1);
            const dims shape = {2, n, 2, n};
            std::vector<float> src(count_of(shape), 1), dst(4, 0);
            const std::vector<int32_t> axes = i % 3 == 0 ? std::vector{1, 3} : std::vector{3, -3};
            open.execute(s,
                         {tensor(dense(0, data_type::f32, shape), cpu(), src.data()),
                          tensor(dense(1, data_type::s32, {2}), cpu(), const_cast<int32_t *>(axes.data()))},
                         {tensor(dense(dst_id, data_type::f32, {2, 2}), cpu(), dst.data())});
            wrong += dst != std::vector<float>(4, static_cast<float>(n * n));
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads_dims, partitions_are_compiled_executed_and_let_go_of_at_once) {
    const int capacity = get_compiled_partition_cache_capacity();
    set_compiled_partition_cache_capacity(3);
    const logical_tensor src(0, data_type::f32, 1, layout_type::any);
    const partition abs(make_op(0, op::kind::Abs, {}, {src}, open_tensor(dst_id, data_type::f32)), engine::kind::cpu);
    std::atomic<int> wrong{0};
    in_threads([&](size_t t) {
        stream s(cpu());
        std::vector<float> x, y;
        for (size_t i = 0; i < 200; ++i) {
            const auto n = static_cast<int64_t>((i + t) % 7 + 1);
            const auto compiled = abs.compile({dense(0, data_type::f32, {n})}, {open_tensor(dst_id, data_type::f32)}, cpu());
            wrong += !is_right(compiled, s, n, x, y);
        }
    });
    set_compiled_partition_cache_capacity(capacity);
    EXPECT_EQ(wrong, 0);
}

} // namespace
