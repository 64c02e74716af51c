#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/executor.hpp"
#include "simd/nest.hpp"

namespace onefold::impl::simd {

/// Calls body(begin, end) over pieces of [0, units); a unit handles about `elements` elements. Little work stays on the
/// calling thread, other goes to `threads`. What a unit computes must not depend on the pieces.
template <typename Body>
void for_each_unit(const executor &threads, int64_t units, int64_t elements, const Body &body) {
    constexpr int64_t worth_a_task = 32 * 1024; // elements: some microseconds
    const int64_t grain = std::max<int64_t>(1, worth_a_task / std::max<int64_t>(1, elements));
    if (units <= grain) {
        if (units > 0) body(int64_t{0}, units);
        return;
    }
    threads.for_each_piece(units, grain, body);
}

/// Calls body(at, first, count) for parts of at most `part` of a dim of `length` inside of a nest, at each of its indices; a
/// part handles about `elements` elements.
template <typename Body>
void for_each_part(const executor &threads, const nest &outer, int64_t length, int64_t part, int64_t elements,
                   const Body &body) {
    const int64_t parts = (length + part - 1) / part;
    for_each_unit(threads, outer.count() * parts, elements, [&](int64_t begin, int64_t end) {
        odometer at(outer, begin / parts);
        for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t first = unit % parts * part;
            body(at, first, std::min(part, length - first));
            if (unit % parts == parts - 1) at.next();
        }
    });
}

} // namespace onefold::impl::simd
