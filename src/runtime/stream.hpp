#pragma once

#include <memory>
#include <utility>

#include <tbb/task_arena.h>

#include "runtime/engine.hpp"
#include "runtime/executor.hpp"

namespace onefold::impl {

/// Where executions run: the caller's TBB arena, one of its own with a number of threads, or a host's thread pool.
class stream {
public:
    /// threads = 0: the caller's arena; more than TBB allows the process now count as that many.
    stream(std::shared_ptr<engine> e, unsigned threads);
    /// Work goes to a host's pool of that many threads. Throws invalid_arguments for 0 threads.
    stream(std::shared_ptr<engine> e, onefold_parallel_for_function parallel_for, void *context, unsigned threads);

    const std::shared_ptr<engine> &get_engine() const { return engine_; }

    /// Calls function(executor) in the stream's arena and returns when it has; what it throws comes out here.
    template <typename Function>
    void run(const Function &function) {
        if (arena_)
            arena_->execute([&] { function(executor_); });
        else
            function(executor_);
    }

private:
    std::shared_ptr<engine> engine_;
    std::unique_ptr<tbb::task_arena> arena_;
    executor executor_;
};

} // namespace onefold::impl
