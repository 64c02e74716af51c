// Many threads execute one compiled partition over many sets of axes at once.
#include <atomic>
#include <thread>

#include "support/axes_tensor.hpp"

using namespace onefold_test;

namespace {

constexpr size_t thread_count = 8;

struct set_of_axes {
    axes_list axes;
    std::vector<double> expected;
};

/// All sets of `count` axes of a shape, and what the attribute gives for them.
std::vector<set_of_axes> make_sets(const array &src, size_t count) {
    std::vector<set_of_axes> sets;
    for (const axes_list &axes : all_sets(static_cast<int64_t>(src.shape().size()), count))
        sets.push_back({axes, reduce(op::kind::ReduceL1, src, axes, false, 1).values()});
    return sets;
}

array make_src(const dims &shape) {
    std::vector<double> values(count_of(shape));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(i % 251) - 100;
    return {data_type::f32, shape, values};
}

/// Executes the sets in an order of the thread's own; how many gave something else.
int count_wrong(const compiled_partition &compiled, const array &src, const dims &dst_shape,
                const std::vector<set_of_axes> &sets, size_t thread) {
    int wrong = 0;
    std::vector<array> srcs = {src, axes_array(data_type::s64, sets[0].axes)};
    array dst(data_type::f32, dst_shape);
    for (size_t i = 0; i < 2 * sets.size(); ++i) {
        const set_of_axes &set = sets[(i * (2 * thread + 1) + thread) % sets.size()];
        srcs[1].set({set.axes.begin(), set.axes.end()});
        execute(compiled, srcs, dst, 1);
        wrong += !are_identical(dst.values(), set.expected);
    }
    return wrong;
}

void run_in_threads(const dims &shape, size_t count) {
    const array src = make_src(shape);
    const auto sets = make_sets(src, count);
    const dims dst_shape(shape.size() - count, shape[0]);
    const auto compiled = compile_by_tensor(op::kind::ReduceL1, shape, dst_shape, count);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < thread_count; ++t)
        threads.emplace_back([&, t] { wrong += count_wrong(compiled, src, dst_shape, sets, t); });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(wrong, 0) << "of " << 2 * sets.size() * thread_count;
}

TEST(threads_axes, one_set_that_is_new_to_all) {
    for (int round = 0; round < 20; ++round)
        run_in_threads({7, 7}, 1);
}

TEST(threads_axes, many_sets) { run_in_threads(dims(8, 2), 4); }

TEST(threads_axes, sets_of_work_for_many_threads) { run_in_threads({60, 60, 60}, 1); }

} // namespace
