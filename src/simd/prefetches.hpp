#pragma once

#include "simd/row_geometry.hpp"
#include "simd/row_schedule.hpp"

namespace onefold::impl::simd {

/// A part of an operand that a pass brings into cache for later ones: of `parts` equal ones along the reduced dim.
struct prefetched_part {
    size_t operand = 0;      // inputs first
    bool is_written = false; // by this piece's last pass; else it is read, by the next piece
    int64_t part = 0;
    int64_t parts = 1;

    /// Where it begins and ends in a row, or column, of so many.
    int64_t begin(int64_t length) const { return length * part / parts; }
    int64_t end(int64_t length) const { return length * (part + 1) / parts; }
};

/// Of each pass. What is read next and written in the end is spread over the passes, so that memory always has something to do;
/// or over a long one, which has the time. Where memory is near, to write what is not in cache yet is no worse than to fetch
/// it.
std::vector<std::vector<prefetched_part>> plan_prefetches(const row_program &p, const row_schedule &schedule,
                                                          const row_geometry &g);

} // namespace onefold::impl::simd
