#include "simd/row_overwriting.hpp"

#include <algorithm>

#include "simd/row_schedule.hpp"

namespace onefold::impl::simd {

namespace {

class overwriting {
public:
    /// Caching takes reads away, but adds none.
    explicit overwriting(const row_program &p) : program_(p), schedule_(make_schedule(p, false)) {}

    /// Elements of a unit, and of its tiles, are read by no other unit or tile where they lie where the output's do. Results,
    /// one for each row, are read before the first pass and stored behind the last one.
    bool is_possible(const operand &input, const row_output &output) const {
        const bool varies = program_.instructions[output.value].varies;
        if (input.type != output.to.type || input.strides != output.to.strides) return false;
        for (size_t i = 0; i < program_.instructions.size(); ++i) {
            if (!is_load_of(input, i)) continue;
            if (program_.instructions[i].varies != varies) return false;
            if (varies && !is_read_before(i, output)) return false;
        }
        return true;
    }

private:
    bool is_load_of(const operand &input, size_t i) const {
        const row_instruction &instruction = program_.instructions[i];
        return instruction.code == row_opcode::load && program_.inputs[instruction.arguments[0]].buffer == input.buffer;
    }

    /// The output is stored by the last pass, which no doubtful sum makes run again, and nothing behind the output's value
    /// reads the load there: that value may be computed where it is stored.
    bool is_read_before(size_t load, const row_output &output) const {
        const row_phase &last = schedule_.phases.back();
        if (!last.reductions.empty()) return false;
        const auto is_store = [&](const tile_action &a) {
            return a.what == tile_action::kind::store && &program_.outputs[a.index] == &output;
        };
        if (std::none_of(last.actions.begin(), last.actions.end(), is_store)) return false;
        bool is_computed = false;
        for (const tile_action &action : last.actions) {
            if (is_computed && reads(action, load)) return false;
            is_computed = is_computed || (action.what == tile_action::kind::compute && action.index == output.value);
        }
        return true;
    }

    bool reads(const tile_action &action, size_t load) const {
        if (action.what != tile_action::kind::compute) return false;
        const row_instruction &i = program_.instructions[action.index];
        if (i.code == row_opcode::load) return action.index == load;
        return std::find(i.arguments.begin(), i.arguments.end(), load) != i.arguments.end();
    }

    const row_program &program_;
    row_schedule schedule_;
};

} // namespace

std::vector<std::pair<size_t, size_t>> find_overwrites(const row_program &p) {
    const overwriting possible(p);
    std::vector<std::pair<size_t, size_t>> pairs;
    for (const operand &input : p.inputs)
        for (const row_output &output : p.outputs)
            if (possible.is_possible(input, output)) pairs.emplace_back(input.buffer, output.to.buffer);
    return pairs;
}

} // namespace onefold::impl::simd
