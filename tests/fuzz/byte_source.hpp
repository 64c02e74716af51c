#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace onefold::fuzz {

/// Draws decisions from the fuzzer's bytes; when they are used up, everything is 0.
class byte_source {
public:
    byte_source(const uint8_t *data, size_t size) : next_(data), end_(data + size) {}

    bool is_empty() const { return next_ == end_; }
    uint8_t byte() { return is_empty() ? uint8_t{0} : *next_++; }
    /// In [0, limit); limit is at most 256.
    size_t below(size_t limit) { return byte() % limit; }
    /// True for one byte in `n`.
    bool one_in(size_t n) { return below(n) == n - 1; }
    uint64_t word() {
        uint64_t value = 0;
        for (int i = 0; i < 8; ++i)
            value = value << 8 | byte();
        return value;
    }
    template <typename Range>
    const auto &pick(const Range &range) {
        return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
    }

private:
    const uint8_t *next_;
    const uint8_t *end_;
};

} // namespace onefold::fuzz
