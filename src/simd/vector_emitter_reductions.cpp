// The part of vector_emitter that reduces rows.
#include "simd/vector_emitter.hpp"

namespace onefold::impl::simd {

float vector_emitter::least_of(op_kind op) {
    const float infinity = std::bit_cast<float>(0x7F800000U);
    return op == onefold_op_reduce_max ? -infinity : infinity;
}

void vector_emitter::clear_total(size_t reduction) {
    const op_kind op = computation_->reductions[reduction].op;
    if (is_extreme(op)) {
        kxnorw(numbers_of(reduction), numbers_of(reduction), numbers_of(reduction));
        return vbroadcastss(total_of(reduction), unary_constant(least_of(op)));
    }
    for (const size_t part : {size_t{0}, size_t{1}})
        vpxord(total_of(reduction, part), total_of(reduction, part), total_of(reduction, part));
}

void vector_emitter::clear_totals() {
    for (size_t r = 0; r < computation_->reductions.size(); ++r)
        clear_total(r);
}

/// Sums of a few in f32, two of them, which are added before they go into f64.
void vector_emitter::take_in(size_t reduction, size_t count, bool is_tail) {
    const tile_reduction &r = computation_->reductions[reduction];
    if (is_extreme(r.op)) return take_in_extremes(reduction, count, is_tail);
    for (size_t k = 0; k < count; ++k) {
        vector value = register_of(r.value, k);
        if (lie_side_by_side() && is_masked(k, count, is_tail)) {
            vmovaps(scratch(2) | tail_ | T_z, value);
            value = scratch(2);
        }
        add_term(r, scratch(k % 2), value, k < 2);
        if (r.op != onefold_op_reduce_l2) continue;
        if (k == 0)
            vmovaps(scratch(3), value);
        else
            vpord(scratch(3), scratch(3), value);
    }
    if (count > 1) vaddps(scratch(0), scratch(0), scratch(1));
    if (r.op == onefold_op_reduce_l2) raise_lost_squares();
    add_to_total(reduction, is_tail);
}

void vector_emitter::add_term(const tile_reduction &r, const vector &to, const vector &value, bool is_first) {
    if (r.squares || r.op == onefold_op_reduce_l2) return is_first ? vmulps(to, value, value) : vfmadd231ps(to, value, value);
    if (r.op != onefold_op_reduce_l1) return is_first ? vmovaps(to, value) : vaddps(to, to, value);
    if (is_first) return vpandd(to, value, constant(magnitude));
    vpandd(scratch(3), value, constant(magnitude));
    vaddps(to, to, scratch(3));
}

/// A norm must not be 0 because its squares are too small: where not all values, whose bits are in scratch(3), were 0 their sum
/// in scratch(0) is made one that tells.
void vector_emitter::raise_lost_squares() {
    constexpr uint32_t least_normal = 0x00800000U;
    vptestmd(mask_, scratch(3), constant(magnitude));
    vbroadcastss(scratch(3), unary_constant(std::bit_cast<float>(least_normal)));
    vmaxps(scratch(0) | mask_, scratch(3), scratch(0)); // the second is what a NaN gives
}

void vector_emitter::add_to_total(size_t reduction, bool /*is_tail*/) {
    vcvtps2pd(scratch(1), asm86::Ymm(scratch(0).getIdx()));
    vextractf64x4(asm86::Ymm(scratch(2).getIdx()), asm86::Zmm(scratch(0).getIdx()), 1);
    vcvtps2pd(scratch(2), asm86::Ymm(scratch(2).getIdx()));
    vaddpd(total_of(reduction, 0), total_of(reduction, 0), scratch(1));
    vaddpd(total_of(reduction, 1), total_of(reduction, 1), scratch(2));
}

void vector_emitter::take_in_extremes(size_t reduction, size_t count, bool is_tail) {
    const tile_reduction &r = computation_->reductions[reduction];
    std::vector<vector> values;
    for (size_t k = 0; k < count; ++k)
        values.push_back(register_of(r.value, k));
    if (is_tail) {
        vbroadcastss(scratch(2), unary_constant(least_of(r.op)));
        vmovaps(scratch(2) | tail_, values.back());
        values.back() = scratch(2);
    }
    for (size_t k = 0; k < count; k += 2)
        vcmpps(numbers_of(reduction) | numbers_of(reduction), values[k], values[std::min(k + 1, count - 1)], ordered);
    const vector total = total_of(reduction);
    for (const vector &most : pair_extremes(r.op, values))
        vrangeps(total, total, most, range_of(r.op));
}

std::vector<vector_emitter::vector> vector_emitter::pair_extremes(op_kind op, const std::vector<vector> &values) {
    std::vector<vector> most{values[0]};
    if (values.size() > 1) most.push_back(values[1]);
    for (size_t k = 2; k < values.size(); ++k) {
        vrangeps(scratch(k % 2), most[k % 2], values[k], range_of(op));
        most[k % 2] = scratch(k % 2);
    }
    return most;
}

uint8_t vector_emitter::range_of(op_kind op) { return op == onefold_op_reduce_max ? 5 : 4; }

asm86::Opmask vector_emitter::numbers_of(size_t reduction) const {
    size_t before = 0;
    for (size_t r = 0; r < reduction; ++r)
        before += is_extreme(computation_->reductions[r].op) ? size_t{1} : size_t{0};
    return asm86::Opmask(static_cast<int>(first_extreme_mask + before));
}

void vector_emitter::fold_total(size_t reduction) {
    if (is_extreme(computation_->reductions[reduction].op))
        fold_extreme(reduction);
    else
        fold_sum(reduction);
}

void vector_emitter::fold_sum(size_t reduction) {
    const int total = total_of(reduction).getIdx();
    const int other = scratch(0).getIdx();
    using asm86::Xmm;
    using asm86::Ymm;
    vaddpd(total_of(reduction), total_of(reduction), total_of(reduction, 1));
    vextractf64x4(Ymm(other), asm86::Zmm(total), 1);
    vaddpd(Ymm(total), Ymm(total), Ymm(other));
    vextractf64x2(Xmm(other), Ymm(total), 1);
    vaddpd(Xmm(total), Xmm(total), Xmm(other));
    vpermilpd(Xmm(other), Xmm(total), 1);
    vaddsd(Xmm(total), Xmm(total), Xmm(other));
}

void vector_emitter::fold_extreme(size_t reduction) {
    const op_kind op = computation_->reductions[reduction].op;
    const int total = total_of(reduction).getIdx();
    const int other = scratch(0).getIdx();
    using asm86::Xmm;
    using asm86::Ymm;
    vextractf64x4(Ymm(other), asm86::Zmm(total), 1);
    vrangeps(Ymm(total), Ymm(total), Ymm(other), range_of(op));
    vextractf32x4(Xmm(other), Ymm(total), 1);
    vrangeps(Xmm(total), Xmm(total), Xmm(other), range_of(op));
    for (const uint8_t swap : {uint8_t{0x4E}, uint8_t{0xB1}}) {
        vpermilps(Xmm(other), Xmm(total), swap);
        vrangeps(Xmm(total), Xmm(total), Xmm(other), range_of(op));
    }
    asm86::Label has_no_nan;
    kortestw(numbers_of(reduction), numbers_of(reduction));
    jc(has_no_nan); // all are
    vbroadcastss(Xmm(total), unary_constant(std::bit_cast<float>(0x7FC00000U)));
    L(has_no_nan);
}

} // namespace onefold::impl::simd
