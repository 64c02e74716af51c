#include "simd/vector_emitter.hpp"

#include <algorithm>

namespace onefold::impl::simd {

namespace {

bool has_bf16_instructions() {
    static const bool has = asm86::util::Cpu().has(asm86::util::Cpu::tAVX512_BF16);
    return has;
}

bool has_byte_permutations() {
    static const bool has = asm86::util::Cpu().has(asm86::util::Cpu::tAVX512_VBMI);
    return has;
}

} // namespace

void vector_emitter::prepare() {
    if (!has_byte_permutations()) return;
    mov(base_, 0xCCCCCCCCCCCCCCCCU);
    kmovq(upper_halves_, base_);
    vmovups(scratch(4), ptr[rip + words_label_]);
}

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
        const bool has_room = (free - 1) / a_vector >= std::min(enough_at_once, free / a_vector) && free > a_vector;
        if (source.by == tile_stream::way::repeated && has_room) broadcast_[source.value] = --free;
    }
    const bool is_short = computation_->instructions.size() < enough_instructions;
    most_at_once_ = std::clamp<size_t>(free / a_vector, 1, is_short ? most_added : largest_at_once);
    totals_.clear();
    size_t next = first_total;
    for (const tile_reduction &r : computation_->reductions) {
        totals_.push_back(next);
        next += total_registers(r);
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
    const auto is_masked = [&](size_t which) { return is_tail && which + 1 == count; };
    const auto &sources = computation_->sources;
    for (size_t s = 0; s < sources.size(); ++s)
        if (sources[s].by == tile_stream::way::elements) {
            const asm86::Reg64 pointer = pointer_of(s);
            for (size_t k = 0; k < count; ++k)
                load(sources[s], pointer, k, is_masked(k));
        }
    for (const tile_instruction &i : computation_->instructions)
        for (size_t k = 0; k < count; ++k)
            emit(i, k);
    for (size_t r = 0; r < computation_->results.size(); ++r) {
        const asm86::Reg64 pointer = pointer_of(sources.size() + r);
        if (computation_->results[r].type == onefold_bf16 && has_bf16_instructions()) {
            store_bf16_natively(computation_->results[r], pointer, count, is_tail);
            continue;
        }
        for (size_t k = 0; k < count; ++k)
            store(computation_->results[r], pointer, k, is_masked(k));
    }
    for (size_t r = 0; r < computation_->reductions.size(); ++r)
        take_in(r, count, is_tail);
}

asm86::Address vector_emitter::element_at(const asm86::Reg64 &pointer, data_type type, size_t which) const {
    const size_t size = type == onefold_f32 ? 4 : 2;
    return ptr[pointer + index_ * static_cast<int>(size) + which * lanes * size];
}

void vector_emitter::load(const tile_stream &source, const asm86::Reg64 &pointer, size_t which, bool is_tail) {
    const vector plain = register_of(source.value, which);
    const vector to = is_tail ? plain | tail_ | T_z : plain;
    const asm86::Address from = element_at(pointer, source.type, which);
    if (source.type == onefold_f32) return vmovups(to, from);
    if (source.type == onefold_f16) return vcvtph2ps(to, from);
    load_bf16(plain, from, is_tail);
}

/// Words to the upper halves of f32 by one instruction; without it, and where memory may end, by two.
void vector_emitter::load_bf16(const vector &to, const asm86::Address &from, bool is_tail) {
    if (has_byte_permutations() && !is_tail) {
        vbroadcasti64x4(asm86::Zmm(to.getIdx()), from);
        return vpermb(to | upper_halves_ | T_z, scratch(4), to);
    }
    vpmovzxwd(is_tail ? to | tail_ | T_z : to, from);
    vpslld(to, to, 16);
}

void vector_emitter::store(const tile_stream &result, const asm86::Reg64 &pointer, size_t which, bool is_tail) {
    const vector from = register_of(result.value, which);
    const asm86::Address to = element_at(pointer, result.type, which);
    if (result.type == onefold_f32) return is_tail ? vmovups(to | tail_, from) : vmovups(to, from);
    if (result.type == onefold_f16) return is_tail ? vcvtps2ph(to | tail_, from, 0) : vcvtps2ph(to, from, 0);
    store_bf16(from, to, is_tail);
}

void vector_emitter::store_bf16(const vector &from, const asm86::Address &to, bool is_tail) {
    emit_bf16(from);
    if (is_tail)
        vpmovdw(to | tail_, scratch(1));
    else
        vpmovdw(to, scratch(1));
}

void vector_emitter::store_bf16_natively(const tile_stream &result, const asm86::Reg64 &pointer, size_t count, bool is_tail) {
    constexpr uint8_t smaller_magnitude = 0x0A;
    struct stored {
        vector from;
        asm86::Address to;
        bool is_tail;
    };
    std::vector<stored> all;
    for (size_t k = 0; k < count; ++k)
        all.push_back({register_of(result.value, k), element_at(pointer, result.type, k), is_tail && k + 1 == count});
    vrangeps(scratch(0), all.front().from, all.back().from, smaller_magnitude);
    for (size_t k = 1; k + 1 < count; ++k)
        vrangeps(scratch(0), scratch(0), all[k].from, smaller_magnitude);
    vcmpps(mask_, scratch(0), constant(0x00800000U), less);
    kortestw(mask_, mask_);
    asm86::Label otherwise;
    asm86::Label behind;
    jnz(otherwise, T_NEAR);
    const asm86::Ymm half(scratch(1).getIdx());
    for (size_t k = 0; k < count; ++k) {
        if (k + 1 < count && !all[k + 1].is_tail) {
            vcvtne2ps2bf16(scratch(1), all[k + 1].from, all[k].from);
            vmovdqu16(all[k++].to, scratch(1));
            continue;
        }
        vcvtneps2bf16(half, all[k].from);
        vmovdqu16(all[k].is_tail ? all[k].to | tail_ : all[k].to, half);
    }
    L(behind);
    seldom_.emplace_back([this, all, otherwise, behind]() mutable {
        L(otherwise);
        for (const stored &s : all)
            store_bf16(s.from, s.to, s.is_tail);
        jmp(behind, T_NEAR);
    });
}

} // namespace onefold::impl::simd
