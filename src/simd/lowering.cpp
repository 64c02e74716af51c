#include "simd/lowering.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "compile/loop_space.hpp"
#include "simd/elementwise.hpp"
#include "simd/fused_ops.hpp"
#include "simd/reduction.hpp"
#include "simd/row_program_step.hpp"
#include "simd/row_schedule.hpp"

namespace onefold::impl::simd {

namespace {

// From onefold_benchmark --calibrate on an AVX-512 machine, two threads. What is in cache decides, since from memory all read
// alike: there a step is a little behind oneDNN's, which needs no tiles.
constexpr double nanoseconds_a_step = 150;
constexpr double bytes_per_nanosecond = 44;
constexpr double nanoseconds_a_conversion = 0.03; // of an element to its arithmetic type or back
constexpr double nanoseconds_a_transcendental = 0.15;

/// What a pass of a row program takes.
struct pass_times {
    double an_element;
    double a_row;
};
constexpr pass_times of_machine_code = {0.02, 4};
constexpr pass_times of_kernels = {0.035, 5};

const pass_times &times_of_pass() {
    const bool has_code = std::string_view(chosen_isa().name).substr(0, 4) == "AVX3";
    return has_code ? of_machine_code : of_kernels;
}

/// What an element-wise computation does for each element beside reading and writing it.
double nanoseconds_an_element(const computation &c) {
    if (c.kind == computation_kind::reduce) return 0;
    double time = is_transcendental(c.op) ? nanoseconds_a_transcendental : 0;
    for (const operand *o : operands_of(c))
        if (o->type != c.arithmetic()) time += nanoseconds_a_conversion;
    for (const post_op &p : c.post_ops)
        if (is_transcendental(p.op)) time += nanoseconds_a_transcendental;
    return time;
}

bool has_kernel(const computation &c, const isa &on) {
    switch (c.kind) {
    case computation_kind::unary:
        return unary_of(on, c.op, c.attributes, c.arithmetic()) != nullptr;
    case computation_kind::binary:
        return binary_of(on, c.op, c.arithmetic()) != nullptr;
    default:
        return true; // the others have one for every type
    }
}

} // namespace

double cost(const computation &c) {
    const isa &on = chosen_isa();
    const bool is_supported =
        has_kernel(c, on) && has_kernels(on, c.pre_ops, c.arithmetic()) && has_kernels(on, c.post_ops, c.arithmetic());
    if (!is_supported) return std::numeric_limits<double>::infinity();
    const auto results = static_cast<double>(kept_count(c.space));
    return nanoseconds_a_step + touched_bytes(c) / bytes_per_nanosecond + results * nanoseconds_an_element(c);
}

double cost(const row_program &p) {
    if (p.instructions.size() > most_instructions || p.inputs.size() + p.outputs.size() > most_instructions)
        return std::numeric_limits<double>::infinity();
    const auto results = static_cast<double>(kept_count(p.space));
    const double elements = results * static_cast<double>(reduced_count(p.space));
    double bytes = 0;
    for (const row_instruction &i : p.instructions)
        if (i.code == row_opcode::load)
            bytes += (i.varies ? elements : results) * static_cast<double>(size_of(p.inputs[i.arguments[0]].type));
    for (const row_output &output : p.outputs)
        bytes += (p.instructions[output.value].varies ? elements : results) * static_cast<double>(size_of(output.to.type));
    const auto levels = levels_of(p);
    const double passes = 1 + static_cast<double>(*std::max_element(levels.begin(), levels.end()));
    const auto expensive = static_cast<double>(
        std::count_if(p.instructions.begin(), p.instructions.end(), [](const auto &i) { return i.varies && is_expensive(i); }));
    const double rows = elements / static_cast<double>(std::max<int64_t>(1, p.space.sizes.back()));
    const pass_times &pass = times_of_pass();
    return nanoseconds_a_step + bytes / bytes_per_nanosecond + passes * rows * pass.a_row +
           elements * (passes * pass.an_element + expensive * nanoseconds_a_transcendental);
}

std::unique_ptr<step> make(const row_program &p) { return make_row_program_step(p, chosen_isa()); }

std::unique_ptr<step> make(const computation &c) {
    const isa &on = chosen_isa();
    if (c.kind != computation_kind::reduce) return make_elementwise(c, on);
    if (c.space.reduced.back()) return make_reduce_rows(c, on);
    return is_narrow(c) ? make_reduce_narrow(c, on) : make_reduce_columns(c, on);
}

} // namespace onefold::impl::simd
