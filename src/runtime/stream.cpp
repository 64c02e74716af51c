#include "runtime/stream.hpp"

#include <algorithm>

#include <tbb/global_control.h>

namespace onefold::impl {

stream::stream(std::shared_ptr<engine> e, unsigned threads) : engine_(std::move(e)) {
    if (threads == 0) return;
    // TBB would give an arena no more threads than this either, but print a warning.
    const size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    arena_ = std::make_unique<tbb::task_arena>(static_cast<int>(std::min<size_t>(threads, allowed)));
    arena_->initialize(); // now, so that execute() need not
}

} // namespace onefold::impl
