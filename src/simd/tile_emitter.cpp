#include "simd/tile_emitter.hpp"

#include <algorithm>

namespace onefold::impl::simd {

bool tile_emitter::fits(const tile_computation &c) {
    const auto extremes =
        std::count_if(c.reductions.begin(), c.reductions.end(), [](const tile_reduction &r) { return is_extreme(r.op); });
    return emitter_registers(c) + scratch_registers + totals_registers(c) <= vector_registers &&
           static_cast<size_t>(extremes) <= most_extremes;
}

std::map<size_t, size_t> tile_emitter::allocate(const tile_computation &c, size_t &count) {
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

size_t tile_emitter::emitter_registers(const tile_computation &c) {
    size_t count = 0;
    allocate(c, count);
    return count;
}

size_t tile_emitter::totals_registers(const tile_computation &c) {
    size_t count = 0;
    for (const tile_reduction &r : c.reductions)
        count += total_registers(r);
    return count;
}

void tile_emitter::assign_registers() {
    registers_ = allocate(computation_, a_vector_);
    const size_t free = vector_registers - scratch_registers - totals_registers(computation_);
    at_once_ = std::clamp<size_t>(free / std::max<size_t>(1, a_vector_), 1, most_at_once);
    size_t next = free;
    for (const tile_reduction &r : computation_.reductions) {
        totals_.push_back(next);
        next += total_registers(r);
    }
    for (size_t s = 0; s < computation_.sources.size(); ++s)
        if (computation_.sources[s].by == tile_stream::way::repeated) repeated_[computation_.sources[s].value] = s;
}

tile_emitter::zmm tile_emitter::register_of(size_t value, size_t which) const {
    return zmm(static_cast<int>(which * a_vector_ + registers_.at(value)));
}

asm86::Address tile_emitter::pointer_of(size_t stream) const {
    return ptr[call_ + (offsetof(tile_call, pointers) + stream * sizeof(void *))];
}

asm86::Address tile_emitter::distance_of(size_t stream) const {
    return ptr[call_ + (offsetof(tile_call, distances) + stream * sizeof(int64_t))];
}

void tile_emitter::emit_rows() {
    asm86::Label next_row;
    asm86::Label done;
    mov(rows_, ptr[call_ + offsetof(tile_call, rows)]);
    mov(length_, ptr[call_ + offsetof(tile_call, length)]);
    mov(rcx, length_);
    and_(rcx, lanes - 1);
    mov(eax, 1);
    shl(eax, cl);
    sub(eax, 1);
    kmovw(tail_, eax);
    test(rows_, rows_);
    jz(done, T_NEAR);
    L(next_row);
    for (const auto &[value, stream] : repeated_) {
        mov(base_, pointer_of(stream));
        mov(eax, ptr[base_]);
        mov(ptr[call_ + repeated_offset(stream)], eax);
    }
    for (size_t r = 0; r < computation_.reductions.size(); ++r)
        clear_total(r);
    emit_row();
    for (size_t r = 0; r < computation_.reductions.size(); ++r)
        emit_total(r);
    for (size_t s = 0; s < computation_.stream_count(); ++s) {
        mov(base_, distance_of(s));
        add(pointer_of(s), base_);
    }
    dec(rows_);
    jnz(next_row, T_NEAR);
    L(done);
    vzeroupper();
    ret();
}

void tile_emitter::emit_row() {
    xor_(index_, index_);
    if (at_once_ > 1) emit_loop(at_once_);
    emit_loop(1);
    asm86::Label no_tail;
    cmp(index_, length_);
    jge(no_tail, T_NEAR);
    emit_vectors(1, true);
    L(no_tail);
}

void tile_emitter::emit_loop(size_t count) {
    asm86::Label again;
    asm86::Label end;
    L(again);
    lea(base_, ptr[index_ + count * lanes]);
    cmp(base_, length_);
    jg(end, T_NEAR);
    emit_vectors(count, false);
    add(index_, static_cast<uint32_t>(count * lanes));
    jmp(again, T_NEAR);
    L(end);
}

void tile_emitter::emit_vectors(size_t count, bool is_tail) {
    for (size_t s = 0; s < computation_.sources.size(); ++s)
        if (computation_.sources[s].by == tile_stream::way::elements) {
            mov(base_, pointer_of(s));
            for (size_t k = 0; k < count; ++k)
                load(computation_.sources[s], k, is_tail);
        }
    for (const tile_instruction &i : computation_.instructions)
        for (size_t k = 0; k < count; ++k)
            emit(i, k);
    for (size_t r = 0; r < computation_.results.size(); ++r) {
        mov(base_, pointer_of(computation_.sources.size() + r));
        for (size_t k = 0; k < count; ++k)
            store(computation_.results[r], k, is_tail);
    }
    for (size_t r = 0; r < computation_.reductions.size(); ++r)
        take_in(r, count, is_tail);
}

asm86::Address tile_emitter::element_at(data_type type, size_t which) const {
    const size_t size = type == onefold_f32 ? 4 : 2;
    return ptr[base_ + index_ * static_cast<int>(size) + which * lanes * size];
}

void tile_emitter::load(const tile_stream &source, size_t which, bool is_tail) {
    const zmm plain = register_of(source.value, which);
    const zmm to = is_tail ? plain | tail_ | T_z : plain;
    const asm86::Address from = element_at(source.type, which);
    if (source.type == onefold_f32) return vmovups(to, from);
    if (source.type == onefold_f16) return vcvtph2ps(to, from);
    vpmovzxwd(to, from);
    vpslld(plain, plain, 16);
}

void tile_emitter::store(const tile_stream &result, size_t which, bool is_tail) {
    const zmm from = register_of(result.value, which);
    const asm86::Address to = element_at(result.type, which);
    if (result.type == onefold_f32) return is_tail ? vmovups(to | tail_, from) : vmovups(to, from);
    if (result.type == onefold_f16) return is_tail ? vcvtps2ph(to | tail_, from, 0) : vcvtps2ph(to, from, 0);
    emit_bf16(from);
    if (is_tail)
        vpmovdw(to | tail_, scratch_1_);
    else
        vpmovdw(to, scratch_1_);
}

} // namespace onefold::impl::simd
