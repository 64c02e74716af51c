#include "simd/vector_emitter.hpp"

#include <algorithm>

namespace onefold::impl::simd {

bool vector_emitter::fits(const tile_computation &c) {
    const auto extremes =
        std::count_if(c.reductions.begin(), c.reductions.end(), [](const tile_reduction &r) { return is_extreme(r.op); });
    return vector_count(c) + scratch_registers + totals_registers(c) <= vector_registers &&
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
        if (source.by == tile_stream::way::elements) take(source.value);
    for (size_t i = 0; i < c.instructions.size(); ++i) {
        // Not yet those that the instruction reads: it may need them behind its first write.
        take(c.instructions[i].value);
        for (const size_t argument : c.instructions[i].arguments)
            if (registers.count(argument) != 0 && last_use[argument] == i) taken[registers[argument]] = false;
    }
    count = taken.size();
    return registers;
}

size_t vector_emitter::vector_count(const tile_computation &c) {
    size_t count = 0;
    allocate(c, count);
    return count;
}

size_t vector_emitter::totals_registers(const tile_computation &c) {
    size_t count = 0;
    for (const tile_reduction &r : c.reductions)
        count += total_registers(r);
    return count;
}

void vector_emitter::enter(const tile_computation &c, std::vector<size_t> pointers) {
    computation_ = &c;
    pointers_ = std::move(pointers);
    registers_ = allocate(c, a_vector_);
    const size_t free = vector_registers - scratch_registers - totals_registers(c);
    most_at_once_ = std::clamp<size_t>(free / std::max<size_t>(1, a_vector_), 1, largest_at_once);
    size_t next = free;
    totals_.clear();
    for (const tile_reduction &r : c.reductions) {
        totals_.push_back(next);
        next += total_registers(r);
    }
}

void vector_emitter::keep_in_memory(size_t value, size_t offset) {
    registers_.erase(value);
    repeated_[value] = offset;
}

vector_emitter::vector vector_emitter::register_of(size_t value, size_t which) const {
    return in_lanes(which * a_vector_ + registers_.at(value));
}

void vector_emitter::emit_vectors(size_t count, bool is_tail) {
    const auto is_masked = [&](size_t which) { return is_tail && which + 1 == count; };
    const auto &sources = computation_->sources;
    for (size_t s = 0; s < sources.size(); ++s)
        if (sources[s].by == tile_stream::way::elements) {
            mov(base_, pointer_of(s));
            for (size_t k = 0; k < count; ++k)
                load(sources[s], k, is_masked(k));
        }
    for (const tile_instruction &i : computation_->instructions)
        for (size_t k = 0; k < count; ++k)
            emit(i, k);
    for (size_t r = 0; r < computation_->results.size(); ++r) {
        mov(base_, pointer_of(sources.size() + r));
        for (size_t k = 0; k < count; ++k)
            store(computation_->results[r], k, is_masked(k));
    }
    for (size_t r = 0; r < computation_->reductions.size(); ++r)
        take_in(r, count, is_tail);
}

asm86::Address vector_emitter::element_at(data_type type, size_t which) const {
    const size_t size = type == onefold_f32 ? 4 : 2;
    return ptr[base_ + index_ * static_cast<int>(size) + which * lanes * size];
}

void vector_emitter::load(const tile_stream &source, size_t which, bool is_tail) {
    const vector plain = register_of(source.value, which);
    const vector to = is_tail ? plain | tail_ | T_z : plain;
    const asm86::Address from = element_at(source.type, which);
    if (source.type == onefold_f32) return vmovups(to, from);
    if (source.type == onefold_f16) return vcvtph2ps(to, from);
    vpmovzxwd(to, from);
    vpslld(plain, plain, 16);
}

void vector_emitter::store(const tile_stream &result, size_t which, bool is_tail) {
    const vector from = register_of(result.value, which);
    const asm86::Address to = element_at(result.type, which);
    if (result.type == onefold_f32) return is_tail ? vmovups(to | tail_, from) : vmovups(to, from);
    if (result.type == onefold_f16) return is_tail ? vcvtps2ph(to | tail_, from, 0) : vcvtps2ph(to, from, 0);
    emit_bf16(from);
    if (is_tail)
        vpmovdw(to | tail_, scratch(1));
    else
        vpmovdw(to, scratch(1));
}

} // namespace onefold::impl::simd
