#include "simd/column_emitter.hpp"

#include <algorithm>

namespace onefold::impl::simd {

column_emitter::column_emitter(const tile_computation &c) : tile_call_emitter(c) {
    constexpr size_t most_rows = 8;
    prepare();
    read_sizes();
    const size_t at_once = std::min(most_at_once(), most_rows);
    if (at_once > 1) emit_rows(at_once);
    emit_rows(1);
    vzeroupper();
    ret();
    emit_rest();
    readyRE();
}

/// As long as there are `count` rows.
void column_emitter::emit_rows(size_t count) {
    asm86::Label again;
    asm86::Label end;
    L(again);
    cmp(rows_, static_cast<uint32_t>(count));
    jl(end, T_NEAR);
    emit_columns(count);
    for (size_t s = 0; s < computation().sources.size() + computation().results.size(); ++s) {
        imul(base_, ptr[call_ + distance_offset(s)], static_cast<int>(count));
        add(ptr[call_ + pointer_offset(s)], base_);
    }
    for (size_t n = 0; n < computation().prefetches.size(); ++n) {
        const size_t rows = prefetched_rows(computation().prefetches[n], count);
        imul(base_, ptr[call_ + (offsetof(tile_call, prefetched_distances) + n * sizeof(int64_t))], static_cast<int>(rows));
        add(ptr[call_ + (offsetof(tile_call, prefetched) + n * sizeof(void *))], base_);
    }
    sub(rows_, static_cast<uint32_t>(count));
    jmp(again, T_NEAR);
    L(end);
}

void column_emitter::emit_columns(size_t count) {
    asm86::Label again;
    asm86::Label tail;
    asm86::Label end;
    xor_(index_, index_);
    L(again);
    lea(base_, ptr[index_ + lanes]);
    cmp(base_, length_);
    jg(tail, T_NEAR);
    emit_vectors(count, false);
    emit_prefetches(count);
    add(index_, lanes);
    jmp(again, T_NEAR);
    L(tail);
    cmp(index_, length_);
    jge(end, T_NEAR);
    emit_vectors(count, true);
    L(end);
}

void column_emitter::emit_prefetches(size_t count) {
    const auto &prefetches = computation().prefetches;
    for (size_t n = 0; n < prefetches.size(); ++n) {
        const size_t rows = prefetched_rows(prefetches[n], count);
        mov(prefetched_, ptr[call_ + (offsetof(tile_call, prefetched) + n * sizeof(void *))]);
        lea(prefetched_, ptr[prefetched_ + index_ * static_cast<int>(size_of(prefetches[n].type))]);
        for (size_t row = 0; row < rows; ++row) {
            prefetches[n].is_written ? prefetchw(ptr[prefetched_]) : prefetcht1(ptr[prefetched_]);
            if (row + 1 < rows)
                add(prefetched_, ptr[call_ + (offsetof(tile_call, prefetched_distances) + n * sizeof(int64_t))]);
        }
    }
}

/// Goes from row to row; one value for a row does not lie along the columns.
asm86::Address column_emitter::element_at(size_t stream, data_type type, size_t which) {
    if (which > 0) {
        add(base_, distance_);
        return ptr[base_];
    }
    const auto &sources = computation().sources;
    mov(base_, ptr[call_ + pointer_offset(stream)]);
    mov(distance_, ptr[call_ + distance_offset(stream)]);
    if (stream >= sources.size() || sources[stream].by != tile_stream::way::repeated)
        lea(base_, ptr[base_ + index_ * static_cast<int>(size_of(type))]);
    return ptr[base_];
}

void column_emitter::add_to_total(size_t reduction, bool is_tail) {
    constexpr size_t half = lanes / 2;
    mov(base_, ptr[call_ + pointer_offset(total_stream(reduction))]);
    vextractf64x4(asm86::Ymm(scratch(2).getIdx()), asm86::Zmm(scratch(0).getIdx()), 1);
    vcvtps2pd(scratch(1), asm86::Ymm(scratch(0).getIdx()));
    vcvtps2pd(scratch(2), asm86::Ymm(scratch(2).getIdx()));
    if (is_tail) kshiftrw(mask_, tail_, half);
    add_to_half(ptr[base_ + index_ * 8], scratch(1), tail_, is_tail);
    add_to_half(ptr[base_ + index_ * 8 + half * sizeof(double)], scratch(2), mask_, is_tail);
}

void column_emitter::add_to_half(const asm86::Address &total, const vector &sum, const asm86::Opmask &mask, bool is_tail) {
    vaddpd(is_tail ? sum | mask : sum, sum, total);
    vmovupd(is_tail ? total | mask : total, sum);
}

/// The total is a NaN once there was one.
void column_emitter::take_in_extremes(size_t reduction, size_t count, bool is_tail) {
    const tile_reduction &r = computation().reductions[reduction];
    const asm86::Opmask numbers = numbers_of(reduction);
    mov(base_, ptr[call_ + pointer_offset(total_stream(reduction))]);
    const asm86::Address total = ptr[base_ + index_ * 4];
    std::vector<vector> values;
    for (size_t k = 0; k < count; ++k)
        values.push_back(register_of(r.value, k));
    vmovups(is_tail ? scratch(2) | tail_ | T_z : scratch(2), total);
    vcmpps(numbers, scratch(2), scratch(2), ordered);
    for (size_t k = 0; k < count; k += 2)
        vcmpps(numbers | numbers, values[k], values[std::min(k + 1, count - 1)], ordered);
    for (const vector &most : pair_extremes(r.op, values))
        vrangeps(scratch(2), scratch(2), most, range_of(r.op));
    knotw(mask_, numbers);
    vbroadcastss(scratch(2) | mask_, unary_constant(std::bit_cast<float>(0x7FC00000U)));
    vmovups(is_tail ? total | tail_ : total, scratch(2));
}

} // namespace onefold::impl::simd
