// Many threads compile and execute at once, from plain threads and from inside TBB tasks.
#include <atomic>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "support/partitions.hpp"

using namespace onefold_test;

namespace {

constexpr size_t thread_count = 8;

#if defined(__SANITIZE_THREAD__)
// The sanitizer cannot see how oneTBB hands work to other threads, and takes all of it for races: each execution stays on its
// thread. What executions share is still seen.
const tbb::global_control no_work_for_others(tbb::global_control::max_allowed_parallelism, 1);
const std::vector<unsigned> threads_of_streams = {0};
#else
const std::vector<unsigned> threads_of_streams = {0, 1, 3};
#endif

template <typename Body>
void in_threads(size_t count, const Body &body) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < count; ++i)
        threads.emplace_back([&body, i] { body(i); });
    for (std::thread &t : threads)
        t.join();
}

/// What a partition gives when nothing else runs.
std::vector<std::byte> execute_alone(ready_partition &ready) {
    array dst = ready.make_dst();
    const auto bound = ready.bind(dst);
    stream s(cpu(), 1U);
    ready.compiled.execute(s, bound.inputs, bound.outputs);
    return dst.memory();
}

/// A partition and the bits that it must give in every thread.
struct expectation {
    ready_partition ready;
    std::vector<std::byte> memory;
};

std::vector<expectation> make_expectations() {
    std::vector<expectation> all;
    for (const recipe &r : all_recipes()) {
        all.push_back({compile_recipe(r), {}});
        all.back().memory = execute_alone(all.back().ready);
    }
    return all;
}

bool gives_the_same(expectation &e, stream &s) {
    array dst = e.ready.make_dst();
    const auto bound = e.ready.bind(dst);
    e.ready.compiled.execute(s, bound.inputs, bound.outputs);
    return dst.memory() == e.memory;
}

TEST(threads, execute_the_same_partition_at_once) {
    auto all = make_expectations();
    for (size_t p = 0; p < all.size(); ++p) {
        std::atomic<int> wrong{0};
        in_threads(thread_count, [&](size_t) {
            stream s(cpu());
            for (int i = 0; i < 5; ++i)
                wrong += !gives_the_same(all[p], s);
        });
        EXPECT_EQ(wrong, 0) << all_recipes()[p].name;
    }
}

TEST(threads, execute_different_partitions_at_once) {
    auto all = make_expectations();
    std::atomic<int> wrong{0};
    in_threads(thread_count, [&](size_t thread) {
        stream s(cpu());
        for (size_t i = 0; i < 3 * all.size(); ++i)
            wrong += !gives_the_same(all[(i + 3 * thread) % all.size()], s);
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads, share_a_stream) {
    auto all = make_expectations();
    for (const unsigned threads : threads_of_streams) {
        stream s(cpu(), threads);
        std::atomic<int> wrong{0};
        in_threads(thread_count, [&](size_t thread) {
            for (size_t i = 0; i < all.size(); ++i)
                wrong += !gives_the_same(all[(i + thread) % all.size()], s);
        });
        EXPECT_EQ(wrong, 0) << threads;
    }
}

TEST(threads, compile_and_execute_at_once) {
    auto all = make_expectations();
    const auto recipes = all_recipes();
    std::atomic<int> wrong{0};
    in_threads(thread_count, [&](size_t thread) {
        stream s(cpu());
        for (size_t i = 0; i < recipes.size(); ++i) {
            const size_t p = (i + thread) % recipes.size();
            ready_partition own = compile_recipe(recipes[p]);
            array dst = own.make_dst();
            const auto bound = own.bind(dst);
            own.compiled.execute(s, bound.inputs, bound.outputs);
            wrong += dst.memory() != all[p].memory;
            wrong += !gives_the_same(all[(p + 1) % all.size()], s);
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads, compile_one_partition_at_once) {
    const logical_tensor src = dense(0, data_type::f32, {100, 200});
    const partition p(make_op(0, op::kind::ReduceSum, over({1}), {src}, open_tensor(dst_id, data_type::f32)),
                      engine::kind::cpu);
    std::atomic<int> wrong{0};
    in_threads(thread_count, [&](size_t) {
        for (int i = 0; i < 20; ++i) {
            const auto compiled = p.compile({src}, {open_tensor(dst_id, data_type::f32)}, cpu());
            wrong += compiled.query_logical_tensor(dst_id).get_dims() != dims(1, 100);
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads, execute_from_inside_tbb_tasks) {
    auto all = make_expectations();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena arena(4);
    std::atomic<int> wrong{0};
    for (const unsigned threads : threads_of_streams) {
        stream shared(cpu(), threads);
        arena.execute([&] {
            tbb::parallel_for(size_t{0}, 6 * all.size(), [&](size_t i) {
                stream own(cpu(), threads);
                wrong += !gives_the_same(all[i % all.size()], i % 2 ? own : shared);
            });
        });
    }
    EXPECT_EQ(wrong, 0);
}

TEST(threads, execute_from_nested_tbb_tasks) {
    auto all = make_expectations();
    const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena arena(4);
    std::atomic<int> wrong{0};
    arena.execute([&] {
        tbb::parallel_for(size_t{0}, all.size(), [&](size_t outer) {
            tbb::parallel_for(size_t{0}, size_t{4}, [&](size_t inner) {
                stream s(cpu());
                wrong += !gives_the_same(all[(outer + inner) % all.size()], s);
            });
        });
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads, bring_their_own_scratch_memory) {
    auto all = make_expectations();
    std::atomic<int> wrong{0};
    in_threads(thread_count, [&](size_t) {
        stream s(cpu());
        for (expectation &e : all) {
            const tensor scratch(e.ready.compiled.get_scratchpad_logical_tensor(), cpu());
            array dst = e.ready.make_dst();
            const auto bound = e.ready.bind(dst);
            e.ready.compiled.execute(s, bound.inputs, bound.outputs, scratch);
            wrong += dst.memory() != e.memory;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads, have_each_their_own_last_error) {
    std::atomic<int> wrong{0};
    in_threads(thread_count, [&](size_t thread) {
        for (int i = 0; i < 200; ++i) {
            const auto axis = static_cast<int64_t>(1000 * (thread + 1)) + i;
            const auto message = fails(onefold_invalid_arguments, {"axis " + std::to_string(axis) + " "}, [&] {
                compile_op(op::kind::ReduceSum, over({axis}), {dense(0, data_type::f32, {2, 3})},
                           open_tensor(dst_id, data_type::f32));
            });
            wrong += !message;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(threads, come_and_go_while_an_engine_stays) {
    auto all = make_expectations();
    std::atomic<int> wrong{0};
    for (int round = 0; round < 10; ++round)
        in_threads(4, [&](size_t thread) {
            stream s(cpu());
            wrong += !gives_the_same(all[(static_cast<size_t>(round) + thread) % all.size()], s);
        });
    EXPECT_EQ(wrong, 0);
}

} // namespace
