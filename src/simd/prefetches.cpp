#include "simd/prefetches.hpp"

#include <algorithm>

#include "compile/loop_space.hpp"

namespace onefold::impl::simd {

namespace {

constexpr double far_bytes = 16.0 * 1024 * 1024; // inputs of so many come from memory, or a far cache

bool is_long(const row_program &p, const row_phase &phase) {
    return std::any_of(phase.actions.begin(), phase.actions.end(), [&](const tile_action &a) {
        const bool is_computed = a.what == tile_action::kind::compute && !phase.is_read_from_cache[a.index];
        return is_computed && p.instructions[a.index].code == row_opcode::unary &&
               is_transcendental(p.instructions[a.index].op);
    });
}

bool is_streamed(const row_geometry &g, size_t operand, data_type type) {
    return g.kept.strides[operand] != 0 && g.along_a_row().strides[operand] == size_of(type);
}

class prefetch_planner {
public:
    prefetch_planner(row_schedule &schedule, const row_program &p, const row_geometry &g)
        : schedule_(schedule), program_(p), geometry_(g) {}

    void add_all() {
        auto &phases = schedule_.phases;
        const size_t count = phases.size();
        if (count < 2) return;
        const auto before_last = phases.end() - 1;
        const auto found =
            std::find_if(phases.begin(), before_last, [&](const row_phase &phase) { return is_long(program_, phase); });
        const bool has_long = found != before_last;
        const auto begin = has_long ? static_cast<size_t>(found - phases.begin()) : size_t{0};
        spread_reads(begin, has_long ? begin + 1 : count);
        if (has_long || bytes_ > far_bytes) spread_writes(begin, has_long ? begin + 1 : count - 1);
    }

private:
    void spread_reads(size_t begin, size_t end) {
        const auto elements =
            static_cast<double>(kept_count(program_.space)) * static_cast<double>(reduced_count(program_.space));
        for (const size_t input : streamed_inputs(program_, geometry_)) {
            bytes_ += elements * static_cast<double>(size_of(program_.inputs[input].type));
            spread(input, program_.inputs[input].type, false, begin, end);
        }
    }

    void spread_writes(size_t begin, size_t end) {
        for (const tile_action &a : schedule_.phases.back().actions) {
            if (a.what != tile_action::kind::store) continue;
            const size_t operand = program_.inputs.size() + a.index;
            const data_type type = program_.outputs[a.index].to.type;
            if (is_streamed(geometry_, operand, type)) spread(operand, type, true, begin, end);
        }
    }

    void spread(size_t operand, data_type type, bool is_written, size_t begin, size_t end) {
        const auto parts = static_cast<int64_t>(end - begin);
        for (int64_t part = 0; part < parts; ++part)
            schedule_.phases[begin + static_cast<size_t>(part)].prefetches.push_back({operand, type, is_written, part, parts});
    }

    row_schedule &schedule_;
    const row_program &program_;
    const row_geometry &geometry_;
    double bytes_ = 0; // that are read
};

} // namespace

void add_prefetches(row_schedule &schedule, const row_program &p, const row_geometry &g) {
    prefetch_planner(schedule, p, g).add_all();
}

std::vector<size_t> streamed_inputs(const row_program &p, const row_geometry &g) {
    std::vector<size_t> streamed;
    for (const row_instruction &i : p.instructions)
        if (i.code == row_opcode::load && i.varies && is_streamed(g, i.arguments[0], p.inputs[i.arguments[0]].type))
            streamed.push_back(i.arguments[0]);
    return streamed;
}

} // namespace onefold::impl::simd
