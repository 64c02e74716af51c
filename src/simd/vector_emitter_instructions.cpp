// The part of vector_emitter that computes values.
#include <algorithm>

#include "simd/vector_emitter.hpp"

namespace onefold::impl::simd {

asm86::RegRip vector_emitter::place_of_constant(uint32_t bits) {
    const auto found = std::find(constants_.begin(), constants_.end(), bits);
    const auto which = found - constants_.begin();
    if (found == constants_.end()) constants_.push_back(bits);
    return rip + constants_label_ + static_cast<int>(which) * 4;
}

void vector_emitter::emit_rest() {
    for (const auto &emit_one : seldom_)
        emit_one();
    emit_constants();
}

void vector_emitter::emit_constants() {
    align(64);
    L(constants_label_);
    for (const uint32_t bits : constants_)
        dd(bits);
    align(64);
    L(words_label_); // of each f32 bytes 2 and 3 are those of a word, the others are masked
    for (size_t k = 0; k < lanes * sizeof(float); ++k)
        db(static_cast<uint8_t>(k / sizeof(float) * 2 + k % 2));
}

vector_emitter::vector vector_emitter::in_register(size_t value, size_t which, const vector &room) {
    if (!is_repeated(value)) return register_of(value, which);
    vbroadcastss(room, ptr[values_base_ + repeated_.at(value)]);
    return room;
}

void vector_emitter::emit(const tile_instruction &i, size_t which) {
    const vector to = register_of(i.value, which);
    const vector a = in_register(i.arguments[0], which, scratch(0));
    if (i.arguments.size() == 1) return emit_unary(i, to, a);
    const auto with_operand = [&](size_t value, const auto &body) {
        if (is_repeated(value))
            body(repeated_at(value));
        else
            body(register_of(value, which));
    };
    switch (i.code) {
    case row_opcode::multiply_add:
        vmovaps(to, a);
        with_operand(i.arguments[2],
                     [&](const auto &c) { vfmadd213ps(to, in_register(i.arguments[1], which, scratch(1)), c); });
        return;
    case row_opcode::subtract_multiply:
        with_operand(i.arguments[1], [&](const auto &b) { vsubps(to, a, b); });
        with_operand(i.arguments[2], [&](const auto &c) { vmulps(to, to, c); });
        return;
    case row_opcode::subtract_quotient:
        with_operand(i.arguments[1], [&](const auto &b) { vsubps(to, a, b); });
        with_operand(i.arguments[2], [&](const auto &c) { vdivps(to, to, c); });
        return;
    default:
        with_operand(i.arguments[1], [&](const auto &b) { emit_binary(i.op, to, a, b); });
        return;
    }
}

void vector_emitter::emit_unary(const tile_instruction &i, const vector &to, const vector &a) {
    if (i.code == row_opcode::round) return emit_round(i.type, to, a);
    if (i.code == row_opcode::root || i.code == row_opcode::reciprocal_sqrt) return emit_root(i.code, to, a);
    switch (i.op) {
    case onefold_op_abs:
        return vpandd(to, a, constant(0x7FFFFFFFU));
    case onefold_op_neg:
        return vpxord(to, a, constant(0x80000000U));
    case onefold_op_square:
        return vmulps(to, a, a);
    case onefold_op_sqrt:
        return vsqrtps(to, a);
    case onefold_op_reciprocal:
        vbroadcastss(scratch(1), unary_constant(1.0F));
        return vdivps(to, scratch(1), a);
    case onefold_op_relu:
        vpxord(scratch(1), scratch(1), scratch(1));
        vcmpps(mask_, a, scratch(1), greater_or_unordered);
        return vmovaps(to | mask_ | T_z, a);
    case onefold_op_leaky_relu:
        vpxord(scratch(1), scratch(1), scratch(1));
        vcmpps(mask_, a, scratch(1), greater);
        vmulps(scratch(1), a, constant(i.attributes.alpha));
        vmovaps(scratch(1) | mask_, a);
        return vmovaps(to, scratch(1));
    case onefold_op_clamp:
        return emit_between(to, a, i.attributes.alpha, i.attributes.beta);
    case onefold_op_exp:
        return emit_exp(to, a, i.is_of_negatives);
    case onefold_op_log:
        return emit_log(to, a);
    case onefold_op_sigmoid:
        return emit_sigmoid(to, a);
    default:
        return;
    }
}

void vector_emitter::emit_between(const vector &to, const vector &a, float lowest, float highest) {
    vbroadcastss(scratch(1), unary_constant(lowest));
    vmaxps(scratch(1), scratch(1), a);
    vbroadcastss(scratch(2), unary_constant(highest));
    vminps(to, scratch(2), scratch(1));
}

void vector_emitter::emit_exp(const vector &to, const vector &a, bool of_negatives) {
    constexpr float lowest = -104.0F; // 0 from here on, and infinity from its opposite
    if (of_negatives) {
        vbroadcastss(scratch(1), unary_constant(lowest));
        vmaxps(scratch(1), scratch(1), a);
    } else {
        emit_between(scratch(1), a, lowest, -lowest);
    }
    // Added to this number, what is below 2^22 loses its fraction.
    constexpr float without_fractions = 0x1.8p23F;
    vbroadcastss(scratch(2), unary_constant(without_fractions));
    vfmadd231ps(scratch(2), scratch(1), constant(1.44269504F));
    vsubps(scratch(2), scratch(2), constant(without_fractions));
    vfnmadd231ps(scratch(1), scratch(2), constant(0.693145752F));
    vfnmadd231ps(scratch(1), scratch(2), constant(1.42860677e-6F));
    vbroadcastss(to, unary_constant(0.008312501944601536F));
    for (const float c : {0.04189033433794975F, 0.16667115688323975F, 0.499992311000824F, 1.0F, 1.0F})
        vfmadd213ps(to, scratch(1), constant(c));
    vscalefps(to, to, scratch(2));
}

void vector_emitter::emit_sigmoid(const vector &to, const vector &a) {
    vpord(scratch(3), a, constant(0x80000000U));
    emit_exp(to, scratch(3), true);
    vcmpps(mask_, a, constant(0U), less);
    vbroadcastss(scratch(1), unary_constant(1.0F));
    vaddps(scratch(3), to, scratch(1));
    vmovaps(scratch(1) | mask_, to);
    vdivps(to, scratch(1), scratch(3));
}

void vector_emitter::emit_log(const vector &to, const vector &a) {
    constexpr uint8_t from_1_to_2_or_nan = 0x08; // NaN of what is negative
    vgetexpps(scratch(0), a);
    vgetmantps(scratch(1), a, from_1_to_2_or_nan);
    vcmpps(mask_, scratch(1), constant(1.41421356F), greater);
    vmulps(scratch(1) | mask_, scratch(1), constant(0.5F));
    vaddps(scratch(0) | mask_, scratch(0), constant(1.0F));
    vsubps(scratch(1), scratch(1), constant(1.0F));
    vbroadcastss(scratch(2), unary_constant(7.0376836292e-2F));
    for (const float c : {-1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F, -1.6668057665e-1F,
                          2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F})
        vfmadd213ps(scratch(2), scratch(1), constant(c));
    vmulps(scratch(3), scratch(1), scratch(1));
    vmulps(scratch(2), scratch(2), scratch(1));
    vmulps(scratch(2), scratch(2), scratch(3));
    vfmadd231ps(scratch(2), scratch(0), constant(-2.12194440e-4F));
    vfnmadd231ps(scratch(2), scratch(3), constant(0.5F));
    vaddps(scratch(2), scratch(2), scratch(1));
    vfmadd231ps(scratch(2), scratch(0), constant(0.693359375F));
    vcmpps(mask_, a, constant(0x7F800000U), equal);
    vmovaps(scratch(2) | mask_, a);
    vcmpps(mask_, a, constant(0U), equal);
    vbroadcastss(scratch(2) | mask_, unary_constant(std::bit_cast<float>(0xFF800000U)));
    vmovaps(to, scratch(2));
}

void vector_emitter::emit_root(row_opcode code, const vector &to, const vector &a) {
    vcmpps(mask_, a, constant(0xFF800000U), equal);
    vaddps(scratch(1), a, constant(0U)); // -0 counts as 0
    vsqrtps(scratch(1), scratch(1));
    vbroadcastss(scratch(1) | mask_, unary_constant(std::bit_cast<float>(0x7F800000U)));
    if (code == row_opcode::root) return vmovaps(to, scratch(1));
    vbroadcastss(scratch(2), unary_constant(1.0F));
    vdivps(to, scratch(2), scratch(1));
}

void vector_emitter::emit_round(data_type type, const vector &to, const vector &a) {
    if (type == onefold_f16) {
        const asm86::Ymm half(scratch(1).getIdx());
        vcvtps2ph(half, a, 0);
        return vcvtph2ps(to, half);
    }
    emit_bf16(a);
    vpslld(to, scratch(1), 16);
}

/// Rounded to nearest even, in the lower halves of scratch(1); a NaN stays one.
void vector_emitter::emit_bf16(const vector &from) {
    vpsrld(scratch(2), from, 16);
    vcmpps(mask_, from, from, unordered);
    vpandd(scratch(1), scratch(2), constant(1U));
    vpaddd(scratch(1), scratch(1), constant(0x7FFFU));
    vpaddd(scratch(1), scratch(1), from);
    vpsrld(scratch(1), scratch(1), 16);
    vpord(scratch(1) | mask_, scratch(2), constant(0x40U));
}

} // namespace onefold::impl::simd
