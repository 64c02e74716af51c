#pragma once

#include <cstdint>
#include <functional>

namespace onefold::driver {

/// The fastest rate, in bytes a second, at which this machine's memory was read by a plain loop over a buffer far larger
/// than the caches, with `threads` threads (0: as many as there are). Measured at the first call, kept for later ones.
double read_bandwidth(unsigned threads);

/// Times of repeated runs, in milliseconds.
struct timing {
    double min_ms = 0;
    double avg_ms = 0;
    double max_ms = 0;
    uint64_t runs = 0;
};

/// Runs it once unmeasured, then until `max_ms` are over or, if `times` is not 0, that many times. Before each run `prepare` is
/// called, which is not measured.
timing measure(
    const std::function<void()> &run, double max_ms, uint64_t times, const std::function<void()> &prepare = [] {});

} // namespace onefold::driver
