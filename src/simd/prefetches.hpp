#pragma once

#include "simd/row_geometry.hpp"
#include "simd/row_schedule.hpp"

namespace onefold::impl::simd {

/// Adds to each pass what it prefetches. What is read next and written in the end is spread over the passes, so that memory
/// always has something to do; or over a long one, which has the time. Where memory is near, to write what is not in cache yet
/// is no worse than to fetch it.
void add_prefetches(row_schedule &schedule, const row_program &p, const row_geometry &g);

/// Inputs that are other ones in each piece, and whose elements lie side by side.
std::vector<size_t> streamed_inputs(const row_program &p, const row_geometry &g);

} // namespace onefold::impl::simd
