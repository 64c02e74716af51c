#include <array>
#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include "tests/driver/bench_run.hpp"
#include "tests/driver/commands.hpp"
#include "tests/driver/perf_report.hpp"

namespace onefold::driver {

namespace {

constexpr const char *help = R"(Checks and times graph files with benchdnn's knobs, which act in the order given.

  onefold bench KNOBS --case=FILE [KNOBS --case=FILE]...
  onefold bench [--mode=P] --batch=FILE

What is run:
  --case=FILE             a JSON graph file; runs it with the knobs so far
  --batch=FILE            a file of knobs and cases
                          Files are looked for here, beside the batch file, in $ONEFOLD_CASES and in benchdnn_cases.
  --reset                 sets the knobs of the next group back

How a graph file is rewritten; a comma-separated list runs the case once for each value:
  --in-shapes=ID:SHAPE[*TAG|*STRIDES][+...]   0:8x64x7x7, 0:8x64x7x7*acdb, 0:acdb, 0:2x3*8x1; - is rank 0
  --op-attrs=ID:NAME:VALUE[*NAME:VALUE][+...] 0:axes:1x2*keep_dims:1; axes:- is an empty list
  --op-kind=ID:KIND[+...]                     0:ReduceMax
  --dt=TYPE or --dt=ID:TYPE[+...]             f32, bf16, f16
  --tensor-property=ID:PROPERTY[+...]         undef, variable, constant
  --mb=N                                      the inputs' first dim
  --attr-fpmath=MODE[:APPLY_TO_INT]
  --expected-n-partitions=N                   1 by default; 0: any number

How it is run:
  --mode=MODE             L list, I compile, R execute, C compare with the reference (default), P measure, F measure for 10 ms;
                          letters combine: CP
  --seed=N                what inputs are filled from
  --threads=N             0: as many as the machine has
  --max-ms-per-prb=N      how long mode P runs a case: 10 to 60000 ms, 3000 by default
  --fix-times-per-prb=N   how often mode P runs a case, if not 0
  --perf-template=STR     def, csv, or a template with %prb%, %impl%, %idx%, %-time%, %0time%, %-Gbw%, %iobytes%, %-share%
  --start=N               skips the cases before the Nth
  --repeats-per-prb=N     runs each case N times
  -vN, --verbose=N        1: partitions, shapes and how near to the allowed errors the results are

Each case gives a line N:STATE __REPRO: KNOBS, and those knobs run it again. Mode P adds a line: the fastest and the average
time in ms, GB/s of inputs and outputs at the fastest, and their share of the rate at which this machine reads memory (more
than 1 where the data stays in a cache).
Exit codes: 0; 1 if a case failed; 2 for bad knobs, knobs that do not fit a file, and a file that is broken or not there.
)";

constexpr size_t states = static_cast<size_t>(bench_state::listed) + 1;

/// Counts how the cases end, and prints them.
class reporter {
public:
    void report(const bench_case &c, const bench_result &result, double ms) {
        fmt::print("{}", result.details);
        const std::string reason = result.reason.empty() ? "" : fmt::format(" ({})", result.reason);
        fmt::print("{}:{}{} ({:.0f} ms) __REPRO: {}\n", tests_, name_of(result.state), reason, ms, to_knobs(c));
        if (result.time.runs != 0) report_time(c, result);
        std::fflush(stdout);
        ++counts_.at(static_cast<size_t>(result.state));
        if (result.state == bench_state::invalid_arguments && first_invalid_.empty()) first_invalid_ = result.reason;
        ++tests_;
    }

    size_t tests() const { return tests_; }

    void summarize() const {
        const auto total = [&](bench_state state) { return counts_.at(static_cast<size_t>(state)); };
        if (!template_.empty()) fmt::print("total perf: min(ms):{:.6g} avg(ms):{:.6g}\n", total_min_ms_, total_avg_ms_);
        fmt::print("tests:{} passed:{} skipped:{} mistrusted:{} unimplemented:{} invalid_arguments:{} failed:{} listed:{}\n",
                   tests_, total(bench_state::passed), total(bench_state::skipped), total(bench_state::mistrusted),
                   total(bench_state::unimplemented), total(bench_state::invalid_arguments), total(bench_state::failed),
                   total(bench_state::listed));
    }

    /// Throws bad_input where no case failed, but there was one that could not be run as it was given.
    bool has_failures() const {
        if (counts_.at(static_cast<size_t>(bench_state::failed)) != 0) return true;
        if (!first_invalid_.empty()) throw bad_input(first_invalid_);
        return false;
    }

private:
    void report_time(const bench_case &c, const bench_result &result) {
        const double bandwidth = read_bandwidth(c.common.threads);
        if (template_ != perf_template(c.common.perf_template)) {
            template_ = perf_template(c.common.perf_template);
            fmt::print("Output template: {}\n", template_);
            fmt::print("read bandwidth: {:.6g} GB/s\n", bandwidth / 1e9);
        }
        fmt::print("{}\n", format_report(template_, {result.time, result.source_bytes, result.destination_bytes, bandwidth,
                                                     to_knobs(c), result.implementation, tests_}));
        total_min_ms_ += result.time.min_ms;
        total_avg_ms_ += result.time.avg_ms;
    }

    size_t tests_ = 0;
    std::array<size_t, states> counts_{};
    std::string first_invalid_; // why the first case that was not valid was not
    std::string template_;
    double total_min_ms_ = 0;
    double total_avg_ms_ = 0;
};

void run_and_report(const bench_case &c, reporter &out) {
    using clock = std::chrono::steady_clock;
    for (uint64_t repeat = 0; repeat < c.common.repeats; ++repeat) {
        const auto start = clock::now();
        bench_result result;
        if (c.common.mode.list)
            result.state = bench_state::listed;
        else if (out.tests() < c.common.start)
            result = {bench_state::skipped, "before --start", "", "", {}, 0, 0};
        else
            result = run_case(c);
        out.report(c, result, std::chrono::duration<double, std::milli>(clock::now() - start).count());
    }
}

} // namespace

int command_bench(const std::vector<std::string> &arguments) {
    for (const std::string &argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            fmt::print("{}", help);
            return 0;
        }
    }
    const std::vector<bench_case> cases = parse_knobs(arguments);
    if (cases.empty()) throw bad_input("bench: no --case and no --batch; onefold bench --help lists the knobs");
    reporter out;
    for (const bench_case &c : cases)
        run_and_report(c, out);
    out.summarize();
    return out.has_failures() ? 1 : 0;
}

} // namespace onefold::driver
