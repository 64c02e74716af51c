// The part of tile_emitter that computes values.
#include <algorithm>

#include "simd/tile_emitter.hpp"

namespace onefold::impl::simd {

asm86::RegRip tile_emitter::place_of_constant(uint32_t bits) {
    const auto found = std::find(constants_.begin(), constants_.end(), bits);
    const auto which = found - constants_.begin();
    if (found == constants_.end()) constants_.push_back(bits);
    return rip + constants_label_ + static_cast<int>(which) * 4;
}

void tile_emitter::emit_constants() {
    align(64);
    L(constants_label_);
    for (const uint32_t bits : constants_)
        dd(bits);
}

tile_emitter::zmm tile_emitter::in_register(size_t value, size_t which, const zmm &room) {
    if (!is_repeated(value)) return register_of(value, which);
    vbroadcastss(room, ptr[call_ + repeated_offset(repeated_.at(value))]);
    return room;
}

void tile_emitter::emit(const tile_instruction &i, size_t which) {
    const zmm to = register_of(i.value, which);
    const zmm a = in_register(i.arguments[0], which, scratch_0_);
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
                     [&](const auto &c) { vfmadd213ps(to, in_register(i.arguments[1], which, scratch_1_), c); });
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

void tile_emitter::emit_unary(const tile_instruction &i, const zmm &to, const zmm &a) {
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
        vbroadcastss(scratch_1_, unary_constant(1.0F));
        return vdivps(to, scratch_1_, a);
    case onefold_op_relu:
        vpxord(scratch_1_, scratch_1_, scratch_1_);
        vcmpps(mask_, a, scratch_1_, greater_or_unordered);
        return vmovaps(to | mask_ | T_z, a);
    case onefold_op_leaky_relu:
        vpxord(scratch_1_, scratch_1_, scratch_1_);
        vcmpps(mask_, a, scratch_1_, greater);
        vmulps(scratch_1_, a, constant(i.attributes.alpha));
        vmovaps(scratch_1_ | mask_, a);
        return vmovaps(to, scratch_1_);
    case onefold_op_clamp:
        return emit_between(to, a, i.attributes.alpha, i.attributes.beta);
    case onefold_op_exp:
        return emit_exp(to, a);
    case onefold_op_sigmoid:
        vpxord(scratch_3_, a, constant(0x80000000U));
        emit_exp(to, scratch_3_);
        vaddps(to, to, constant(1.0F));
        vbroadcastss(scratch_1_, unary_constant(1.0F));
        return vdivps(to, scratch_1_, to);
    default:
        return;
    }
}

void tile_emitter::emit_between(const zmm &to, const zmm &a, float lowest, float highest) {
    vbroadcastss(scratch_1_, unary_constant(lowest));
    vmaxps(scratch_1_, scratch_1_, a);
    vbroadcastss(scratch_2_, unary_constant(highest));
    vminps(to, scratch_2_, scratch_1_);
}

void tile_emitter::emit_exp(const zmm &to, const zmm &a) {
    emit_between(scratch_1_, a, -104.0F, 104.0F); // 0 and infinity from here on
    vmulps(scratch_2_, scratch_1_, constant(1.44269504F));
    vrndscaleps(scratch_2_, scratch_2_, 0);
    vfnmadd231ps(scratch_1_, scratch_2_, constant(0.693145752F));
    vfnmadd231ps(scratch_1_, scratch_2_, constant(1.42860677e-6F));
    vbroadcastss(to, unary_constant(0.001381379901431501F));
    for (const float c : {0.008369103074073792F, 0.041668426245450974F, 0.166665181517601F, 0.4999999403953552F, 1.0F, 1.0F})
        vfmadd213ps(to, scratch_1_, constant(c));
    vscalefps(to, to, scratch_2_);
}

void tile_emitter::emit_root(row_opcode code, const zmm &to, const zmm &a) {
    vcmpps(mask_, a, constant(0xFF800000U), equal);
    vaddps(scratch_1_, a, constant(0U)); // -0 counts as 0
    vsqrtps(scratch_1_, scratch_1_);
    vbroadcastss(scratch_1_ | mask_, unary_constant(std::bit_cast<float>(0x7F800000U)));
    if (code == row_opcode::root) return vmovaps(to, scratch_1_);
    vbroadcastss(scratch_2_, unary_constant(1.0F));
    vdivps(to, scratch_2_, scratch_1_);
}

void tile_emitter::emit_round(data_type type, const zmm &to, const zmm &a) {
    if (type == onefold_f16) {
        const asm86::Ymm half(scratch_1_.getIdx());
        vcvtps2ph(half, a, 0);
        return vcvtph2ps(to, half);
    }
    emit_bf16(a);
    vpslld(to, scratch_1_, 16);
}

/// Rounded to nearest even, in the lower halves of scratch_1_; a NaN stays one.
void tile_emitter::emit_bf16(const zmm &from) {
    vpsrld(scratch_2_, from, 16);
    vcmpps(mask_, from, from, unordered);
    vpandd(scratch_1_, scratch_2_, constant(1U));
    vpaddd(scratch_1_, scratch_1_, constant(0x7FFFU));
    vpaddd(scratch_1_, scratch_1_, from);
    vpsrld(scratch_1_, scratch_1_, 16);
    vpord(scratch_1_ | mask_, scratch_2_, constant(0x40U));
}

} // namespace onefold::impl::simd
