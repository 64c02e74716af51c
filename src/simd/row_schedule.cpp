#include "simd/row_schedule.hpp"

#include <algorithm>

namespace onefold::impl::simd {

namespace {

bool contains(const std::vector<size_t> &values, size_t value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

/// Rows of elements that are not f32 are converted once, if there is room for them in the nearest cache.
bool is_worth_caching(const row_program &p, const row_instruction &i) {
    constexpr int64_t longest_row = 3072;
    if (i.code != row_opcode::load) return is_expensive(i);
    const data_type type = p.inputs[i.arguments[0]].type;
    return p.space.reduced.back() && type != onefold_f32 && (is_cast(p, i) || p.space.sizes.back() <= longest_row);
}

/// What is done in one pass.
class phase_builder {
public:
    phase_builder(const row_program &p, const std::vector<size_t> &levels, size_t phase)
        : program_(p), levels_(levels), phase_(phase), needed_(p.instructions.size()) {
        find_needed({});
    }

    bool needs(size_t value) const { return needed_[value]; }

    /// Nothing behind what is cached by an earlier pass.
    void find_needed(const std::vector<size_t> &cached) {
        std::fill(needed_.begin(), needed_.end(), false);
        for (size_t i = 0; i < needed_.size(); ++i)
            if (is_reduced_here(i)) need(program_.instructions[i].arguments[0], cached);
        for (const row_output &output : program_.outputs)
            if (is_stored_here(output)) need(output.value, cached);
    }

    row_phase build(const std::vector<size_t> &cached) const {
        row_phase phase;
        for (size_t i = 0; i < needed_.size(); ++i) {
            if (!needed_[i]) continue;
            phase.actions.push_back({tile_action::kind::compute, i});
            for (size_t k = 0; k < needed_.size(); ++k)
                if (is_reduced_here(k) && program_.instructions[k].arguments[0] == i)
                    phase.actions.push_back({tile_action::kind::reduce, k});
            for (size_t k = 0; k < program_.outputs.size(); ++k)
                if (is_stored_here(program_.outputs[k]) && program_.outputs[k].value == i)
                    phase.actions.push_back({tile_action::kind::store, k});
        }
        for (size_t i = 0; i < needed_.size(); ++i)
            if (needed_[i] && !contains(cached, i) && program_.instructions[i].code != row_opcode::load)
                for (const size_t argument : program_.instructions[i].arguments)
                    if (!program_.instructions[argument].varies && !contains(phase.read_results, argument))
                        phase.read_results.push_back(argument);
        assign_registers(phase, cached);
        phase.is_read_from_cache.assign(needed_.size(), false);
        for (const size_t value : cached)
            phase.is_read_from_cache[value] = true;
        for (size_t i = 0; i < needed_.size(); ++i) {
            if (!program_.instructions[i].varies && levels_[i] == phase_ + 1) phase.results.push_back(i);
            if (is_reduced_here(i)) phase.reductions.push_back(i);
        }
        return phase;
    }

private:
    bool is_reduced_here(size_t i) const {
        return program_.instructions[i].code == row_opcode::reduce && levels_[i] == phase_ + 1;
    }
    bool is_stored_here(const row_output &output) const {
        return program_.instructions[output.value].varies && levels_[output.value] == phase_;
    }

    void need(size_t value, const std::vector<size_t> &cached) {
        const row_instruction &i = program_.instructions[value];
        if (!i.varies || needed_[value]) return;
        needed_[value] = true;
        if (i.code == row_opcode::load || contains(cached, value)) return;
        for (const size_t argument : i.arguments)
            need(argument, cached);
    }

    /// A register is free again behind the last action that reads it. What is read may be one value a row, so that nothing is
    /// written where it is read.
    void assign_registers(row_phase &phase, const std::vector<size_t> &cached) const {
        const size_t count = program_.instructions.size();
        std::vector<size_t> last_use(count, 0);
        for (size_t at = 0; at < phase.actions.size(); ++at)
            for (const size_t value : read_by(phase.actions[at], cached))
                last_use[value] = at;
        phase.registers.assign(count, no_register);
        std::vector<size_t> free_from; // of each register: the action behind which it is free
        for (size_t at = 0; at < phase.actions.size(); ++at) {
            if (phase.actions[at].what != tile_action::kind::compute) continue;
            const size_t value = phase.actions[at].index;
            const auto found = std::find_if(free_from.begin(), free_from.end(), [&](size_t last) { return last < at; });
            phase.registers[value] = static_cast<size_t>(found - free_from.begin());
            if (found == free_from.end())
                free_from.push_back(std::max(last_use[value], at + 1));
            else
                *found = std::max(last_use[value], at + 1);
        }
        phase.register_count = free_from.size();
    }

    std::vector<size_t> read_by(const tile_action &action, const std::vector<size_t> &cached) const {
        if (action.what == tile_action::kind::store) return {program_.outputs[action.index].value};
        const row_instruction &i = program_.instructions[action.index];
        if (i.code == row_opcode::load || contains(cached, action.index)) return {};
        std::vector<size_t> values;
        for (const size_t argument : i.arguments)
            if (program_.instructions[argument].varies) values.push_back(argument);
        return values;
    }

    const row_program &program_;
    const std::vector<size_t> &levels_;
    size_t phase_;
    std::vector<bool> needed_;
};

size_t phase_count(const row_program &p, const std::vector<size_t> &levels) {
    size_t count = 0;
    for (size_t i = 0; i < p.instructions.size(); ++i)
        if (p.instructions[i].code == row_opcode::reduce) count = std::max(count, levels[i]);
    for (const row_output &output : p.outputs)
        if (p.instructions[output.value].varies) count = std::max(count, levels[output.value] + 1);
    return count;
}

} // namespace

size_t row_schedule::register_count() const {
    size_t most = 0;
    for (const row_phase &phase : phases)
        most = std::max(most, phase.register_count);
    return most;
}

bool is_transcendental(op_kind op) {
    switch (op) {
    case onefold_op_elu:
    case onefold_op_exp:
    case onefold_op_gelu:
    case onefold_op_log:
    case onefold_op_mish:
    case onefold_op_sigmoid:
    case onefold_op_softplus:
    case onefold_op_tanh:
        return true;
    default:
        return false;
    }
}

bool is_expensive(const row_instruction &i) {
    switch (i.code) {
    case row_opcode::root:
    case row_opcode::reciprocal_sqrt:
        return true;
    case row_opcode::binary:
        return i.op == onefold_op_divide;
    case row_opcode::unary:
        return is_transcendental(i.op) || i.op == onefold_op_sqrt || i.op == onefold_op_reciprocal;
    default:
        return false;
    }
}

std::vector<size_t> levels_of(const row_program &p) {
    std::vector<size_t> levels;
    for (const row_instruction &i : p.instructions) {
        size_t level = 0;
        if (i.code != row_opcode::load)
            for (const size_t argument : i.arguments)
                level = std::max(level, levels[argument]);
        levels.push_back(level + (i.code == row_opcode::reduce ? 1 : 0));
    }
    return levels;
}

row_schedule make_schedule(const row_program &p, bool may_cache) {
    const auto levels = levels_of(p);
    std::vector<phase_builder> builders;
    for (size_t phase = 0; phase < phase_count(p, levels); ++phase)
        builders.emplace_back(p, levels, phase);
    row_schedule schedule;
    for (size_t i = 0; i < p.instructions.size(); ++i) {
        if (!p.instructions[i].varies && levels[i] == 0) schedule.first_results.push_back(i);
        const auto passes = std::count_if(builders.begin(), builders.end(), [&](const auto &b) { return b.needs(i); });
        if (may_cache && passes > 1 && is_worth_caching(p, p.instructions[i])) schedule.cached.push_back(i);
    }
    std::vector<size_t> cached; // by the passes so far
    for (phase_builder &builder : builders) {
        builder.find_needed(cached);
        schedule.phases.push_back(builder.build(cached));
        for (const size_t value : schedule.cached)
            if (builder.needs(value) && !contains(cached, value)) cached.push_back(value);
    }
    return schedule;
}

} // namespace onefold::impl::simd
