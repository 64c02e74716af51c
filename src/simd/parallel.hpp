#pragma once

#include <algorithm>
#include <cstdint>

#include <tbb/parallel_for.h>

namespace onefold::impl::simd {

/// Calls body(begin, end) over pieces of [0, units); a unit handles about `elements` elements. Little work stays on the
/// calling thread. What a unit computes must not depend on the pieces.
template <typename Body>
void for_each_unit(int64_t units, int64_t elements, const Body &body) {
    constexpr int64_t worth_a_task = 32 * 1024; // elements: some microseconds
    const int64_t grain = std::max<int64_t>(1, worth_a_task / std::max<int64_t>(1, elements));
    if (units <= grain) {
        if (units > 0) body(int64_t{0}, units);
        return;
    }
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, units, static_cast<size_t>(grain)),
                      [&](const tbb::blocked_range<int64_t> &piece) { body(piece.begin(), piece.end()); });
}

} // namespace onefold::impl::simd
