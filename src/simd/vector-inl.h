// The ops on vectors. Included once per ISA by the kernels' files.
#if defined(ONEFOLD_SIMD_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_VECTOR_INL_H
#undef ONEFOLD_SIMD_VECTOR_INL_H
#else
#define ONEFOLD_SIMD_VECTOR_INL_H
#endif

#include "simd/element-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

struct add_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b) {
        return hn::Add(a, b);
    }
    template <typename T>
    static constexpr T identity() {
        return 0;
    }
};
struct subtract_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b) {
        return hn::Sub(a, b);
    }
};
struct divide_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b) {
        return hn::Div(a, b);
    }
};

/// Integers wrap.
struct multiply_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V a, V b) {
        using T = hn::TFromD<D>;
        if constexpr (std::is_floating_point_v<T> || sizeof(T) < 8)
            return hn::Mul(a, b);
        else
            return multiply_64(d, a, b);
    }
    template <typename T>
    static constexpr T identity() {
        return 1;
    }

private:
    template <class D, class V>
    static HWY_INLINE V multiply_64(D d, V a, V b) {
#if HWY_TARGET == HWY_SCALAR
        return hn::Set(
            d, static_cast<hn::TFromD<D>>(static_cast<uint64_t>(hn::GetLane(a)) * static_cast<uint64_t>(hn::GetLane(b))));
#elif HWY_TARGET <= HWY_AVX3
        (void)d;
        return hn::Mul(a, b);
#else
        const hn::RebindToUnsigned<D> d64;
        const hn::Repartition<uint32_t, D> d32;
        const auto low_a = hn::BitCast(d32, a);
        const auto low_b = hn::BitCast(d32, b);
        const auto high_a = hn::BitCast(d32, hn::ShiftRight<32>(hn::BitCast(d64, a)));
        const auto high_b = hn::BitCast(d32, hn::ShiftRight<32>(hn::BitCast(d64, b)));
        const auto cross = hn::Add(hn::MulEven(low_a, high_b), hn::MulEven(high_a, low_b));
        return hn::BitCast(d, hn::Add(hn::MulEven(low_a, low_b), hn::ShiftLeft<32>(cross)));
#endif
    }
};
struct squared_difference_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V a, V b) {
        const V difference = hn::Sub(a, b);
        return multiply_op::apply(d, difference, difference);
    }
};

/// x86's max and min give the second operand where one is a NaN, so only the first one is in danger.
template <class V>
HWY_INLINE V nan_wins(V a, V b, V otherwise) {
#if HWY_TARGET == HWY_SCALAR
    otherwise = hn::IfThenElse(hn::IsNaN(b), b, otherwise);
#endif
    (void)b;
    return hn::IfThenElse(hn::IsNaN(a), a, otherwise);
}

/// IEEE 754-2019's maximum: of equal operands (zeros of both signs) the bitwise "and" has the smaller sign bit.
struct maximum_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b) {
        if constexpr (std::is_floating_point_v<hn::TFromD<D>>)
            return nan_wins(a, b, hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Max(a, b)));
        else
            return hn::Max(a, b);
    }
    template <typename T>
    static constexpr T identity() {
        return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    }
};
struct minimum_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V a, V b) {
        if constexpr (std::is_floating_point_v<hn::TFromD<D>>)
            return nan_wins(a, b, hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::Min(a, b)));
        else
            return hn::Min(a, b);
    }
    template <typename T>
    static constexpr T identity() {
        return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    }
};

struct identity_map {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V x) {
        return x;
    }
};
/// The lowest signed integer stays what it is: its magnitude, wrapped.
struct magnitude_map {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V x) {
        if constexpr (std::is_unsigned_v<hn::TFromD<D>>)
            return x;
        else
            return hn::Abs(x);
    }
};
/// The square of a float that is not 0 is not 0 either, but at least the smallest number: a sum of 0 is one of zeros alone.
struct square_map {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x) {
        using T = hn::TFromD<D>;
        const V square = multiply_op::apply(d, x, x);
        if constexpr (std::is_floating_point_v<T>) {
            const V least = hn::Min(hn::Abs(x), hn::Set(d, std::numeric_limits<T>::denorm_min()));
            return hn::IfThenElse(hn::Eq(square, hn::Zero(d)), least, square);
        } else
            return square;
    }
};

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
