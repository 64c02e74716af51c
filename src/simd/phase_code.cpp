#include "simd/phase_code.hpp"

#include <algorithm>
#include <string_view>

namespace onefold::impl::simd {

namespace {

using way = row_kernel::way;

/// Divides the actions of a pass between code and kernels.
class phase_compiler {
public:
    phase_compiler(const row_program &p, const row_phase &phase, const row_kernels &kernels, bool results_are_rows)
        : program_(p), phase_(phase), kernels_(kernels), results_are_rows_(results_are_rows) {
        computation_.reduces_columns = !results_are_rows;
    }

    /// False where it cannot be.
    bool divide() {
        return std::all_of(phase_.actions.begin(), phase_.actions.end(), [&](const tile_action &action) {
            switch (action.what) {
            case tile_action::kind::compute:
                return take_value(action);
            case tile_action::kind::reduce:
                return take_reduction(action);
            case tile_action::kind::store:
                return take_store(action);
            }
            return false;
        });
    }

    void take_prefetches() {
        for (const prefetched_part &part : phase_.prefetches) {
            if (made_.prefetches.size() == most_prefetches) return;
            computation_.prefetches.push_back({part.type, part.is_written, static_cast<size_t>(part.parts)});
            made_.prefetches.push_back(part);
        }
    }

    phase_code compile() {
        if (computation_.instructions.empty() && computation_.reductions.empty()) return {};
        tile_computation dividing = computation_;
        for (tile_instruction &i : dividing.instructions)
            divide_in(i);
        for (tile_instruction &i : computation_.instructions)
            multiply_in(i);
        made_.multiplying = compile_tile(computation_);
        made_.dividing = made_.divisors.empty() ? nullptr : compile_tile(dividing);
        const bool is_whole = made_.multiplying && (made_.dividing || made_.divisors.empty());
        if (!is_whole) return {};
        made_.registers.assign(program_.instructions.size(), no_register);
        bind_streams();
        made_.computation = std::move(computation_);
        return std::move(made_);
    }

private:
    bool take_value(const tile_action &action) {
        const size_t i = action.index;
        const row_kernel &k = kernels_.of(i);
        if (phase_.is_read_from_cache[i]) {
            add_source(i, k.is_alike ? tile_stream::way::repeated : tile_stream::way::elements, onefold_f32);
            made_.before.push_back(action); // tells where it is
            return true;
        }
        if (k.by == way::in_place || k.by == way::converted) {
            if (k.inner_stride != 1) return false;
            add_source(i, tile_stream::way::elements, program_.inputs[k.operand].type);
            if (k.cache != not_cached) add_result(i, onefold_f32, no_output);
            return true;
        }
        if (k.by == way::repeated || k.by == way::cast) {
            made_.before.push_back(action);
            add_source(i, k.is_alike ? tile_stream::way::repeated : tile_stream::way::elements, onefold_f32);
            return true;
        }
        return take_instruction(i, k);
    }

    bool take_instruction(size_t i, const row_kernel &k) {
        const row_instruction &instruction = program_.instructions[i];
        if (!has_tile_code(instruction.code, instruction.op)) return false;
        if (k.is_alike && (k.cache != not_cached || is_reduced(i))) return false;
        for (const size_t argument : instruction.arguments)
            if (!program_.instructions[argument].varies)
                add_source(argument, results_are_rows_ ? tile_stream::way::repeated : tile_stream::way::row, onefold_f32);
        computation_.instructions.push_back({i, instruction.code, instruction.op, instruction.type, instruction.attributes,
                                             instruction.arguments, is_below_maximum(instruction.arguments[0])});
        if (k.by == way::quotient) made_.divisors.push_back(k.divided[k.argument_count - 1]);
        if (k.cache != not_cached) add_result(i, onefold_f32, no_output);
        return true;
    }

    /// True of a - ReduceMax a.
    bool is_below_maximum(size_t i) const {
        const row_instruction &difference = program_.instructions[i];
        if (difference.code != row_opcode::binary || difference.op != onefold_op_subtract) return false;
        const row_instruction &subtracted = program_.instructions[difference.arguments[1]];
        return subtracted.code == row_opcode::reduce && subtracted.op == onefold_op_reduce_max &&
               subtracted.arguments[0] == difference.arguments[0];
    }

    bool is_reduced(size_t i) const {
        return std::any_of(phase_.actions.begin(), phase_.actions.end(), [&](const tile_action &a) {
            return a.what == tile_action::kind::reduce && kernels_.reduction_of(a.index).source == i;
        });
    }

    bool take_reduction(const tile_action &action) {
        const row_reduction &r = kernels_.reduction_of(action.index);
        const row_kernel &source = kernels_.of(r.source);
        if (!source.is_alike && source.by != way::repeated && has_reduction_code(r.op)) {
            if (r.reads_memory) add_source(r.source, tile_stream::way::elements, program_.inputs[source.operand].type);
            computation_.reductions.push_back({r.op, r.squares, r.source});
            made_.reductions.push_back(action.index);
            return true;
        }
        made_.behind.push_back(action);
        if (!r.reads_memory) keep(r.source);
        return true;
    }

    /// A tile for kernels behind the code, where there is none yet.
    void keep(size_t value) {
        const way by = kernels_.of(value).by;
        const bool is_there = phase_.is_read_from_cache[value] || by == way::repeated || by == way::cast;
        if (!is_there) add_result(value, onefold_f32, no_output);
    }

    bool take_store(const tile_action &action) {
        const row_output &output = program_.outputs[action.index];
        const row_kernel &k = kernels_.of(output.value);
        if (arithmetic_type(output.to.type) != onefold_f32 || k.by == way::repeated) {
            if (k.is_alike && k.by != way::repeated) return false;
            made_.behind.push_back(action);
            keep(output.value);
            return true;
        }
        if (kernels_.store_of(action.index).inner_stride != 1) return false;
        add_result(output.value, output.to.type, action.index);
        return true;
    }

    void add_source(size_t value, tile_stream::way by, data_type type) {
        const bool is_known = std::any_of(computation_.sources.begin(), computation_.sources.end(),
                                          [&](const tile_stream &s) { return s.value == value; });
        if (!is_known) computation_.sources.push_back({by, type, value});
    }

    /// One tile of each value in f32 is enough.
    void add_result(size_t value, data_type type, size_t output) {
        for (size_t r = 0; r < outputs_.size(); ++r)
            if (output == no_output && outputs_[r] == no_output && computation_.results[r].value == value) return;
        computation_.results.push_back({tile_stream::way::elements, type, value});
        outputs_.push_back(output);
    }

    static void divide_in(tile_instruction &i) {
        if (i.code == row_opcode::quotient)
            i = {i.value, row_opcode::binary, onefold_op_divide, onefold_f32, {}, {i.arguments[0], i.arguments[1]}};
        if (i.code == row_opcode::subtract_quotient) i.arguments.pop_back();
    }
    static void multiply_in(tile_instruction &i) {
        if (i.code == row_opcode::quotient)
            i = {i.value, row_opcode::binary, onefold_op_multiply, onefold_f32, {}, {i.arguments[0], i.arguments[2]}};
        if (i.code == row_opcode::subtract_quotient)
            i = {i.value,
                 row_opcode::subtract_multiply,
                 onefold_op_wildcard,
                 onefold_f32,
                 {},
                 {i.arguments[0], i.arguments[1], i.arguments[3]}};
    }

    /// What the kernels make, and what is left to them, need a tile each.
    void bind_streams() {
        using place = bound_stream::place;
        for (const tile_stream &s : computation_.sources) {
            const row_kernel &k = kernels_.of(s.value);
            const int64_t size = s.by == tile_stream::way::elements ? size_of(s.type) : 0;
            const bool has_tile = s.by == tile_stream::way::repeated || (k.by == way::cast && k.cache == not_cached);
            if (has_tile) made_.registers[s.value] = made_.register_count++;
            made_.has_tiles = made_.has_tiles || (has_tile && s.by == tile_stream::way::elements);
            if (program_.instructions[s.value].varies && !phase_.is_read_from_cache[s.value] &&
                (k.by == way::in_place || k.by == way::converted))
                made_.streams.push_back({place::memory, k.operand, size});
            else
                made_.streams.push_back({place::values, s.value, size});
        }
        for (size_t r = 0; r < outputs_.size(); ++r) {
            const tile_stream &s = computation_.results[r];
            if (outputs_[r] != no_output) {
                made_.streams.push_back({place::memory, program_.inputs.size() + outputs_[r], size_of(s.type)});
                continue;
            }
            made_.registers[s.value] = made_.register_count++;
            made_.has_tiles = made_.has_tiles || kernels_.of(s.value).cache == not_cached;
            made_.streams.push_back({place::tile, s.value, size_of(s.type)});
        }
        for (const size_t reduction : made_.reductions)
            made_.streams.push_back({place::total, reduction, 0});
    }

    const row_program &program_;
    const row_phase &phase_;
    const row_kernels &kernels_;
    bool results_are_rows_;
    tile_computation computation_;
    std::vector<size_t> outputs_; // of each of its results: the output that it is, or none
    phase_code made_;
};

} // namespace

phase_code compile_phase(const row_program &p, const row_phase &phase, const row_kernels &kernels, const isa &on,
                         bool results_are_rows) {
    if (std::string_view(on.name).substr(0, 4) != "AVX3") return {};
    phase_compiler compiler(p, phase, kernels, results_are_rows);
    if (!results_are_rows) compiler.take_prefetches();
    return compiler.divide() ? compiler.compile() : phase_code{};
}

} // namespace onefold::impl::simd
