#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace onefold_test {

/// A counter-based generator (splitmix64): the same seed gives the same draws everywhere.
class random_source {
public:
    explicit random_source(uint64_t seed) : state_(seed * 0x2545f4914f6cdd1dU) {}

    uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    uint64_t below(uint64_t bound) { return next() % bound; }
    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
    }
    bool one_in(uint64_t n) { return below(n) == 0; }

    template <typename Range>
    const auto &pick(const Range &range) {
        return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
    }
    template <typename T>
    void shuffle(std::vector<T> &values) {
        for (size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[below(i)]);
    }

private:
    uint64_t state_;
};

inline uint64_t environment_number(const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The line that runs one case again.
inline std::string rerun_line(const char *test, uint64_t seed) {
    return "rerun: ONEFOLD_SEED=" + std::to_string(seed) + " ONEFOLD_CASES=1 onefold_test_property --gtest_filter=" + test;
}

} // namespace onefold_test
