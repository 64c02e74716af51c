// The part of tile_emitter that reduces rows.
#include "simd/tile_emitter.hpp"

namespace onefold::impl::simd {

float tile_emitter::least_of(op_kind op) const {
    const float infinity = std::bit_cast<float>(0x7F800000U);
    return op == onefold_op_reduce_max ? -infinity : infinity;
}

void tile_emitter::clear_total(size_t reduction) {
    const op_kind op = computation_.reductions[reduction].op;
    if (is_extreme(op)) {
        kxorw(nans_of(reduction), nans_of(reduction), nans_of(reduction));
        return vbroadcastss(total_of(reduction), unary_constant(least_of(op)));
    }
    for (const size_t part : {size_t{0}, size_t{1}})
        vpxord(total_of(reduction, part), total_of(reduction, part), total_of(reduction, part));
}

void tile_emitter::take_in(size_t reduction, size_t count, bool is_tail) {
    const tile_reduction &r = computation_.reductions[reduction];
    if (is_extreme(r.op)) return take_in_extremes(reduction, count, is_tail);
    // A sum of up to four in f32, as a tree, then in f64.
    for (size_t k = 0; k < count; ++k) {
        const zmm &to = k % 2 == 0 ? scratch_0_ : scratch_1_;
        lift(r, to, register_of(r.value, k));
        if (k == 1) vaddps(scratch_2_, scratch_0_, scratch_1_);
        if (k == 3) vaddps(scratch_1_, scratch_0_, scratch_1_);
    }
    if (count == 2) vmovaps(scratch_0_, scratch_2_);
    if (count == 3) vaddps(scratch_0_, scratch_2_, scratch_0_);
    if (count == 4) vaddps(scratch_0_, scratch_2_, scratch_1_);
    if (is_tail) vmovaps(scratch_0_ | tail_ | T_z, scratch_0_);
    vcvtps2pd(scratch_1_, asm86::Ymm(scratch_0_.getIdx()));
    vextractf64x4(asm86::Ymm(scratch_2_.getIdx()), scratch_0_, 1);
    vcvtps2pd(scratch_2_, asm86::Ymm(scratch_2_.getIdx()));
    vaddpd(total_of(reduction, 0), total_of(reduction, 0), scratch_1_);
    vaddpd(total_of(reduction, 1), total_of(reduction, 1), scratch_2_);
}

void tile_emitter::lift(const tile_reduction &r, const zmm &to, const zmm &value) {
    if (r.op == onefold_op_reduce_l1) return vpandd(to, value, constant(0x7FFFFFFFU));
    if (r.op != onefold_op_reduce_l2) return r.squares ? vmulps(to, value, value) : vmovaps(to, value);
    vmulps(to, value, value);
    vptestnmd(mask_, to, to);
    vpandd(scratch_3_, value, constant(0x7FFFFFFFU));
    vminps(to | mask_, scratch_3_, constant(1U));
}

void tile_emitter::take_in_extremes(size_t reduction, size_t count, bool is_tail) {
    const tile_reduction &r = computation_.reductions[reduction];
    const uint8_t how = r.op == onefold_op_reduce_max ? 5 : 4; // the larger or smaller one, with its sign
    std::vector<zmm> values;
    for (size_t k = 0; k < count; ++k)
        values.push_back(register_of(r.value, k));
    if (is_tail) {
        vbroadcastss(scratch_0_, unary_constant(least_of(r.op)));
        vmovaps(scratch_0_ | tail_, values[0]);
        values[0] = scratch_0_;
    }
    for (const zmm &value : values) {
        vcmpps(mask_, value, value, unordered);
        korw(nans_of(reduction), nans_of(reduction), mask_);
    }
    if (count == 4) vrangeps(scratch_1_, values[2], values[3], how);
    if (count >= 2) vrangeps(scratch_0_, values[0], values[1], how);
    if (count == 3) vrangeps(scratch_0_, scratch_0_, values[2], how);
    if (count == 4) vrangeps(scratch_0_, scratch_0_, scratch_1_, how);
    vrangeps(total_of(reduction), total_of(reduction), count == 1 ? values[0] : scratch_0_, how);
}

asm86::Opmask tile_emitter::nans_of(size_t reduction) const {
    size_t before = 0;
    for (size_t r = 0; r < reduction; ++r)
        before += is_extreme(computation_.reductions[r].op) ? size_t{1} : size_t{0};
    return asm86::Opmask(static_cast<int>(first_nan_mask + before));
}

void tile_emitter::emit_total(size_t reduction) {
    const tile_reduction &r = computation_.reductions[reduction];
    const zmm total = total_of(reduction);
    mov(base_, pointer_of(computation_.sources.size() + computation_.results.size() + reduction));
    if (!is_extreme(r.op)) {
        const asm86::Xmm sum(total.getIdx());
        vaddpd(total, total, total_of(reduction, 1));
        vextractf64x4(asm86::Ymm(scratch_0_.getIdx()), total, 1);
        vaddpd(total, total, scratch_0_);
        vextractf64x2(asm86::Xmm(scratch_0_.getIdx()), asm86::Ymm(total.getIdx()), 1);
        vaddpd(total, total, scratch_0_);
        vpermilpd(scratch_0_, total, 1);
        vaddsd(sum, sum, asm86::Xmm(scratch_0_.getIdx()));
        vaddsd(sum, sum, ptr[base_]);
        return vmovsd(ptr[base_], sum);
    }
    const op_kind op = r.op == onefold_op_reduce_max ? onefold_op_maximum : onefold_op_minimum;
    vbroadcastss(total | nans_of(reduction), unary_constant(std::bit_cast<float>(0x7FC00000U)));
    for (const uint8_t swap : {uint8_t{0x4E}, uint8_t{0xB1}}) { // blocks of 16 bytes, then their neighbours
        vshuff32x4(scratch_0_, total, total, swap);
        emit_binary(op, total, total, scratch_0_);
    }
    for (const uint8_t swap : {uint8_t{0x4E}, uint8_t{0xB1}}) {
        vpermilps(scratch_0_, total, swap);
        emit_binary(op, total, total, scratch_0_);
    }
    vbroadcastss(scratch_0_, ptr[base_]);
    emit_binary(op, total, total, scratch_0_);
    vmovss(ptr[base_], asm86::Xmm(total.getIdx()));
}

} // namespace onefold::impl::simd
