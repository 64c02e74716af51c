// execute() allocates nothing after its first run on a thread.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "costs/counting_malloc.hpp"
#include "support/axes_tensor.hpp"
#include "support/partitions.hpp"

using namespace onefold_test;

namespace {

std::atomic<int> allocated_by_user{0};
std::atomic<int> freed_by_user{0};

void *allocate(size_t size, size_t alignment) {
    ++allocated_by_user;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void deallocate(void *pointer) {
    ++freed_by_user;
    std::free(pointer);
}

engine make_counting_engine() { return make_engine_with_allocator(engine::kind::cpu, 0, allocator(allocate, deallocate)); }

size_t count_of_steps(const std::string &info, const std::string &prefix) {
    size_t count = 0;
    for (size_t at = info.find(prefix); at != std::string::npos; at = info.find(prefix, at + 1))
        ++count;
    return count;
}

/// The allocations of each of a few executions behind the first two.
std::vector<size_t> count_executions(ready_partition &ready, stream &s, const engine &e) {
    array dst = ready.make_dst();
    const auto bound = ready.bind(dst, e);
    ready.compiled.execute(s, bound.inputs, bound.outputs);
    std::vector<size_t> counts;
    for (int i = 0; i < 5; ++i) {
        const allocation_counter counter;
        ready.compiled.execute(s, bound.inputs, bound.outputs);
        counts.push_back(counter.count());
    }
    return counts;
}

/// oneDNN keeps a primitive's arguments, up to as many as these for the ops here, in a map that it makes anew for each
/// execution: a node for each, and the table.
constexpr size_t map_of_a_primitive = 10;

void check_recipe(const recipe &r, stream &s, const engine &e) {
    ready_partition ready = compile_recipe(r, e);
    const std::string info = ready.compiled.get_info();
    const auto counts = count_executions(ready, s, e);
    for (const size_t count : counts) {
        EXPECT_EQ(count, counts[0]) << r.name << ": " << info;
        EXPECT_LE(count, map_of_a_primitive * count_of_steps(info, "onednn:")) << r.name << ": " << info;
    }
}

TEST(allocations, the_counter_counts) {
    if (!can_count_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
    const allocation_counter counter;
    void *volatile memory = std::malloc(10);
    std::free(memory);
    delete new volatile int(1);
    memory = std::aligned_alloc(64, 64);
    std::free(memory);
    EXPECT_EQ(counter.count(), 3U);
}

TEST(allocations, none_behind_the_first_execution) {
    if (!can_count_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
    // On one thread: work for several is TBB's to share out, in tasks that it allocates.
    const engine e(engine::kind::cpu, 0);
    stream s(e, 1U);
    for (const recipe &r : all_recipes())
        check_recipe(r, s, e);
}

TEST(allocations, none_behind_the_first_execution_with_a_hosts_threads) {
    if (!can_count_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
    const engine e(engine::kind::cpu, 0);
    size_t calls = 0;
    const auto parallel_for = [](void *context, size_t tasks, onefold_task_function task, void *argument) {
        ++*static_cast<size_t *>(context);
        for (size_t i = 0; i < tasks; ++i)
            task(argument, i);
    };
    stream s(e, parallel_for, &calls, 8);
    for (const recipe &r : all_recipes())
        check_recipe(r, s, e);
    EXPECT_GT(calls, 0U);
}

TEST(allocations, none_for_little_work_whatever_the_stream) {
    if (!can_count_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
    const engine e(engine::kind::cpu, 0);
    stream s(e);
    for (recipe r : all_recipes()) {
        for (dims &shape : r.srcs)
            for (int64_t &size : shape)
                size = std::min<int64_t>(size, 12);
        check_recipe(r, s, e);
    }
}

TEST(allocations, none_behind_the_first_execution_of_each_thread) {
    if (!can_count_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
    const engine e(engine::kind::cpu, 0);
    ready_partition ready = compile_recipe(all_recipes()[2], e);
    ASSERT_EQ(ready.compiled.get_info().find("onednn:"), std::string::npos);
    for (int i = 0; i < 3; ++i)
        std::thread([&] {
            stream s(e, 1U);
            EXPECT_EQ(count_executions(ready, s, e), std::vector<size_t>(5, 0));
        }).join();
}

TEST(allocations, none_for_a_set_of_axes_that_is_known) {
    if (!can_count_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
    const engine &e = cpu();
    stream s(e, 1U);
    const dims shape(12, 2), dst_shape(6, 2); // 924 sets
    const auto compiled = compile_by_tensor(op::kind::ReduceSum, shape, dst_shape, 6, {}, data_type::s32);
    array src(data_type::f32, shape, std::vector<double>(4096, 1)), dst(data_type::f32, dst_shape);
    array axes = axes_array(data_type::s32, {0, 1, 2, 3, 4, 5});
    const std::vector<tensor> inputs = {tensor(src.describe(0), e, src.data()), tensor(axes.describe(1), e, axes.data())};
    const std::vector<tensor> outputs = {tensor(dst.describe(dst_id), e, dst.data())};
    const std::vector<axes_list> lists = {{0, 1, 2, 3, 4, 5}, {11, 10, 9, 8, 7, 6}, {-1, 0, 2, 4, 6, 8}, {5, -12, 1, 3, 7, 9}};
    for (int round = 0; round < 3; ++round)
        for (const axes_list &list : lists) {
            axes.set({list.begin(), list.end()});
            const allocation_counter counter;
            compiled.execute(s, inputs, outputs);
            const size_t count = counter.count();
            EXPECT_TRUE(round == 0 || count == 0) << count << " for " << testing::PrintToString(list);
            EXPECT_EQ(dst.values(), std::vector<double>(64, 64));
        }
}

TEST(allocations, none_for_dims_that_are_known) {
    if (!can_count_allocations()) GTEST_SKIP() << "a sanitizer has malloc for itself";
    const engine &e = cpu();
    stream s(e, 1U);
    const auto compiled = compile_op(op::kind::ReduceMax, over({1}), {logical_tensor(0, data_type::f32, 2, layout_type::any)},
                                     open_tensor(dst_id, data_type::f32));
    std::vector<float> src(60, 3), dst(60);
    for (int round = 0; round < 3; ++round)
        for (const int64_t rows : {1, 5, 12, 60}) {
            const std::vector<tensor> inputs = {tensor(dense(0, data_type::f32, {rows, 60 / rows}), e, src.data())};
            const std::vector<tensor> outputs = {tensor(dense(dst_id, data_type::f32, {rows}), e, dst.data())};
            const allocation_counter counter;
            compiled.execute(s, inputs, outputs);
            const size_t count = counter.count();
            EXPECT_TRUE(round == 0 || count == 0) << count << " for " << rows << " rows";
            EXPECT_EQ(dst[0], 3);
        }
}

TEST(allocations, of_the_users_allocator_are_none_behind_the_first_execution) {
    for (const unsigned threads : {1U, 0U, 3U}) {
        const engine e = make_counting_engine();
        stream s(e, threads);
        for (const recipe &r : all_recipes()) {
            ready_partition ready = compile_recipe(r, e);
            array dst = ready.make_dst();
            const auto bound = ready.bind(dst, e);
            ready.compiled.execute(s, bound.inputs, bound.outputs);
            const int allocated = allocated_by_user;
            const int freed = freed_by_user;
            for (int i = 0; i < 5; ++i)
                ready.compiled.execute(s, bound.inputs, bound.outputs);
            EXPECT_EQ(allocated_by_user, allocated) << r.name;
            EXPECT_EQ(freed_by_user, freed) << r.name;
        }
    }
}

TEST(allocations, of_the_users_allocator_are_none_with_scratch_memory_of_the_users) {
    const engine e = make_counting_engine();
    stream s(e, 1U);
    for (const recipe &r : all_recipes()) {
        ready_partition ready = compile_recipe(r, e);
        array dst = ready.make_dst();
        const auto bound = ready.bind(dst, e);
        const tensor scratch(ready.compiled.get_scratchpad_logical_tensor(), e);
        const int allocated = allocated_by_user;
        ready.compiled.execute(s, bound.inputs, bound.outputs, scratch);
        EXPECT_EQ(allocated_by_user, allocated) << r.name;
    }
}

TEST(allocations, of_the_users_allocator_are_all_freed) {
    const int allocated = allocated_by_user;
    const int freed = freed_by_user;
    {
        const engine e = make_counting_engine();
        stream s(e);
        for (const recipe &r : all_recipes()) {
            ready_partition ready = compile_recipe(r, e);
            array dst = ready.make_dst();
            const auto bound = ready.bind(dst, e);
            ready.compiled.execute(s, bound.inputs, bound.outputs);
        }
        EXPECT_GT(allocated_by_user, allocated);
    }
    EXPECT_EQ(allocated_by_user - allocated, freed_by_user - freed);
}

} // namespace
