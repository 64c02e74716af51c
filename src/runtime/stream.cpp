#include "runtime/stream.hpp"

#include <algorithm>

#include <tbb/global_control.h>

#include "graph/error.hpp"

namespace onefold::impl {

stream::stream(std::shared_ptr<engine> e, unsigned threads) : engine_(std::move(e)) {
    if (threads == 0) return;
    // TBB would give an arena no more threads than this either, but print a warning.
    const size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    arena_ = std::make_unique<tbb::task_arena>(static_cast<int>(std::min<size_t>(threads, allowed)));
    arena_->initialize(); // now, so that execute() need not
}

stream::stream(std::shared_ptr<engine> e, onefold_parallel_for_function parallel_for, void *context, unsigned threads)
    : engine_(std::move(e)), executor_(parallel_for, context, threads, engine_->arenas_of_one_thread()) {
    if (threads == 0) fail(onefold_invalid_arguments, "stream: a parallel_for of 0 threads; at least 1 is needed");
}

} // namespace onefold::impl
