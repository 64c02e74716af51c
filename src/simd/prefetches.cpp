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

/// True of an operand that is another one in each piece, and whose elements lie side by side.
bool is_streamed(const row_geometry &g, size_t operand, data_type type) {
    return g.kept.strides[operand] != 0 && g.along_a_row().strides[operand] == size_of(type);
}

class prefetch_planner {
public:
    prefetch_planner(const row_program &p, const row_schedule &schedule, const row_geometry &g)
        : program_(p), schedule_(schedule), geometry_(g), planned_(schedule.phases.size()) {}

    std::vector<std::vector<prefetched_part>> plan() && {
        const size_t count = planned_.size();
        if (count < 2) return std::move(planned_);
        const auto before_last = schedule_.phases.end() - 1;
        const auto found = std::find_if(schedule_.phases.begin(), before_last,
                                        [&](const row_phase &phase) { return is_long(program_, phase); });
        const bool has_long = found != before_last;
        const auto begin = has_long ? static_cast<size_t>(found - schedule_.phases.begin()) : size_t{0};
        spread_reads(begin, has_long ? begin + 1 : count);
        if (has_long || bytes_ > far_bytes) spread_writes(begin, has_long ? begin + 1 : count - 1);
        return std::move(planned_);
    }

private:
    void spread_reads(size_t begin, size_t end) {
        const double elements =
            static_cast<double>(kept_count(program_.space)) * static_cast<double>(reduced_count(program_.space));
        for (const row_instruction &i : program_.instructions) {
            if (i.code != row_opcode::load || !i.varies) continue;
            const size_t input = i.arguments[0];
            const data_type type = program_.inputs[input].type;
            if (!is_streamed(geometry_, input, type)) continue;
            bytes_ += elements * static_cast<double>(size_of(type));
            spread(input, false, begin, end);
        }
    }

    void spread_writes(size_t begin, size_t end) {
        for (const tile_action &a : schedule_.phases.back().actions) {
            if (a.what != tile_action::kind::store) continue;
            const size_t operand = program_.inputs.size() + a.index;
            if (is_streamed(geometry_, operand, program_.outputs[a.index].to.type)) spread(operand, true, begin, end);
        }
    }

    void spread(size_t operand, bool is_written, size_t begin, size_t end) {
        const auto parts = static_cast<int64_t>(end - begin);
        for (int64_t part = 0; part < parts; ++part)
            planned_[begin + static_cast<size_t>(part)].push_back({operand, is_written, part, parts});
    }

    const row_program &program_;
    const row_schedule &schedule_;
    const row_geometry &geometry_;
    std::vector<std::vector<prefetched_part>> planned_;
    double bytes_ = 0; // that are read
};

} // namespace

std::vector<std::vector<prefetched_part>> plan_prefetches(const row_program &p, const row_schedule &schedule,
                                                          const row_geometry &g) {
    return prefetch_planner(p, schedule, g).plan();
}

} // namespace onefold::impl::simd
