#pragma once

#include <memory>
#include <utility>

#include <tbb/task_arena.h>

#include "runtime/engine.hpp"

namespace onefold::impl {

/// Where executions run: the caller's TBB arena, or one of its own with a number of threads.
class stream {
public:
    /// threads = 0: the caller's arena; more than TBB allows the process now count as that many.
    stream(std::shared_ptr<engine> e, unsigned threads);

    const std::shared_ptr<engine> &get_engine() const { return engine_; }

    /// Calls the function in the stream's arena and returns when it has; what it throws comes out here.
    template <typename Function>
    void run(Function &&function) {
        if (arena_)
            arena_->execute(std::forward<Function>(function));
        else
            function();
    }

private:
    std::shared_ptr<engine> engine_;
    std::unique_ptr<tbb::task_arena> arena_;
};

} // namespace onefold::impl
