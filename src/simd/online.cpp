#include "simd/online.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "simd/row_program_step.hpp"
#include "simd/row_schedule.hpp"

namespace onefold::impl::simd {

namespace {

bool is_total(const row_instruction &i) {
    return i.code == row_opcode::reduce && (i.op == onefold_op_reduce_sum || i.op == onefold_op_reduce_mean);
}

bool is_exponential(const row_instruction &i) { return i.code == row_opcode::unary && i.op == onefold_op_exp; }

/// True if the result is what `op` reduces the elements to, rounded or not.
bool is_centre(const row_program &p, size_t result, op_kind op, size_t elements) {
    while (p.instructions[result].code == row_opcode::round)
        result = p.instructions[result].arguments[0];
    const row_instruction &i = p.instructions[result];
    return i.code == row_opcode::reduce && i.op == op && !i.squares && i.arguments[0] == elements;
}

std::optional<online_sum> match(const row_program &p, size_t reduction) {
    const row_instruction &sum = p.instructions[reduction];
    if (!is_total(sum)) return std::nullopt;
    const bool sums_exponentials = !sum.squares && is_exponential(p.instructions[sum.arguments[0]]);
    const size_t value = sums_exponentials ? p.instructions[sum.arguments[0]].arguments[0] : sum.arguments[0];
    const row_instruction &difference = p.instructions[value];
    if (difference.code != row_opcode::binary || difference.op != onefold_op_subtract) return std::nullopt;
    const size_t first = difference.arguments[0];
    const size_t second = difference.arguments[1];
    using form = online_sum::form;
    if (sums_exponentials) {
        if (!is_centre(p, second, onefold_op_reduce_max, first)) return std::nullopt;
        return online_sum{form::exponentials, reduction, second};
    }
    const form what = sum.squares ? form::squares : form::deviations;
    if (is_centre(p, second, onefold_op_reduce_mean, first)) return online_sum{what, reduction, second};
    if (is_centre(p, first, onefold_op_reduce_mean, second)) return online_sum{what, reduction, first, true};
    return std::nullopt;
}

size_t add_deviations(row_program &p, size_t squares) {
    const size_t value = p.instructions[squares].arguments[0];
    const auto known = std::find_if(p.instructions.begin(), p.instructions.end(), [&](const row_instruction &i) {
        return is_total(i) && !i.squares && i.arguments[0] == value;
    });
    if (known != p.instructions.end()) return static_cast<size_t>(known - p.instructions.begin());
    p.instructions.push_back(
        {row_opcode::reduce, onefold_op_reduce_sum, false, false, onefold_f32, {}, p.instructions[squares].arguments});
    return p.instructions.size() - 1;
}

} // namespace

std::vector<online_sum> add_online_sums(row_program &p) {
    const auto levels = levels_of(p);
    const bool stores_early = std::any_of(p.outputs.begin(), p.outputs.end(), [&](const row_output &output) {
        return p.instructions[output.value].varies && levels[output.value] == 1;
    });
    if (stores_early) return {};
    std::vector<online_sum> sums;
    for (size_t i = 0; i < levels.size(); ++i) {
        if (p.instructions[i].code != row_opcode::reduce || levels[i] != 2) continue;
        const auto sum = match(p, i);
        if (!sum) return {};
        sums.push_back(*sum);
    }
    if (p.instructions.size() + sums.size() > most_instructions) return {};
    for (online_sum &sum : sums)
        if (sum.what == online_sum::form::squares) sum.deviations = add_deviations(p, sum.reduction);
    return sums;
}

double moved_deviations(double sum, double count, double shift) { return sum + count * shift; }

double moved_squares(double squares, double deviations, double count, double shift) {
    const double moved = squares + shift * (2 * deviations + count * shift);
    return moved < 0 ? 0 : moved; // by rounding
}

double moved_exponentials(double sum, double block_maximum, double maximum) {
    if (block_maximum == maximum) return sum;
    if (block_maximum == -std::numeric_limits<double>::infinity()) return 0;
    return sum * std::exp(block_maximum - maximum);
}

} // namespace onefold::impl::simd
