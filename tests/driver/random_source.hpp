#pragma once

#include <cstdint>

namespace onefold::driver {

/// A counter-based generator (splitmix64): the same seed gives the same draws everywhere.
class random_source {
public:
    explicit random_source(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    uint64_t below(uint64_t bound) { return next() % bound; }
    bool one_in(uint64_t n) { return below(n) == 0; }

private:
    uint64_t state_;
};

} // namespace onefold::driver
