// What is compiled again is what was compiled before.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "api/helpers.hpp"

namespace onefold_test {
namespace {

struct compiled_partition_cache : testing::Test {
    compiled_partition_cache() { set_compiled_partition_cache_capacity(1024); }
    ~compiled_partition_cache() override { set_compiled_partition_cache_capacity(1024); }

    engine cpu{engine::kind::cpu, 0};
    logical_tensor src = f32(0, {20, 30});
    logical_tensor dst{1, data_type::f32};
    partition mean = partition_of(reduce_mean(0, logical_tensor(0, data_type::f32, 2, layout_type::any), dst));

    compiled_partition compile(int64_t rows) { return mean.compile({f32(0, {rows, 3})}, {dst}, cpu); }
};

/// Handles differ; what belongs to the object is at one place in memory.
bool are_the_same(const compiled_partition &a, const compiled_partition &b) {
    const char *info_a = nullptr, *info_b = nullptr;
    error::wrap_c_api(onefold_compiled_partition_get_info(a.get(), &info_a));
    error::wrap_c_api(onefold_compiled_partition_get_info(b.get(), &info_b));
    return info_a == info_b;
}

TEST_F(compiled_partition_cache, gives_the_same_object_for_the_same_tensors) {
    const compiled_partition first = mean.compile({src}, {dst}, cpu);
    EXPECT_TRUE(are_the_same(first, mean.compile({src}, {dst}, cpu)));
    EXPECT_TRUE(are_the_same(first, mean.compile({f32(0, {20, 30})}, {logical_tensor(1, data_type::f32)}, cpu)));
}

TEST_F(compiled_partition_cache, does_not_ask_for_the_order_of_ports) {
    const logical_tensor a = f32(0, {2, 3}), b = f32(1, {3}), sum(2, data_type::f32);
    const partition add = partition_of(op(0, op::kind::Add, {a, b}, {sum}));
    EXPECT_TRUE(are_the_same(add.compile({a, b}, {sum}, cpu), add.compile({b, a}, {sum}, cpu)));
}

TEST_F(compiled_partition_cache, tells_apart_all_that_compiling_depends_on) {
    const compiled_partition first = mean.compile({src}, {dst}, cpu);
    const std::vector<compiled_partition> others = {
        mean.compile({f32(0, {30, 20})}, {dst}, cpu),
        mean.compile({logical_tensor(0, data_type::f32, {20, 30}, dims{1, 20})}, {dst}, cpu),
        mean.compile({src}, {f32(1, {20})}, cpu),
        mean.compile({src}, {logical_tensor(1, data_type::f32, dims(1, 20), dims(1, 2))}, cpu),
        mean.compile({src}, {dst}, engine(engine::kind::cpu, 0)),
        partition_of(reduce_mean(0, src, dst)).compile({src}, {dst}, cpu), // alike, but another partition
    };
    for (size_t i = 0; i < others.size(); ++i)
        EXPECT_FALSE(are_the_same(first, others[i])) << i;
}

TEST_F(compiled_partition_cache, tells_apart_what_the_environment_asks_for) {
    const compiled_partition first = mean.compile({src}, {dst}, cpu);
    ASSERT_EQ(setenv("ONEFOLD_LOWERING", "simd", 1), 0);
    const compiled_partition other = mean.compile({src}, {dst}, cpu);
    unsetenv("ONEFOLD_LOWERING");
    EXPECT_FALSE(are_the_same(first, other));
    EXPECT_TRUE(are_the_same(first, mean.compile({src}, {dst}, cpu)));
}

TEST_F(compiled_partition_cache, keeps_what_was_asked_for_last) {
    set_compiled_partition_cache_capacity(2);
    EXPECT_EQ(get_compiled_partition_cache_capacity(), 2);
    const auto one = compile(1), two = compile(2);
    EXPECT_TRUE(are_the_same(one, compile(1)));
    const auto three = compile(3); // instead of 2
    EXPECT_TRUE(are_the_same(one, compile(1)));
    EXPECT_TRUE(are_the_same(three, compile(3)));
    EXPECT_FALSE(are_the_same(two, compile(2)));
    EXPECT_EQ(two.query_logical_tensor(1).get_dims(), dims(1, 2)) << "who holds one can use it";
}

TEST_F(compiled_partition_cache, follows_its_capacity) {
    const auto one = compile(1), two = compile(2);
    set_compiled_partition_cache_capacity(1);
    EXPECT_TRUE(are_the_same(two, compile(2)));
    EXPECT_FALSE(are_the_same(one, compile(1)));
    set_compiled_partition_cache_capacity(0);
    EXPECT_FALSE(are_the_same(compile(5), compile(5)));
    set_compiled_partition_cache_capacity(1024);
    EXPECT_EQ(get_compiled_partition_cache_capacity(), 1024);
    EXPECT_TRUE(are_the_same(compile(5), compile(5)));
}

TEST_F(compiled_partition_cache, refuses_a_negative_capacity) {
    set_compiled_partition_cache_capacity(7);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"capacity", "-1"}, [] { set_compiled_partition_cache_capacity(-1); }));
    EXPECT_EQ(get_compiled_partition_cache_capacity(), 7);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"'capacity'", "NULL"},
                      [] { error::wrap_c_api(onefold_get_compiled_partition_cache_capacity(nullptr)); }));
}

TEST_F(compiled_partition_cache, keeps_no_failures) {
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(fails(onefold_invalid_shape, {"tensor 1"}, [&] { mean.compile({src}, {f32(1, {7})}, cpu); }));
}

std::atomic<int> live_buffers{0};

/// What the cache keeps must not keep the engine: a circle would never be freed.
TEST_F(compiled_partition_cache, goes_with_its_engine) {
    const allocator counting(
        [](size_t size, size_t alignment) {
            ++live_buffers;
            return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
        },
        [](void *pointer) {
            --live_buffers;
            std::free(pointer);
        });
    std::vector<float> x(300000, 2), y(1);
    compiled_partition last;
    {
        const engine own = make_engine_with_allocator(engine::kind::cpu, 0, counting);
        op sum(0, op::kind::ReduceSum, {f32(0, {300000})}, {dst});
        sum.set_attr(op::attr::axes, std::vector<int64_t>{0});
        last = partition_of(sum).compile({f32(0, {300000})}, {dst}, own);
        stream s(own);
        last.execute(s, {tensor(f32(0, {300000}), own, x.data())}, {tensor(f32(1, {}), own, y.data())});
        EXPECT_EQ(y[0], 600000);
        EXPECT_GT(live_buffers, 0) << "scratch memory is the engine's";
    }
    EXPECT_GT(live_buffers, 0) << "a compiled partition keeps its engine";
    last = compiled_partition();
    EXPECT_EQ(live_buffers, 0);
}

TEST_F(compiled_partition_cache, gives_threads_that_compile_at_once_one_object) {
    for (int64_t round = 1; round <= 20; ++round) {
        std::vector<compiled_partition> made(6);
        std::vector<std::thread> threads;
        for (compiled_partition &mine : made)
            threads.emplace_back([&] { mine = compile(round); });
        for (std::thread &t : threads)
            t.join();
        for (const compiled_partition &mine : made)
            EXPECT_TRUE(are_the_same(made[0], mine));
    }
}

} // namespace
} // namespace onefold_test
