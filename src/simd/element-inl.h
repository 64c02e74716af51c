// Element types: what is in memory and the lanes that arithmetic is done in. Included once per ISA by the kernels' files.
#if defined(ONEFOLD_SIMD_ELEMENT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_ELEMENT_INL_H
#undef ONEFOLD_SIMD_ELEMENT_INL_H
#else
#define ONEFOLD_SIMD_ELEMENT_INL_H
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

/// Integers of 8 bits, in lanes of 16.
template <typename T>
struct byte_element {
    using storage = T;
    using lane = std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>;
    template <class D, class V>
    static HWY_INLINE vector_of<D> widen(D d, V v) {
        return hn::PromoteTo(d, v);
    }
};

/// Floats of 16 bits as integers in the order that maxima (minima, where NaN is to be the least) have: -0 before +0, NaN of
/// either sign behind infinity. Read as an integer, a negative one is in reverse order; NaN of the sign that lies at the wrong
/// end is moved around to the other one.
template <uint16_t infinity, bool nan_is_least>
struct ordered_element {
    using storage = uint16_t;
    using lane = int16_t;
    static constexpr int16_t nans = 0x7FFF - infinity; // of each sign
    static constexpr int16_t shift = nan_is_least ? nans : -nans;

    template <class D, class V>
    static HWY_INLINE vector_of<D> widen(D d, V v) {
        return hn::Add(reversed_if_negative(d, hn::BitCast(d, v)), hn::Set(d, shift));
    }
    template <class D>
    static HWY_INLINE vector_of<hn::Rebind<uint16_t, D>> narrow(D d, vector_of<D> v) {
        return hn::BitCast(hn::Rebind<uint16_t, D>(), reversed_if_negative(d, hn::Sub(v, hn::Set(d, shift))));
    }
    /// The lane of the infinity that is no more than any number in max, no less in min.
    static constexpr int16_t identity() {
        return static_cast<int16_t>(nan_is_least ? infinity + shift : -infinity - 1 + shift);
    }

private:
    template <class D, class V>
    static HWY_INLINE V reversed_if_negative(D d, V v) {
        return hn::Xor(v, hn::And(hn::ShiftRight<15>(v), hn::Set(d, 0x7FFF)));
    }
};
template <class Element, bool nan_is_least>
using ordered = ordered_element<std::is_same_v<Element, bf16_element> ? 0x7F80 : 0x7C00, nan_is_least>;

template <class Element>
using lane_tag = hn::ScalableTag<typename Element::lane>;

/// True of elements whose lanes are twice as wide and begin or end with their bits.
template <class Element>
inline constexpr bool has_pairs = false;
template <>
inline constexpr bool has_pairs<bf16_element> = true;
template <typename T>
inline constexpr bool has_pairs<byte_element<T>> = true;

/// The elements at even and at odd places of two vectors' worth of memory, which takes half as many instructions as in order.
template <class Element>
struct lane_pairs {
    using tag = lane_tag<Element>;
    vector_of<tag> even;
    vector_of<tag> odd;

    static HWY_INLINE lane_pairs load(const typename Element::storage *src) {
        const tag d;
        const hn::RebindToUnsigned<tag> bits;
        constexpr int half = sizeof(typename Element::storage) * 8;
        const auto both = hn::LoadU(hn::Repartition<typename Element::storage, tag>(), src);
        if constexpr (std::is_same_v<Element, bf16_element>) {
            const auto words = hn::BitCast(bits, both);
            return {hn::BitCast(d, hn::ShiftLeft<half>(words)), hn::BitCast(d, hn::And(words, hn::Set(bits, 0xFFFF0000)))};
        } else {
            const auto lanes = hn::BitCast(d, both);
            if constexpr (std::is_unsigned_v<typename Element::lane>)
                return {hn::And(lanes, hn::Set(d, 0xFF)), hn::ShiftRight<half>(lanes)};
            else
                return {hn::ShiftRight<half>(hn::ShiftLeft<half>(lanes)), hn::ShiftRight<half>(lanes)};
        }
    }
    /// In order again: the first vector, then the second one.
    HWY_INLINE void in_order(vector_of<tag> &first, vector_of<tag> &second) const {
        const tag d;
#if HWY_TARGET == HWY_SCALAR
        (void)d;
        first = even;
        second = odd;
#else
        const auto lower = hn::InterleaveLower(d, even, odd); // of each block of 16 bytes
        const auto upper = hn::InterleaveUpper(d, even, odd);
        if constexpr (hn::MaxLanes(tag()) * sizeof(typename Element::lane) == 16) {
            first = lower;
            second = upper;
        } else {
            first = hn::ConcatLowerLower(d, upper, lower);
            second = hn::ConcatUpperUpper(d, upper, lower);
#if HWY_TARGET <= HWY_AVX3
            const hn::Repartition<int32_t, tag> words;
            HWY_ALIGN static constexpr int32_t order[16] = {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15};
            const auto indices = hn::SetTableIndices(words, order);
            first = hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(words, first), indices));
            second = hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(words, second), indices));
#endif
        }
#endif
    }
};

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

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
