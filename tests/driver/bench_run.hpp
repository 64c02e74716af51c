#pragma once

#include <string>

#include "tests/driver/knobs.hpp"
#include "tests/driver/perf.hpp"

namespace onefold::driver {

/// How a case ended, in benchdnn's words.
enum class bench_state { passed, skipped, mistrusted, unimplemented, invalid_arguments, failed, listed };

std::string name_of(bench_state state);

/// All that is known of a case that was run.
struct bench_result {
    bench_state state = bench_state::failed;
    std::string reason;  // why it did not pass
    std::string details; // lines for whoever looks into it: wrong elements; under -v also partitions and shapes
    std::string implementation;
    timing time; // mode P
    double source_bytes = 0;
    double destination_bytes = 0;
};

/// Loads, rewrites, partitions, compiles and executes a case as far as its mode asks for, compares what comes out with the
/// reference and times it.
bench_result run_case(const bench_case &c);

} // namespace onefold::driver
