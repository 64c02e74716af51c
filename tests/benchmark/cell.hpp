#pragma once

#include <functional>
#include <span>
#include <string>

#include "tests/benchmark/operation.hpp"

namespace onefold::bench {

/// A row of the results. The time of `ours` is compared with that of a plain loop over the same bytes.
struct cell {
    std::function<void()> ours;
    std::function<void()> loop;
    std::function<void()> primitive; // empty: oneDNN has none
    std::function<void()> parts;     // the same graph op by op; empty: it is one op
    double bytes = 0;                // that the loop reads and writes
    double aim = 0;                  // the time that ours is to take at most, in times of the loop
    double aim_ns = 0;               // or in nanoseconds; 0: as it may be
    std::string label;               // the steps that onefold chose, oneDNN's implementation
};

/// The name of dims or axes in a cell's name: numbers with the separator between.
std::string join(const dims &numbers, const char *separator);

enum class threads { all, all_and_one };

/// A benchmark NAME/threads:N for each of the numbers of threads. The cell is made and measured in an arena of that many; where
/// making it throws, it is reported as skipped, with what was thrown.
void register_cell(const std::string &name, threads numbers, const std::function<cell()> &make);

// The groups of cells.
void register_reductions();
void register_elementwise();
void register_latency();
void register_axes_tensors();
void register_open_dims();
void register_chains();

} // namespace onefold::bench
