// Vectors of f32: elements in memory, and the binary ops. Included once per ISA by rows.cpp.
#if defined(ONEFOLD_SIMD_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_VECTOR_INL_H
#undef ONEFOLD_SIMD_VECTOR_INL_H
#else
#define ONEFOLD_SIMD_VECTOR_INL_H
#endif

#include <cstring>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using f32_tag = hn::ScalableTag<float>;
using f64_tag = hn::ScalableTag<double>;
template <class D>
using vector_of = hn::VFromD<D>;

/// The first `count` lanes from memory, `rest` in the others.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE vector_of<D> load_part(D d, const T *src, size_t count, T rest) {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(hn::Set(d, rest), d, lanes);
    std::memcpy(lanes, src, count * sizeof(T));
    return hn::Load(d, lanes);
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void store_part(D d, vector_of<D> v, T *dst, size_t count) {
    HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(v, d, lanes);
    std::memcpy(dst, lanes, count * sizeof(T));
}

/// An element at any address.
template <typename T>
HWY_INLINE T load_one(const T *src) {
    T value;
    std::memcpy(&value, static_cast<const void *>(src), sizeof(T));
    return value;
}
template <typename T>
HWY_INLINE void store_one(T value, T *dst) {
    std::memcpy(static_cast<void *>(dst), &value, sizeof(T));
}

struct f32_element {
    using storage = float;
    template <class D>
    static vector_of<D> load(D d, const storage *src) {
        return hn::LoadU(d, src);
    }
    template <class D>
    static void store(D d, vector_of<D> v, storage *dst) {
        hn::StoreU(v, d, dst);
    }
};

/// Rounded here: what Highway's demotion of a NaN or a tie gives differs by version.
struct bf16_element {
    using storage = uint16_t;
    template <class D>
    static vector_of<D> load(D d, const storage *src) {
        const hn::RebindToUnsigned<D> d32;
        const hn::Rebind<uint16_t, D> d16;
        return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, hn::LoadU(d16, src))));
    }
    template <class D>
    static void store(D /*d*/, vector_of<D> v, storage *dst) {
        const hn::RebindToUnsigned<D> d32;
        const hn::RebindToSigned<D> s32;
        const hn::Rebind<uint16_t, D> d16;
        const auto bits = hn::BitCast(d32, v);
        const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
        const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7FFF))));
        const auto quiet_nan = hn::Or(hn::ShiftRight<16>(bits), hn::Set(d32, 0x40));
        const auto is_nan = hn::RebindMask(d32, hn::IsNaN(v));
        const auto result = hn::IfThenElse(is_nan, quiet_nan, rounded);
        hn::StoreU(hn::DemoteTo(d16, hn::BitCast(s32, result)), d16, dst);
    }
};

struct f16_element {
    using storage = uint16_t;
    template <class D>
    static vector_of<D> load(D d, const storage *src) {
        const hn::Rebind<hwy::float16_t, D> d16;
        const hn::Rebind<uint16_t, D> bits;
        return hn::PromoteTo(d, hn::BitCast(d16, hn::LoadU(bits, src)));
    }
    template <class D>
    static void store(D /*d*/, vector_of<D> v, storage *dst) {
        const hn::Rebind<hwy::float16_t, D> d16;
        const hn::Rebind<uint16_t, D> bits;
        hn::StoreU(hn::BitCast(bits, hn::DemoteTo(d16, v)), bits, dst);
    }
};

struct add_op {
    template <class D, class V>
    static V apply(D, V a, V b) {
        return hn::Add(a, b);
    }
};
struct subtract_op {
    template <class D, class V>
    static V apply(D, V a, V b) {
        return hn::Sub(a, b);
    }
};
struct multiply_op {
    template <class D, class V>
    static V apply(D, V a, V b) {
        return hn::Mul(a, b);
    }
};
struct divide_op {
    template <class D, class V>
    static V apply(D, V a, V b) {
        return hn::Div(a, b);
    }
};
struct squared_difference_op {
    template <class D, class V>
    static V apply(D, V a, V b) {
        const V difference = hn::Sub(a, b);
        return hn::Mul(difference, difference);
    }
};

template <class V>
V nan_wins(V a, V b, V otherwise) {
    return hn::IfThenElse(hn::IsNaN(a), a, hn::IfThenElse(hn::IsNaN(b), b, otherwise));
}

/// IEEE 754-2019's maximum: of equal operands (zeros of both signs) the bitwise "and" has the smaller sign bit.
struct maximum_op {
    template <class D, class V>
    static V apply(D, V a, V b) {
        return nan_wins(a, b, hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Max(a, b)));
    }
    template <typename T>
    static constexpr T identity() {
        return -std::numeric_limits<T>::infinity();
    }
};
struct minimum_op {
    template <class D, class V>
    static V apply(D, V a, V b) {
        return nan_wins(a, b, hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::Min(a, b)));
    }
    template <typename T>
    static constexpr T identity() {
        return std::numeric_limits<T>::infinity();
    }
};

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
