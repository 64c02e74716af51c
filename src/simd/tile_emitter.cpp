#include "simd/tile_emitter.hpp"

#include <algorithm>

namespace onefold::impl::simd {

tile_emitter::tile_emitter(const tile_computation &c) : tile_call_emitter(c) {
    for (size_t s = 0; s < c.sources.size(); ++s)
        if (c.sources[s].by == tile_stream::way::repeated) keep_in_memory(c.sources[s].value, repeated_offset(s));
    prepare();
    emit_rows();
    emit_rest();
    readyRE();
}

void tile_emitter::emit_rows() {
    asm86::Label next_row;
    asm86::Label done;
    read_sizes();
    test(rows_, rows_);
    jz(done, T_NEAR);
    L(next_row);
    read_repeated();
    broadcast_values();
    clear_totals();
    emit_row();
    for (size_t r = 0; r < computation().reductions.size(); ++r)
        emit_total(r);
    for (size_t s = 0; s < computation().stream_count(); ++s) {
        mov(base_, ptr[call_ + distance_offset(s)]);
        add(ptr[call_ + pointer_offset(s)], base_);
    }
    dec(rows_);
    jnz(next_row, T_NEAR);
    L(done);
    vzeroupper();
    ret();
}

void tile_emitter::read_repeated() {
    for (size_t s = 0; s < computation().sources.size(); ++s) {
        if (computation().sources[s].by != tile_stream::way::repeated) continue;
        mov(eax, ptr[pointer_of(s)]);
        mov(ptr[call_ + repeated_offset(s)], eax);
    }
}

void tile_emitter::emit_row() {
    constexpr size_t enough_at_once = 4;
    const size_t at_once = std::min(most_at_once(), enough_at_once);
    xor_(index_, index_);
    if (at_once > 1) emit_loop(at_once);
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

void tile_emitter::emit_total(size_t reduction) {
    const op_kind op = computation().reductions[reduction].op;
    fold_total(reduction);
    const asm86::Reg64 in_memory = pointer_of(total_stream(reduction));
    const vector total = total_of(reduction);
    const asm86::Xmm lowest(total.getIdx());
    if (!is_extreme(op)) {
        vaddsd(lowest, lowest, ptr[in_memory]);
        return vmovsd(ptr[in_memory], lowest);
    }
    vbroadcastss(scratch(0), ptr[in_memory]);
    emit_binary(op == onefold_op_reduce_max ? onefold_op_maximum : onefold_op_minimum, total, total, scratch(0));
    vmovss(ptr[in_memory], lowest);
}

} // namespace onefold::impl::simd
