#pragma once

#include <chrono>
#include <functional>

#include <gtest/gtest.h>

#include "tests/property/random_graph.hpp"

// ONEFOLD_SEED is the first seed, ONEFOLD_CASES how many cases follow; every failure prints the line that runs it alone.
namespace onefold_test {

/// Runs cases with consecutive seeds until there were enough of them, or the time is up.
inline void for_each_seed(const char *test, uint64_t cases, const std::function<std::string(uint64_t)> &run) {
    using clock = std::chrono::steady_clock;
    const uint64_t first = environment_number("ONEFOLD_SEED", 1);
    const uint64_t count = environment_number("ONEFOLD_CASES", cases);
    const bool bounded = std::getenv("ONEFOLD_CASES") == nullptr;
    const auto end = clock::now() + std::chrono::seconds(6);
    uint64_t seed = first;
    for (; seed < first + count && (!bounded || clock::now() < end); ++seed) {
        std::string wrong;
        try {
            wrong = run(seed);
        } catch (const std::exception &e) {
            wrong = std::string("threw: ") + e.what();
        }
        if (!wrong.empty()) ADD_FAILURE() << wrong << rerun_line(test, seed);
    }
    testing::Test::RecordProperty("cases", std::to_string(seed - first));
}

inline std::string show_if_wrong(const std::string &wrong, const impl::io::graph_file &file) {
    return wrong.empty() ? "" : wrong + "\n" + text_of(file);
}

} // namespace onefold_test
