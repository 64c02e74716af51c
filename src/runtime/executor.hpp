#pragma once

#include <algorithm>
#include <utility>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "onefold/onefold.h"

namespace onefold::impl {

/// For each thread an arena that has room for that thread alone.
using lone_arenas = tbb::enumerable_thread_specific<tbb::task_arena>;

/// Who shares out the work of a step: TBB, in the arena that the calling thread is in, or a host's own thread pool.
class executor {
public:
    /// TBB.
    executor() = default;
    /// A host's pool: its parallel_for and how many threads it has. The arenas must outlive the executor.
    executor(onefold_parallel_for_function parallel_for, void *context, unsigned threads, lone_arenas &arenas)
        : parallel_for_(parallel_for), context_(context), threads_(threads), arenas_(&arenas) {}

    /// Calls body(begin, end) for pieces of [0, units) of about `grain` units or more, on any threads, and returns when all are
    /// done. What the body throws comes out here, and so does what the host's parallel_for throws; runtime_error where that did
    /// not run all it was given.
    template <typename Body>
    void for_each_piece(int64_t units, int64_t grain, const Body &body) const {
        if (!parallel_for_) {
            tbb::parallel_for(tbb::blocked_range<int64_t>(0, units, static_cast<size_t>(grain)),
                              [&](const tbb::blocked_range<int64_t> &piece) { body(piece.begin(), piece.end()); });
            return;
        }
        const auto call = [](const void *function, int64_t begin, int64_t end) {
            (*static_cast<const Body *>(function))(begin, end);
        };
        run_on_host(units, grain, call, &body);
    }

    /// Calls a function that hands work to TBB itself. Where a host has a pool of its own, all of it stays on the calling
    /// thread.
    template <typename Function>
    void run_tbb_work(Function &&function) const {
        if (arenas_)
            arenas_->local().execute(std::forward<Function>(function));
        else
            function();
    }

private:
    using piece_function = void (*)(const void *body, int64_t begin, int64_t end);

    void run_on_host(int64_t units, int64_t grain, piece_function call, const void *body) const;

    onefold_parallel_for_function parallel_for_ = nullptr; // nullptr: TBB
    void *context_ = nullptr;
    unsigned threads_ = 0;
    lone_arenas *arenas_ = nullptr;
};

} // namespace onefold::impl
