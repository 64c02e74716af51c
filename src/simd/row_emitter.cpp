#include "simd/row_emitter.hpp"

#include <algorithm>

#include "simd/careful_sum.hpp"

namespace onefold::impl::simd {

row_emitter::row_emitter(const row_computation &c) : rows_computation_(c) {
    // What a pass caches another one reads in the same order, so all take as many vectors at a time.
    for (const row_pass &pass : c.passes) {
        enter_pass(pass);
        at_once_ = std::min(at_once_, most_at_once());
    }
    mov(rows_, ptr[call_ + offsetof(row_call, rows)]);
    mov(eax, (1U << (static_cast<size_t>(c.length) % lanes)) - 1U);
    kmovw(tail_, eax);
    asm86::Label next_row;
    L(next_row);
    emit_row();
    for (size_t place = 0; place < c.pointer_count; ++place) {
        mov(base_, ptr[call_ + (offsetof(row_call, distances) + place * sizeof(int64_t))]);
        add(ptr[call_ + pointer_offset(place)], base_);
    }
    dec(rows_);
    jnz(next_row, T_NEAR);
    L(leave_);
    mov(ptr[call_ + offsetof(row_call, rows)], rows_);
    vzeroupper();
    ret();
    emit_constants();
    readyRE();
}

void row_emitter::enter_pass(const row_pass &pass) {
    std::vector<size_t> pointers;
    for (const size_t place : pass.places)
        pointers.push_back(pointer_offset(place));
    enter(pass.elements, std::move(pointers));
    for (const tile_stream &source : pass.elements.sources)
        if (source.by == tile_stream::way::repeated) keep_in_memory(source.value, value_offset(source.value));
}

void row_emitter::emit_row() {
    emit_values(rows_computation_.first_values);
    for (const row_pass &pass : rows_computation_.passes) {
        emit_pass(pass, &pass == &rows_computation_.passes.back());
        emit_values(pass.values);
    }
    for (const row_store_of_value &s : rows_computation_.stores)
        emit_store(s);
}

void row_emitter::emit_pass(const row_pass &pass, bool is_last) {
    enter_pass(pass);
    clear_totals();
    const auto vectors = static_cast<size_t>(rows_computation_.length) / lanes;
    const bool has_tail = static_cast<size_t>(rows_computation_.length) % lanes != 0;
    xor_(index_, index_);
    if (const size_t looped = vectors / at_once_ * at_once_; looped > 0) {
        asm86::Label again;
        L(again);
        emit_vectors(at_once_, false);
        add(index_, static_cast<uint32_t>(at_once_ * lanes));
        cmp(index_, static_cast<uint32_t>(looped * lanes));
        jb(again, T_NEAR);
    }
    if (const size_t rest = vectors % at_once_ + (has_tail ? 1 : 0); rest > 0) emit_vectors(rest, has_tail);
    for (size_t r = 0; r < pass.elements.reductions.size(); ++r)
        fold_total(r);
    (void)is_last;
}

void row_emitter::emit_values(const std::vector<row_value> &values) {
    size_t number = 0;
    std::vector<size_t> known;
    compute_single_values(true);
    for (const row_value &v : values) {
        const vector to = in_lanes(number);
        if (v.by == row_value::way::load) emit_load(v, to);
        if (v.by == row_value::way::total) emit_total(v, to);
        keep_in_register(v.value, number);
        if (v.by == row_value::way::compute) {
            for (const size_t argument : v.instruction.arguments)
                if (std::find(known.begin(), known.end(), argument) == known.end())
                    keep_in_memory(argument, value_offset(argument));
            emit(v.instruction, 0);
        }
        vmovss(ptr[call_ + value_offset(v.value)], to);
        if (v.is_divisor) leave_unless_reciprocal_is_exact(to);
        known.push_back(v.value);
        ++number;
    }
    compute_single_values(false);
    for (const row_value &v : values)
        keep_in_memory(v.value, value_offset(v.value));
}

void row_emitter::emit_load(const row_value &v, const vector &to) {
    mov(base_, ptr[call_ + pointer_offset(v.place)]);
    if (v.type == onefold_f32) return vmovss(to, ptr[base_]);
    movzx(eax, word[base_]);
    if (v.type == onefold_bf16) shl(eax, 16);
    vmovd(to, eax);
    if (v.type == onefold_f16) vcvtph2ps(to, to);
}

void row_emitter::emit_total(const row_value &v, const vector &to) {
    const tile_reduction &r = computation().reductions[v.reduction];
    const asm86::Xmm total(total_of(v.reduction).getIdx());
    if (is_extreme(r.op)) return vmovaps(to, total);
    leave_if_doubtful(r, total);
    if (r.op == onefold_op_reduce_mean) {
        mov(bits_, std::bit_cast<uint64_t>(1 / static_cast<double>(rows_computation_.length)));
        vmovq(to, bits_);
        vmulsd(total, total, to);
    }
    if (r.op == onefold_op_reduce_l2) vsqrtsd(total, total, total);
    vcvtsd2ss(to, total, total);
}

void row_emitter::leave_if_doubtful(const tile_reduction &r, const asm86::Xmm &total) {
    const auto without_sign = [](double value) { return std::bit_cast<uint64_t>(value) << 1U; };
    vmovq(base_, total);
    add(base_, base_);
    mov(bits_, without_sign(std::bit_cast<double>(0x7FF0000000000000U)));
    cmp(base_, bits_);
    jae(leave_, T_NEAR);
    if (r.op != onefold_op_reduce_l2) return;
    dec(base_); // 0 is exact
    mov(bits_, without_sign(least_exact_square(onefold_f32)) - 1U);
    cmp(base_, bits_);
    jb(leave_, T_NEAR);
}

/// Not where it is subnormal, nor where its reciprocal is.
void row_emitter::leave_unless_reciprocal_is_exact(const vector &divisor) {
    constexpr uint32_t least = 0x00800000U;
    constexpr uint32_t most = 0x7E800000U;
    constexpr uint32_t infinity = 0x7F800000U;
    vmovd(eax, divisor);
    and_(eax, 0x7FFFFFFFU);
    lea(edx, ptr[rax - 1]);
    cmp(edx, least - 1U);
    jb(leave_, T_NEAR); // from 1 to least - 1
    sub(eax, most + 1U);
    cmp(eax, infinity - most - 1U);
    jb(leave_, T_NEAR); // from most + 1 to infinity - 1
}

void row_emitter::emit_store(const row_store_of_value &s) {
    compute_single_values(true);
    const vector value = in_lanes(0);
    vmovss(value, ptr[call_ + value_offset(s.value)]);
    if (s.type == onefold_bf16) emit_bf16(value);
    if (s.type == onefold_f16) vcvtps2ph(scratch(1), value, 0);
    mov(base_, ptr[call_ + pointer_offset(s.place)]);
    if (s.type == onefold_f32)
        vmovss(ptr[base_], value);
    else
        vpextrw(word[base_], scratch(1), 0);
    compute_single_values(false);
}

} // namespace onefold::impl::simd
