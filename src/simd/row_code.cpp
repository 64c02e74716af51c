#include "simd/row_code.hpp"

#include <algorithm>

#include "simd/row_emitter.hpp"

namespace onefold::impl::simd {

namespace {

class compiled_rows : public row_code {
public:
    explicit compiled_rows(row_computation c)
        : computation_(std::move(c)), code_(computation_), run_(code_.getCode<void (*)(row_call *)>()) {}
    int64_t grouped_rows() const override { return computation_.grouped_rows; }
    const std::vector<size_t> &converted_loads() const override { return computation_.converted_loads; }
    void run(row_call &call) const override { run_(&call); }

private:
    const row_computation computation_;
    row_emitter code_;
    void (*run_)(row_call *);
};

/// Brings a program's passes together.
class row_compiler {
public:
    row_compiler(const row_program &p, const row_schedule &schedule, const row_geometry &g, const row_kernels &kernels,
                 const std::vector<phase_code> &phases)
        : program_(p),
          schedule_(schedule),
          geometry_(g),
          kernels_(kernels),
          phases_(phases),
          operands_(p.inputs.size() + p.outputs.size()) {}

    /// False where it cannot be.
    bool take_all(const std::vector<size_t> &common) {
        const bool is_row = geometry_.results_are_rows && geometry_.outer_reduced.count() == 1 && !geometry_.goes_by_passes();
        const bool is_small = program_.instructions.size() <= most_row_instructions &&
                              operands_ + schedule_.cached.size() + program_.inputs.size() <= most_streams;
        if (!is_row || !is_small) return false;
        made_.operand_count = operands_;
        made_.length = geometry_.reduced.length;
        made_.grouped_rows = grouped_rows();
        for (const size_t i : schedule_.first_results)
            if (std::find(common.begin(), common.end(), i) == common.end() && !take_value(i, nullptr, made_.first_values))
                return false;
        for (size_t phase = 0; phase < phases_.size(); ++phase)
            if (!take_pass(schedule_.phases[phase], phases_[phase])) return false;
        for (size_t o = 0; o < program_.outputs.size(); ++o) {
            const row_output &output = program_.outputs[o];
            if (program_.instructions[output.value].varies) continue;
            if (arithmetic_type(output.to.type) != onefold_f32) return false;
            made_.stores.push_back({output.value, program_.inputs.size() + o, output.to.type});
        }
        return true;
    }

    row_computation computation() && { return std::move(made_); }

private:
    /// So many that what a group's passes read stays in the nearest cache.
    int64_t grouped_rows() const {
        constexpr int64_t near_bytes = 24 * 1024;
        int64_t bytes = static_cast<int64_t>(schedule_.cached.size() * sizeof(float));
        for (const row_instruction &i : program_.instructions)
            if (i.code == row_opcode::load && i.varies) bytes += size_of(program_.inputs[i.arguments[0]].type);
        return std::clamp<int64_t>(near_bytes / std::max<int64_t>(1, made_.length * bytes), 1, most_grouped_rows);
    }

    bool take_pass(const row_phase &phase, const phase_code &code) {
        const bool is_all = code.exists() && code.behind.empty() &&
                            std::all_of(code.before.begin(), code.before.end(), [&](const tile_action &a) {
                                return phase.is_read_from_cache[a.index] && !kernels_.of(a.index).is_alike;
                            });
        if (!is_all) return false;
        row_pass pass;
        pass.elements = code.computation;
        for (const bound_stream &s : code.streams)
            if (s.in != bound_stream::place::total) pass.places.push_back(place_of(s));
        for (size_t s = 0; s < pass.elements.sources.size(); ++s)
            if (pass.places[s] < program_.inputs.size() && is_the_same_for_all_rows(pass.places[s])) {
                pass.places[s] = converted_place(pass.elements.sources[s].value);
                pass.elements.sources[s].type = onefold_f32;
            }
        for (const prefetched_part &part : phase.prefetches) {
            const int64_t size = size_of(part.type);
            pass.prefetches.push_back(
                {part.operand, part.is_written, part.begin(made_.length) * size, part.end(made_.length) * size});
        }
        for (const size_t i : phase.results)
            if (!take_value(i, &code, pass.values)) return false;
        if (pass.values.size() + 2 * pass.elements.reductions.size() > most_values) return false;
        made_.passes.push_back(std::move(pass));
        return true;
    }

    /// Then it need not be converted in each of them.
    bool is_the_same_for_all_rows(size_t input) const {
        const dims &strides = geometry_.outer_kept.strides[input];
        return program_.inputs[input].type != onefold_f32 && geometry_.kept.strides[input] == 0 &&
               std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 0; });
    }

    size_t converted_place(size_t load) {
        auto &loads = made_.converted_loads;
        const auto known = std::find(loads.begin(), loads.end(), load);
        const auto number = static_cast<size_t>(known - loads.begin());
        if (known == loads.end()) loads.push_back(load);
        return operands_ + schedule_.cached.size() + number;
    }

    /// The number of a stream's pointer; one value a row needs none.
    size_t place_of(const bound_stream &s) const {
        if (s.in == bound_stream::place::memory) return s.index;
        const size_t cache = kernels_.of(s.index).cache;
        return cache == not_cached ? no_place : operands_ + cache;
    }

    bool take_value(size_t i, const phase_code *behind, std::vector<row_value> &values) const {
        const row_instruction &instruction = program_.instructions[i];
        row_value v;
        v.value = i;
        v.is_divisor = kernels_.of(i).is_divisor;
        switch (instruction.code) {
        case row_opcode::load:
            if (is_cast(program_, instruction)) return false;
            v.by = row_value::way::load;
            v.place = instruction.arguments[0];
            v.type = program_.inputs[v.place].type;
            break;
        case row_opcode::reduce: {
            v.by = row_value::way::total;
            const auto &reductions = behind->reductions;
            v.reduction = static_cast<size_t>(std::find(reductions.begin(), reductions.end(), i) - reductions.begin());
            break;
        }
        default:
            if (!has_tile_code(instruction.code, instruction.op)) return false;
            v.by = row_value::way::compute;
            v.instruction = {
                i, instruction.code, instruction.op, instruction.type, instruction.attributes, instruction.arguments};
        }
        values.push_back(std::move(v));
        return true;
    }

    static constexpr size_t most_values = 24; // a register is for each, and for totals

    const row_program &program_;
    const row_schedule &schedule_;
    const row_geometry &geometry_;
    const row_kernels &kernels_;
    const std::vector<phase_code> &phases_;
    size_t operands_;
    row_computation made_;
};

} // namespace

std::unique_ptr<const row_code> compile_rows(const row_program &p, const row_schedule &schedule, const row_geometry &g,
                                             const row_kernels &kernels, const std::vector<phase_code> &phases,
                                             const std::vector<size_t> &common) {
    row_compiler compiler(p, schedule, g, kernels, phases);
    if (!compiler.take_all(common)) return nullptr;
    try {
        return std::make_unique<const compiled_rows>(std::move(compiler).computation());
    } catch (const asm86::Error &) {
        return nullptr;
    }
}

} // namespace onefold::impl::simd
