#pragma once

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/driver/random_source.hpp"

namespace onefold_test {

/// The driver's generator, its seeds spread apart, with the draws that random graphs need.
class random_source : public onefold::driver::random_source {
public:
    explicit random_source(uint64_t seed) : onefold::driver::random_source(seed * 0x2545f4914f6cdd1dU) {}

    int64_t between(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low) + 1));
    }

    template <typename Range>
    const auto &pick(const Range &range) {
        return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
    }
    template <typename T>
    void shuffle(std::vector<T> &values) {
        for (size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[below(i)]);
    }
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
