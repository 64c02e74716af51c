#include "simd/vector_emitter.hpp"

#include <algorithm>

namespace onefold::impl::simd {

bool vector_emitter::fits(const tile_computation &c) {
    const auto extremes =
        std::count_if(c.reductions.begin(), c.reductions.end(), [](const tile_reduction &r) { return is_extreme(r.op); });
    return vector_count(c) + scratch_registers + totals_registers(c) + shared_count(c) <= vector_registers &&
           static_cast<size_t>(extremes) <= most_extremes;
}

std::map<size_t, size_t> vector_emitter::allocate(const tile_computation &c, size_t &count) {
    std::map<size_t, size_t> last_use;
    for (size_t i = 0; i < c.instructions.size(); ++i)
        for (const size_t argument : c.instructions[i].arguments)
            last_use[argument] = i;
    for (const tile_stream &result : c.results)
        last_use[result.value] = c.instructions.size();
    for (const tile_reduction &reduction : c.reductions)
        last_use[reduction.value] = c.instructions.size();
    std::map<size_t, size_t> registers;
    std::vector<bool> taken;
    const auto take = [&](size_t value) {
        const auto found = std::find(taken.begin(), taken.end(), false);
        registers[value] = static_cast<size_t>(found - taken.begin());
        if (found == taken.end())
            taken.push_back(true);
        else
            *found = true;
    };
    for (const tile_stream &source : c.sources)
        if (takes_registers(c, source)) take(source.value);
    for (size_t i = 0; i < c.instructions.size(); ++i) {
        // Not yet those that the instruction reads: it may need them behind its first write.
        take(c.instructions[i].value);
        for (const size_t argument : c.instructions[i].arguments)
            if (registers.count(argument) != 0 && last_use[argument] == i) taken[registers[argument]] = false;
    }
    count = taken.size();
    return registers;
}

/// One for each vector.
bool vector_emitter::takes_registers(const tile_computation &c, const tile_stream &source) {
    return source.by == tile_stream::way::elements || (c.reduces_columns && source.by == tile_stream::way::repeated);
}

/// Sources that must have a register for all vectors.
size_t vector_emitter::shared_count(const tile_computation &c) {
    return static_cast<size_t>(
        std::count_if(c.sources.begin(), c.sources.end(), [](const tile_stream &s) { return s.by == tile_stream::way::row; }));
}

size_t vector_emitter::vector_count(const tile_computation &c) {
    size_t count = 0;
    allocate(c, count);
    return count;
}

size_t vector_emitter::totals_registers(const tile_computation &c) {
    size_t count = 0;
    for (const tile_reduction &r : c.reductions)
        count += total_registers(c, r);
    return count;
}

void vector_emitter::enter(const tile_computation &c, std::vector<pointer_place> pointers_of_streams) {
    computation_ = &c;
    pointers_ = std::move(pointers_of_streams);
    registers_ = allocate(c, a_vector_);
    spread_registers();
}

/// Of those that neither totals nor scratch need: for single values as long as there are enough for some vectors at a time.
void vector_emitter::spread_registers() {
    constexpr size_t enough_at_once = 4;
    size_t free = vector_registers - scratch_registers - totals_registers(*computation_);
    const size_t first_total = free;
    const size_t a_vector = std::max<size_t>(1, a_vector_);
    broadcast_.clear();
    for (const tile_stream &source : computation_->sources) {
        if (takes_registers(*computation_, source)) continue;
        const bool has_room = (free - 1) / a_vector >= std::min(enough_at_once, free / a_vector) && free > a_vector;
        if (source.by == tile_stream::way::row || has_room) broadcast_[source.value] = --free;
    }
    const bool is_short = computation_->instructions.size() < enough_instructions;
    most_at_once_ = std::clamp<size_t>(free / a_vector, 1, is_short ? most_added : largest_at_once);
    totals_.clear();
    size_t next = first_total;
    for (const tile_reduction &r : computation_->reductions) {
        totals_.push_back(next);
        next += total_registers(*computation_, r);
    }
}

void vector_emitter::broadcast_values() {
    for (const auto &[value, number] : broadcast_)
        vbroadcastss(in_lanes(number), ptr[values_base_ + repeated_.at(value)]);
}

void vector_emitter::keep_in_memory(size_t value, size_t offset) {
    registers_.erase(value);
    repeated_[value] = offset;
}

vector_emitter::vector vector_emitter::register_of(size_t value, size_t which) const {
    const auto broadcast = broadcast_.find(value);
    return in_lanes(broadcast != broadcast_.end() ? broadcast->second : which * a_vector_ + registers_.at(value));
}

asm86::Reg64 vector_emitter::pointer_at(const pointer_place &place) {
    if (const auto *in_register = std::get_if<asm86::Reg64>(&place)) return *in_register;
    mov(base_, ptr[call_ + std::get<size_t>(place)]);
    return base_;
}

void vector_emitter::emit_vectors(size_t count, bool is_tail) {
    for (size_t s = 0; s < computation_->sources.size(); ++s)
        load(s, count, is_tail);
    for (const tile_instruction &i : computation_->instructions)
        for (size_t k = 0; k < count; ++k)
            emit(i, k);
    for (size_t r = 0; r < computation_->results.size(); ++r)
        store(r, count, is_tail);
    for (size_t r = 0; r < computation_->reductions.size(); ++r)
        take_in(r, count, is_tail);
}

} // namespace onefold::impl::simd
