#include "tests/driver/bench_run.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "graph/error.hpp"
#include "tests/driver/commands.hpp"
#include "tests/driver/compare.hpp"
#include "tests/driver/fill_input.hpp"
#include "tests/driver/reference.hpp"
#include "tests/driver/session.hpp"
#include "tests/driver/shapes.hpp"

namespace onefold::driver {

namespace {

bench_result &end(bench_result &result, bench_state state, std::string reason) {
    result.state = state;
    result.reason = std::move(reason);
    return result;
}

double bytes_of(const buffer &b) { return static_cast<double>(b.count() * impl::size_of(b.type())); }

/// The graph's inputs as the reference takes them, and as they must still be after the execution.
reference_tensors load_inputs(const session &s) {
    reference_tensors tensors;
    for (const graph_input &input : s.inputs())
        tensors.emplace(input.id, exact_tensor(s.buffer_of(input.id)));
    return tensors;
}

/// Whether the memory between a tensor's elements is as it was when the buffer was made.
bool gaps_are_untouched(const buffer &b) {
    if (b.bytes() == static_cast<size_t>(b.count() * impl::size_of(b.type()))) return true;
    buffer fresh(b.description());
    fresh.scatter(b.gather());
    return std::memcmp(fresh.data(), b.data(), b.bytes()) == 0;
}

void check_outputs(const session &s, const reference_tensors &expected, int verbose, bench_result &result) {
    size_t wrong = 0;
    size_t total = 0;
    bool trusted = true;
    for (const size_t id : s.outputs()) {
        const buffer &b = s.buffer_of(id);
        const reference_tensor &reference = expected.at(id);
        if (b.description().dims != reference.dims) {
            end(result, bench_state::failed,
                fmt::format("tensor {}: the library's dims are {}, the reference's {}", id,
                            impl::to_string(b.description().dims), impl::to_string(reference.dims)));
            return;
        }
        const comparison found = compare(b, reference);
        wrong += found.wrong;
        total += found.total;
        trusted = trusted && found.is_trusted();
        if (found.wrong != 0) result.details += fmt::format("  tensor {}: {} wrong of {}\n", id, found.wrong, found.total);
        result.details += found.first_wrong;
        if (verbose > 0) result.details += fmt::format("  tensor {}: at most {:.3f} of the error allowed\n", id, found.worst);
        if (!gaps_are_untouched(b))
            return (void)end(result, bench_state::failed, fmt::format("tensor {}: wrote into a gap", id));
    }
    if (wrong != 0)
        end(result, bench_state::failed, fmt::format("errors:{} total:{}", wrong, total));
    else if (!trusted)
        end(result, bench_state::mistrusted, "the reference can say nothing of most elements");
}

void check_correctness(session &s, reference_tensors &tensors, int verbose, bench_result &result) {
    for (const auto &[id, input] : tensors) {
        if (!is_identical(s.buffer_of(id), input) || !gaps_are_untouched(s.buffer_of(id)))
            return (void)end(result, bench_state::failed, fmt::format("input tensor {} was written to", id));
    }
    compute_reference(s.file().ops, tensors);
    check_outputs(s, tensors, verbose, result);
}

void describe(const session &s, int verbose, bench_result &result) {
    for (const stage &part : s.stages()) {
        if (!part.compiled) continue;
        if (!result.implementation.empty()) result.implementation += "; ";
        result.implementation += part.compiled->get_info();
        if (verbose == 0) continue;
        result.details += fmt::format("  partition of {} ops: {}\n", part.ops.size(), part.compiled->get_info());
        for (const size_t id : part.inputs)
            result.details += fmt::format("    in  {}: {}\n", id, impl::to_string(s.tensor(id)));
        for (const size_t id : part.outputs)
            result.details += fmt::format("    out {}: {}\n", id, impl::to_string(s.tensor(id)));
    }
    for (const graph_input &input : s.inputs())
        result.source_bytes += bytes_of(s.buffer_of(input.id));
    for (const size_t id : s.outputs())
        result.destination_bytes += bytes_of(s.buffer_of(id));
}

/// False where the machine has not the memory: the case is skipped.
bool allocate(session &s, bench_result &result) {
    try {
        s.allocate();
        return true;
    } catch (const std::runtime_error &e) {
        end(result, bench_state::skipped, e.what());
    } catch (const std::bad_alloc &) {
        end(result, bench_state::skipped, "not enough memory");
    }
    return false;
}

/// Another set of axes for each run of a graph that takes them as an input.
void fill_axes(session &s, uint64_t seed) {
    for (const graph_input &input : s.inputs())
        if (is_axes(s, input.id)) fill_input(s, input, seed);
}

void check_execution(session &s, const common_knobs &knobs, bench_result &result) {
    reference_tensors tensors = load_inputs(s);
    for (const size_t id : s.outputs())
        s.buffer_of(id).poison();
    s.execute();
    check_correctness(s, tensors, knobs.verbose, result);
}

void execute(session &s, const common_knobs &knobs, bench_result &result) {
    for (const graph_input &input : s.inputs())
        fill_input(s, input, knobs.seed);
    const bool has_axes =
        std::any_of(s.inputs().begin(), s.inputs().end(), [&](const graph_input &input) { return is_axes(s, input.id); });
    result.state = bench_state::passed;
    if (!knobs.mode.correctness && !knobs.mode.performance) s.execute();
    const uint64_t checks = !knobs.mode.correctness ? 0 : has_axes ? 4 : 1;
    for (uint64_t i = 0; i < checks && result.state == bench_state::passed; ++i) {
        if (i > 0) fill_axes(s, knobs.seed + i);
        check_execution(s, knobs, result);
    }
    if (!knobs.mode.performance) return;
    uint64_t runs = 0;
    const auto prepare = [&] {
        if (has_axes) fill_axes(s, knobs.seed + runs++);
    };
    result.time = measure([&] { s.execute(); }, knobs.max_ms_per_problem, knobs.fixed_times, prepare);
}

bool is_foreign(const impl::io::graph_file &file) {
    return !std::all_of(file.ops.begin(), file.ops.end(), [](const impl::op &o) { return has_reference(o.kind); });
}

bench_result &run_graph(impl::io::graph_file file, const bench_case &c, bench_result &result) {
    session s(std::move(file), c.common.threads);
    const std::string foreign = s.unsupported();
    if (!foreign.empty() && is_foreign(s.file())) return end(result, bench_state::unimplemented, foreign);
    if (!foreign.empty()) return end(result, bench_state::failed, "not supported: " + foreign);
    const auto is_real = [](const stage &part) { return !part.is_end; };
    const auto partitions = static_cast<size_t>(std::count_if(s.stages().begin(), s.stages().end(), is_real));
    if (c.expected_partitions != 0 && partitions != c.expected_partitions)
        return end(result, bench_state::failed, fmt::format("{} partitions instead of {}", partitions, c.expected_partitions));
    s.compile();
    result.state = bench_state::passed;
    if (!c.common.mode.execute) return result;
    if (!allocate(s, result)) return result;
    describe(s, c.common.verbose, result);
    execute(s, c.common, result);
    return result;
}

} // namespace

std::string name_of(bench_state state) {
    switch (state) {
    case bench_state::passed:
        return "PASSED";
    case bench_state::skipped:
        return "SKIPPED";
    case bench_state::mistrusted:
        return "MISTRUSTED";
    case bench_state::unimplemented:
        return "UNIMPLEMENTED";
    case bench_state::invalid_arguments:
        return "INVALID_ARGUMENTS";
    case bench_state::failed:
        return "FAILED";
    case bench_state::listed:
        return "LISTED";
    }
    return "";
}

bench_result run_case(const bench_case &c) {
    bench_result result;
    impl::io::graph_file file;
    try {
        file = impl::io::read_graph(c.path);
        rewrite(file, c.rewrite);
    } catch (const impl::error &e) {
        return end(result, bench_state::invalid_arguments, e.what());
    } catch (const bad_input &e) {
        // Attributes of ops that are not compiled may have values that are not known here.
        return end(result, is_foreign(file) ? bench_state::unimplemented : bench_state::invalid_arguments, e.what());
    }
    try {
        return run_graph(std::move(file), c, result);
    } catch (const onefold::error &e) {
        return end(result, bench_state::failed, fmt::format("{}: {}", onefold_status_name(e.status), e.what()));
    } catch (const std::exception &e) {
        return end(result, bench_state::failed, e.what());
    }
}

} // namespace onefold::driver
