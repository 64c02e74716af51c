// A host's own threads run the steps: the bits are those of TBB, many threads execute at once.
#include "support/host_pool.hpp"
#include "support/partitions.hpp"

using namespace onefold_test;

namespace {

std::vector<std::byte> execute_on(ready_partition &ready, stream &s) {
    array dst = ready.make_dst();
    const auto bound = ready.bind(dst);
    ready.compiled.execute(s, bound.inputs, bound.outputs);
    return dst.memory();
}

/// What TBB gives on the calling thread alone.
std::vector<std::byte> execute_alone(ready_partition &ready) {
    stream s(cpu(), 1U);
    return execute_on(ready, s);
}

TEST(threads_parallel_for, gives_the_bits_that_tbb_gives) {
    for (const unsigned threads : {1U, 2U, 7U}) {
        host_pool pool(threads);
        stream s = pool.make_stream(cpu());
        for (const recipe &r : all_recipes()) {
            ready_partition ready = compile_recipe(r);
            EXPECT_EQ(execute_on(ready, s) == execute_alone(ready), true) << r.name << " with " << threads << " threads";
        }
        EXPECT_EQ(pool.calls() > 0, threads > 1) << threads;
        EXPECT_LE(pool.tasks(), 4 * threads * pool.calls());
    }
}

class expectations {
public:
    expectations() {
        for (const recipe &r : all_recipes()) {
            ready_.push_back(compile_recipe(r));
            memory_.push_back(execute_alone(ready_.back()));
        }
    }

    size_t size() const { return ready_.size(); }
    bool are_met(size_t i, stream &s) { return execute_on(ready_[i], s) == memory_[i]; }

private:
    std::vector<ready_partition> ready_;
    std::vector<std::vector<std::byte>> memory_;
};

TEST(threads_parallel_for, many_threads_share_a_stream) {
    expectations all;
    host_pool pool(3);
    stream s = pool.make_stream(cpu());
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (size_t t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            for (size_t i = 0; i < 2 * all.size(); ++i)
                wrong += !all.are_met((i + t) % all.size(), s);
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

TEST(threads_parallel_for, a_task_of_the_hosts_executes_too) {
    struct work {
        expectations all;
        host_pool pool{2};
        stream shared = pool.make_stream(cpu());
        std::atomic<int> wrong{0};
    } w;
    const auto task = [](void *argument, size_t index) {
        auto &mine = *static_cast<work *>(argument);
        stream own = mine.pool.make_stream(cpu());
        mine.wrong += !mine.all.are_met(index % mine.all.size(), index % 2 ? own : mine.shared);
    };
    host_pool outer(4);
    host_pool::parallel_for(&outer, 3 * w.all.size(), task, &w);
    EXPECT_EQ(w.wrong, 0);
}

} // namespace
