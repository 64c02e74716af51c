// Elements of every data type in vectors, and the ops on them. Included once per ISA by the kernels' files.
#if defined(ONEFOLD_SIMD_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_VECTOR_INL_H
#undef ONEFOLD_SIMD_VECTOR_INL_H
#else
#define ONEFOLD_SIMD_VECTOR_INL_H
#endif

#include <cstring>
#include <limits>
#include <type_traits>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
template <class D>
using vector_of = hn::VFromD<D>;

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

// An element type: what is in memory (storage), the type of the lanes that arithmetic is done in, and the ways between.

/// f32, f64 and integers of 32 and 64 bits: as they are.
template <typename T>
struct same_element {
    using storage = T;
    using lane = T;
    template <class D, class V>
    static HWY_INLINE V widen(D /*d*/, V v) {
        return v;
    }
    template <class D, class V>
    static HWY_INLINE V narrow(D /*d*/, V v) {
        return v;
    }
};
using f32_element = same_element<float>;
using f64_element = same_element<double>;

/// Integers of 8 and 16 bits, in lanes of 32.
template <typename T>
struct small_integer_element {
    using storage = T;
    using lane = int32_t;
    template <class D, class V>
    static HWY_INLINE vector_of<D> widen(D d, V v) {
        return hn::PromoteTo(d, v);
    }
};

/// Rounded here: what Highway's demotion of a NaN or a tie gives differs by version.
struct bf16_element {
    using storage = uint16_t;
    using lane = float;
    template <class D, class V>
    static HWY_INLINE vector_of<D> widen(D d, V v) {
        return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<D>(), v)));
    }
    template <class D>
    static HWY_INLINE vector_of<hn::Rebind<uint16_t, D>> narrow(D /*d*/, vector_of<D> v) {
        const hn::RebindToUnsigned<D> d32;
        const hn::RebindToSigned<D> s32;
        const hn::Rebind<uint16_t, D> d16;
        const auto bits = hn::BitCast(d32, v);
        const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
        const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7FFF))));
        const auto quiet_nan = hn::Or(hn::ShiftRight<16>(bits), hn::Set(d32, 0x40));
        const auto is_nan = hn::RebindMask(d32, hn::IsNaN(v));
        const auto result = hn::IfThenElse(is_nan, quiet_nan, rounded);
        return hn::DemoteTo(d16, hn::BitCast(s32, result));
    }
};

struct f16_element {
    using storage = uint16_t;
    using lane = float;
#if HWY_TARGET <= HWY_AVX2
    template <class D, class V>
    static HWY_INLINE vector_of<D> widen(D d, V v) {
        return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), v));
    }
    template <class D>
    static HWY_INLINE vector_of<hn::Rebind<uint16_t, D>> narrow(D /*d*/, vector_of<D> v) {
        return hn::BitCast(hn::Rebind<uint16_t, D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
    }
#else
    // Without an instruction for it. Highway's own way gives subnormal numbers, infinities and NaN other values.
    template <class D, class V>
    static HWY_INLINE vector_of<D> widen(D d, V v) {
        const hn::RebindToUnsigned<D> d32;
        const auto bits = hn::PromoteTo(d32, v);
        const auto magnitude = hn::And(bits, hn::Set(d32, 0x7FFF));
        // The exponent's bias is 15, not 127; a subnormal number's product is exact too.
        const auto scaled = hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(magnitude)), hn::Set(d, 0x1p112F));
        const auto not_finite =
            hn::Gt(hn::BitCast(hn::RebindToSigned<D>(), magnitude), hn::Set(hn::RebindToSigned<D>(), 0x7BFF));
        const auto as_f32 = hn::Or(hn::ShiftLeft<13>(magnitude), hn::Set(d32, 0x7F800000));
        const auto value = hn::IfThenElse(hn::RebindMask(d32, not_finite), as_f32, hn::BitCast(d32, scaled));
        return hn::BitCast(d, hn::Or(value, hn::ShiftLeft<16>(hn::And(bits, hn::Set(d32, 0x8000)))));
    }
    template <class D>
    static HWY_INLINE vector_of<hn::Rebind<uint16_t, D>> narrow(D d, vector_of<D> v) {
        const hn::RebindToUnsigned<D> d32;
        const hn::RebindToSigned<D> s32;
        const auto magnitude = hn::BitCast(d32, hn::Abs(v));
        const auto sign = hn::And(hn::ShiftRight<16>(hn::BitCast(d32, v)), hn::Set(d32, 0x8000));
        const auto below = [&](uint32_t limit) HWY_ATTR {
            const auto is = hn::Lt(hn::BitCast(s32, magnitude), hn::Set(s32, static_cast<int32_t>(limit)));
            return hn::RebindMask(d32, is);
        };
        // Rounded to even at bit 13, the bias changed from 127 to 15; what overflows becomes infinity by carrying.
        const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(d32, 1));
        const auto normal = hn::ShiftRight<13>(hn::Add(hn::Add(magnitude, hn::Set(d32, 0xC8000FFF)), odd));
        // The sum with 0.5 has its last bit where a subnormal number of 16 bits has it.
        const auto sum = hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5F));
        const auto subnormal = hn::Sub(hn::BitCast(d32, sum), hn::Set(d32, 0x3F000000));
        const auto not_finite = hn::IfThenElse(below(0x7F800001), hn::Set(d32, 0x7C00), hn::Set(d32, 0x7E00));
        const auto large = hn::IfThenElse(below(0x47800000), normal, not_finite);
        const auto result = hn::Or(sign, hn::IfThenElse(below(0x38800000), subnormal, large));
        return hn::DemoteTo(hn::Rebind<uint16_t, D>(), hn::BitCast(s32, result));
    }
#endif
};

/// The bf16 at even and at odd places of two vectors' worth of memory, which takes half as many instructions as in order.
template <class D>
struct bf16_pairs {
    vector_of<D> even;
    vector_of<D> odd;

    static HWY_INLINE bf16_pairs load(const uint16_t *src) {
        const D d;
        const hn::RebindToUnsigned<D> d32;
        const auto both = hn::BitCast(d32, hn::LoadU(hn::Repartition<uint16_t, D>(), src));
        return {hn::BitCast(d, hn::ShiftLeft<16>(both)), hn::BitCast(d, hn::And(both, hn::Set(d32, 0xFFFF0000)))};
    }
    /// In order again: the first vector, then the second one.
    HWY_INLINE void in_order(vector_of<D> &first, vector_of<D> &second) const {
        const D d;
#if HWY_TARGET == HWY_SCALAR
        (void)d;
        first = even;
        second = odd;
#else
        const auto lower = hn::InterleaveLower(d, even, odd); // of each block of four lanes
        const auto upper = hn::InterleaveUpper(d, even, odd);
        if constexpr (hn::MaxLanes(D()) == 4) {
            first = lower;
            second = upper;
        } else {
            first = hn::ConcatLowerLower(d, upper, lower);
            second = hn::ConcatUpperUpper(d, upper, lower);
#if HWY_TARGET <= HWY_AVX3
            HWY_ALIGN static constexpr int32_t order[16] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
            const auto indices = hn::SetTableIndices(d, order);
            first = hn::TableLookupLanes(first, indices);
            second = hn::TableLookupLanes(second, indices);
#endif
        }
#endif
    }
};

template <class Element>
using lane_tag = hn::ScalableTag<typename Element::lane>;

template <class Element, class D>
HWY_INLINE vector_of<D> load(D d, const typename Element::storage *src) {
    return Element::widen(d, hn::LoadU(hn::Rebind<typename Element::storage, D>(), src));
}

template <class Element, class D>
HWY_INLINE void store(D d, vector_of<D> v, typename Element::storage *dst) {
    hn::StoreU(Element::narrow(d, v), hn::Rebind<typename Element::storage, D>(), dst);
}

/// Lanes that are stored, or are not there: by powers of two, since a copy of unknown length is a call.
template <size_t most, typename T>
HWY_INLINE void copy_few(const T *from, T *to, size_t count) {
    size_t done = 0;
    for (size_t step = most / 2; step > 0; step /= 2)
        if (count & step) {
            std::memcpy(to + done, from + done, step * sizeof(T));
            done += step;
        }
}

/// The first `count` elements, fewer than the vector has lanes; zeros behind them. Nothing else is read.
template <class Element, class D>
HWY_INLINE vector_of<D> load_part(D d, const typename Element::storage *src, size_t count) {
    using storage = typename Element::storage;
    const hn::Rebind<storage, D> in_memory;
#if HWY_TARGET <= HWY_AVX3
    return Element::widen(d, hn::MaskedLoad(hn::FirstN(in_memory, count), in_memory, src));
#else
    constexpr size_t lanes = hn::MaxLanes(D());
    HWY_ALIGN storage few[lanes] = {};
    copy_few<lanes>(src, few, count);
    return Element::widen(d, hn::LoadU(in_memory, few));
#endif
}

/// Likewise with `rest` behind them.
template <class Element, class D>
HWY_INLINE vector_of<D> load_part(D d, const typename Element::storage *src, size_t count, hn::TFromD<D> rest) {
    return hn::IfThenElse(hn::FirstN(d, count), load_part<Element>(d, src, count), hn::Set(d, rest));
}

template <class Element, class D>
HWY_INLINE void store_part(D d, vector_of<D> v, typename Element::storage *dst, size_t count) {
    constexpr size_t lanes = hn::MaxLanes(D());
    HWY_ALIGN typename Element::storage few[lanes];
    store<Element>(d, v, few);
    copy_few<lanes>(few, dst, count);
}

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
struct square_map {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x) {
        return multiply_op::apply(d, x, x);
    }
};

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
