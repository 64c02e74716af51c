#pragma once

#include <memory>
#include <string>

#include "runtime/step.hpp"
#include "simd/row_worker.hpp"

namespace onefold::impl::simd {

/// A row program whose pieces are few or large: threads share the blocks of a pass, and each pass goes over all pieces before
/// the next one begins. The first two go together, from block to block, where their sums can be moved: see online.hpp.
std::unique_ptr<step> make_row_passes_step(row_job job, std::string name);

} // namespace onefold::impl::simd
