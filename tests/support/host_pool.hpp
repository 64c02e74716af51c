#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "onefold/graph.hpp"

namespace onefold_test {

/// A host's thread pool as simple as one can be: it starts its threads for each call, and they take the tasks in turn. It must
/// outlive the streams that it makes.
class host_pool {
public:
    explicit host_pool(unsigned threads) : threads_(threads) {}
    host_pool(const host_pool &) = delete;
    host_pool &operator=(const host_pool &) = delete;

    onefold::stream make_stream(const onefold::engine &e) { return {e, parallel_for, this, threads_}; }

    /// How often it was called, and with how many tasks in all.
    size_t calls() const { return calls_; }
    size_t tasks() const { return tasks_; }

    /// An onefold_parallel_for_function; the context is a pool.
    static void parallel_for(void *context, size_t tasks, onefold_task_function task, void *argument) {
        auto &pool = *static_cast<host_pool *>(context);
        ++pool.calls_;
        pool.tasks_ += tasks;
        std::atomic<size_t> next{0};
        const auto work = [&] {
            for (size_t i = next++; i < tasks; i = next++)
                task(argument, tasks - 1 - i); // in any order
        };
        std::vector<std::thread> others;
        for (unsigned i = 1; i < pool.threads_; ++i)
            others.emplace_back(work);
        work();
        for (std::thread &other : others)
            other.join();
    }

private:
    unsigned threads_;
    std::atomic<size_t> calls_{0};
    std::atomic<size_t> tasks_{0};
};

} // namespace onefold_test
