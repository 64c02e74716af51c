// What instructions of row programs do to tiles of f32, beyond the kernels for rows of any op.
#include "simd/tile_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/tile_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"
#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

using float_tag = hn::ScalableTag<float>;

/// An op of two operands as one of three, or of three as it is.
template <class Op>
struct of_two {
    static constexpr size_t count = 2;
    template <class D, class V>
    static HWY_INLINE V apply(D d, V a, V b, V /*c*/) {
        return Op::apply(d, a, b);
    }
};
struct subtract_multiply_op {
    static constexpr size_t count = 3;
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b, V c) {
        return hn::Mul(hn::Sub(a, b), c);
    }
};
struct subtract_divide_op {
    static constexpr size_t count = 3;
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b, V c) {
        return hn::Div(hn::Sub(a, b), c);
    }
};
struct multiply_add_op {
    static constexpr size_t count = 3;
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b, V c) {
        return hn::MulAdd(a, b, c);
    }
};

/// A row of an operand, of which `alike` says that it is one value.
template <bool alike, bool exists>
struct operand_row_of {
    const float *data;
    vector_of<float_tag> repeated;

    HWY_INLINE operand_row_of(const tile_operand &o, size_t row) : repeated(hn::Zero(float_tag())) {
        if constexpr (exists) {
            data = o.data + static_cast<int64_t>(row) * o.distance;
            if constexpr (alike) repeated = hn::Set(float_tag(), load_one(data));
        }
    }
    HWY_INLINE vector_of<float_tag> load(size_t i) const {
        if constexpr (alike || !exists)
            return repeated;
        else
            return hn::LoadU(float_tag(), data + i);
    }
    HWY_INLINE vector_of<float_tag> load_part(size_t i, size_t count) const {
        if constexpr (alike || !exists)
            return repeated;
        else
            return simd::HWY_NAMESPACE::load_part<f32_element>(float_tag(), data + i, count);
    }
};

template <class Op, bool a_is_alike, bool b_is_alike, bool c_is_alike>
void compute_tile(const tile_operand *operands, float *dst, int64_t distance, size_t rows, size_t length) {
    const float_tag d;
    constexpr size_t lanes = hn::MaxLanes(float_tag());
    for (size_t row = 0; row < rows; ++row) {
        const operand_row_of<a_is_alike, true> a(operands[0], row);
        const operand_row_of<b_is_alike, true> b(operands[1], row);
        const operand_row_of<c_is_alike, Op::count == 3> c(operands[Op::count - 1], row);
        float *to = dst + static_cast<int64_t>(row) * distance;
        size_t i = 0;
        for (; i + lanes <= length; i += lanes)
            hn::StoreU(Op::apply(d, a.load(i), b.load(i), c.load(i)), d, to + i);
        if (i == length) continue;
        const size_t part = length - i;
        store_part<f32_element>(d, Op::apply(d, a.load_part(i, part), b.load_part(i, part), c.load_part(i, part)), to + i,
                                part);
    }
}

template <class Op, bool a, bool b>
tile_kernel kernel_of_third(bool c) {
    if constexpr (Op::count == 2)
        return compute_tile<Op, a, b, false>;
    else
        return c ? compute_tile<Op, a, b, true> : compute_tile<Op, a, b, false>;
}

template <class Op>
tile_kernel kernel_of(row_values alike) {
    if (alike[0]) return alike[1] ? kernel_of_third<Op, true, true>(alike[2]) : kernel_of_third<Op, true, false>(alike[2]);
    return alike[1] ? kernel_of_third<Op, false, true>(alike[2]) : kernel_of_third<Op, false, false>(alike[2]);
}

tile_kernel find_tile_kernel(tile_op op, row_values alike);
tile_kernel find_tile_kernel(tile_op op, row_values alike) {
    switch (op) {
    case tile_op::add:
        return kernel_of<of_two<add_op>>(alike);
    case tile_op::subtract:
        return kernel_of<of_two<subtract_op>>(alike);
    case tile_op::multiply:
        return kernel_of<of_two<multiply_op>>(alike);
    case tile_op::divide:
        return kernel_of<of_two<divide_op>>(alike);
    case tile_op::maximum:
        return kernel_of<of_two<maximum_op>>(alike);
    case tile_op::minimum:
        return kernel_of<of_two<minimum_op>>(alike);
    case tile_op::subtract_multiply:
        return kernel_of<subtract_multiply_op>(alike);
    case tile_op::subtract_divide:
        return kernel_of<subtract_divide_op>(alike);
    case tile_op::multiply_add:
        return kernel_of<multiply_add_op>(alike);
    }
    return nullptr;
}

bool are_reciprocals_exact(const float *b, size_t count);
bool are_reciprocals_exact(const float *b, size_t count) {
    const float_tag d;
    constexpr size_t lanes = hn::MaxLanes(float_tag());
    for (size_t i = 0; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        const auto magnitude = hn::Abs(part == lanes ? hn::LoadU(d, b + i) : load_part<f32_element>(d, b + i, part));
        const auto is_small = hn::And(hn::Lt(magnitude, hn::Set(d, 0x1p-126F)), hn::Gt(magnitude, hn::Zero(d)));
        const auto is_large = hn::And(hn::Gt(magnitude, hn::Set(d, 0x1p126F)), hn::Lt(magnitude, hn::Inf(d)));
        if (!hn::AllFalse(d, hn::Or(is_small, is_large))) return false;
    }
    return true;
}

/// -0 counts as 0, and the root of -inf is inf: so has it pow().
template <bool reciprocal>
void root_row(const float *src, float *dst, size_t count) {
    const float_tag d;
    constexpr size_t lanes = hn::MaxLanes(float_tag());
    for (size_t i = 0; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        const auto x = part == lanes ? hn::LoadU(d, src + i) : load_part<f32_element>(d, src + i, part);
        const auto power = hn::Sqrt(hn::Add(x, hn::Zero(d)));
        auto root = hn::IfThenElse(hn::Eq(x, hn::Neg(hn::Inf(d))), hn::Inf(d), power);
        if constexpr (reciprocal) root = hn::Div(hn::Set(d, 1), root);
        if (part == lanes)
            hn::StoreU(root, d, dst + i);
        else
            store_part<f32_element>(d, root, dst + i, part);
    }
}

root_kernel find_root(bool reciprocal);
root_kernel find_root(bool reciprocal) { return reciprocal ? root_row<true> : root_row<false>; }

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

tile_kernel tile_kernel_of(const isa &on, tile_op op, row_values alike) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(find_tile_kernel);
    return table[on.place](op, alike);
}

reciprocal_check reciprocal_check_of(const isa &on) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(are_reciprocals_exact);
    return table[on.place];
}

root_kernel root_of(const isa &on, bool reciprocal) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(find_root);
    return table[on.place](reciprocal);
}

} // namespace onefold::impl::simd
#endif
