#include "tests/driver/perf.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <vector>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace onefold::driver {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }

/// Adds up words in as many independent lanes as the widest vectors and the latency of an addition need.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
__attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#endif
uint64_t
read_words(const uint64_t *words, size_t count) {
    constexpr size_t lanes = 64;
    std::array<uint64_t, lanes> sums{};
    for (size_t i = 0; i + lanes <= count; i += lanes) {
        for (size_t lane = 0; lane < lanes; ++lane)
            sums[lane] += words[i + lane];
    }
    uint64_t total = 0;
    for (const uint64_t sum : sums)
        total += sum;
    return total;
}

double measure_read_bandwidth(unsigned threads) {
    constexpr size_t words = size_t{256} * 1024 * 1024 / sizeof(uint64_t);
    constexpr size_t block = size_t{256} * 1024 / sizeof(uint64_t);
    constexpr int passes = 10;
    tbb::task_arena arena(threads == 0 ? tbb::task_arena::automatic : static_cast<int>(threads));
    std::atomic<uint64_t> sink = 0;
    double best = 0;
    arena.execute([&] {
        std::vector<uint64_t> memory(words, 1);
        for (int pass = 0; pass < passes; ++pass) {
            const auto start = clock::now();
            tbb::parallel_for(size_t{0}, words / block, [&](size_t i) {
                sink.fetch_add(read_words(memory.data() + i * block, block), std::memory_order_relaxed);
            });
            best = std::max(best, static_cast<double>(words * sizeof(uint64_t)) / seconds_since(start));
        }
    });
    return best;
}

} // namespace

double read_bandwidth(unsigned threads) {
    static std::map<unsigned, double> measured;
    const auto found = measured.find(threads);
    return found != measured.end() ? found->second : measured.emplace(threads, measure_read_bandwidth(threads)).first->second;
}

timing measure(const std::function<void()> &run, double max_ms, uint64_t times, const std::function<void()> &prepare) {
    prepare();
    run();
    timing result;
    double total_ms = 0;
    while (times != 0 ? result.runs < times : result.runs == 0 || total_ms < max_ms) {
        prepare();
        const auto start = clock::now();
        run();
        const double ms = 1000 * seconds_since(start);
        result.min_ms = result.runs == 0 ? ms : std::min(result.min_ms, ms);
        result.max_ms = std::max(result.max_ms, ms);
        total_ms += ms;
        ++result.runs;
    }
    result.avg_ms = total_ms / static_cast<double>(result.runs);
    return result;
}

} // namespace onefold::driver
