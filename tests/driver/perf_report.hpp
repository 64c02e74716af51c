#pragma once

#include <string>

#include "tests/driver/perf.hpp"

namespace onefold::driver {

/// What a line of a performance report can tell.
struct perf_numbers {
    timing time;
    double source_bytes = 0;
    double destination_bytes = 0;
    double read_bandwidth = 0; // of the machine, bytes a second
    std::string problem;       // the knobs that run it again
    std::string implementation;
    size_t index = 0;
};

/// The template that a name stands for: "def" and "csv"; anything else is a template itself.
std::string perf_template(const std::string &name);

/// A line of the report. In the template, %engine%, %driver%, %prb%, %impl% and %idx% are replaced, and the numbers %time%
/// (ms), %bw% (bytes a second), %ibytes%, %obytes%, %iobytes% and %share% (of the machine's read bandwidth), which may have a
/// time modifier (- min, which is the default, 0 avg, + max) and a unit (K, M, G) after the first %: %0time%, %-Gbw%.
std::string format_report(const std::string &report_template, const perf_numbers &numbers);

} // namespace onefold::driver
