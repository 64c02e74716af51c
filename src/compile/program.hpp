#pragma once

#include <memory>
#include <vector>

#include "runtime/step.hpp"

namespace onefold::impl {

/// Where a buffer of a program is at execution.
struct buffer_place {
    enum class kind { input, output, scratch };
    kind where;
    size_t index; // of the port; for scratch: the offset in bytes
};

/// What a partition lowers to: steps over buffers, in order. The first scratch bytes are the buffers', behind them stands what
/// the steps themselves need.
struct program {
    std::vector<buffer_place> buffers;
    std::vector<std::unique_ptr<step>> steps;
    size_t scratch_bytes = 0;
    size_t step_scratch_offset = 0;
};

} // namespace onefold::impl
