#include "tests/benchmark/cell.hpp"

#include <exception>

#include <benchmark/benchmark.h>
#include <fmt/ranges.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include "tests/benchmark/race.hpp"

namespace onefold::bench {

namespace {

constexpr double seconds_a_cell = 0.4;

void report(benchmark::State &state, const cell &c, const contender &ours, const contender &loop, const contender &primitive,
            const contender &parts) {
    auto &counters = state.counters;
    counters["bytes"] = c.bytes;
    counters["ns"] = ours.best();
    counters["median_ns"] = ours.median();
    counters["GBps"] = c.bytes / ours.best();
    counters["read_ns"] = loop.best();
    counters["read_median_ns"] = loop.median();
    counters["read_GBps"] = c.bytes / loop.best();
    counters["ratio_to_read"] = ours.best() / loop.best();
    if (c.aim > 0) counters["aim"] = c.aim;
    if (c.aim_ns > 0) counters["aim_ns"] = c.aim_ns;
    if (primitive.takes_part()) {
        counters["onednn_ns"] = primitive.best();
        counters["ratio_to_onednn"] = ours.best() / primitive.best();
    }
    if (parts.takes_part()) {
        counters["parts_ns"] = parts.best();
        counters["ratio_to_parts"] = ours.best() / parts.best();
    }
    state.SetLabel(c.label);
}

void measure(benchmark::State &state, const cell &c) {
    contender ours(c.ours);
    contender loop(c.loop);
    contender primitive(c.primitive);
    contender parts(c.parts);
    for (auto _ : state) {
        race({&ours, &loop}, {&primitive, &parts}, seconds_a_cell);
        state.SetIterationTime(ours.best() * 1e-9);
    }
    report(state, c, ours, loop, primitive, parts);
}

void run(benchmark::State &state, int thread_count, const std::function<cell()> &make) {
    tbb::task_arena arena(thread_count);
    arena.execute([&] {
        try {
            measure(state, make());
        } catch (const std::exception &e) {
            state.SkipWithError((std::string("SKIPPED: ") + e.what()).c_str());
        }
    });
}

void register_with(const std::string &name, int thread_count, const std::function<cell()> &make) {
    const std::string full = fmt::format("{}/threads:{}", name, thread_count);
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State &state) { run(state, thread_count, make); })
        ->Iterations(1)
        ->UseManualTime();
}

} // namespace

std::string join(const dims &numbers, const char *separator) { return fmt::format("{}", fmt::join(numbers, separator)); }

void register_cell(const std::string &name, threads numbers, const std::function<cell()> &make) {
    const int all = tbb::info::default_concurrency();
    register_with(name, all, make);
    if (numbers == threads::all_and_one && all > 1) register_with(name, 1, make);
}

} // namespace onefold::bench
