// Casts between types whose arithmetic types differ.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/cast.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <bit>
#include <cmath>

#include "simd/isa_table.hpp"
#include "simd/kernels.hpp"
#include "simd/whole_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <typename From, typename Wide>
void widen_row(const void *src, void *dst, size_t count) {
    const auto *from = static_cast<const From *>(src);
    auto *to = static_cast<Wide *>(dst);
    for (size_t i = 0; i < count; ++i)
        to[i] = static_cast<Wide>(load_one(from + i));
}

void widen_booleans(const void *src, void *dst, size_t count) {
    const auto *from = static_cast<const uint8_t *>(src);
    auto *to = static_cast<int64_t *>(dst);
    for (size_t i = 0; i < count; ++i)
        to[i] = from[i] != 0 ? 1 : 0;
}

/// Rounded to odd: to one of the two nearest f32 where it is none, the one whose last bit is set. Rounding that to 16 bits is
/// rounding the number itself.
HWY_INLINE float round_to_odd(double x) {
    const auto nearest = static_cast<float>(x);
    const auto back = static_cast<double>(nearest);
    const auto bits = std::bit_cast<uint32_t>(nearest);
    const bool is_exact = back == x || x != x || (bits & 1) != 0;
    const uint32_t toward_x = std::fabs(back) < std::fabs(x) ? bits + 1 : bits - 1;
    return std::bit_cast<float>(is_exact ? bits : toward_x);
}

/// Likewise of integers to f64: of those that need more than 53 bits, the last 12 become one.
template <typename T>
HWY_INLINE double to_odd_double(T x) {
    if constexpr (!std::is_same_v<T, double>) {
        constexpr T exact = T{1} << 53;
        const bool is_large = x > exact || (std::is_signed_v<T> && x < T{0} - exact);
        const T rest = x & 0xFFF;
        if (is_large && rest != 0) x = (x - rest) | 0x800;
    }
    return static_cast<double>(x);
}

template <typename Wide, class Element>
void narrow_to_16_bits(const void *src, void *dst, size_t count) {
    const lane_tag<Element> d;
    constexpr size_t lanes = hn::MaxLanes(lane_tag<Element>());
    const auto *from = static_cast<const Wide *>(src);
    auto *to = static_cast<uint16_t *>(dst);
    for (size_t i = 0; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        HWY_ALIGN float few[lanes] = {};
        for (size_t k = 0; k < part; ++k)
            few[k] = round_to_odd(to_odd_double(from[i + k]));
        if (part == lanes)
            store<Element>(d, hn::Load(d, few), to + i);
        else
            store_part<Element>(d, hn::Load(d, few), to + i, part);
    }
}

template <typename Wide, typename To>
void narrow_row(const void *src, void *dst, size_t count) {
    const auto *from = static_cast<const Wide *>(src);
    auto *to = static_cast<To *>(dst);
    for (size_t i = 0; i < count; ++i)
        if constexpr (std::is_same_v<Wide, double> && std::is_integral_v<To>)
            store_one(saturate<To>(from[i]), to + i);
        else
            store_one(static_cast<To>(from[i]), to + i);
}

template <typename Wide>
void narrow_to_boolean(const void *src, void *dst, size_t count) {
    const auto *from = static_cast<const Wide *>(src);
    auto *to = static_cast<uint8_t *>(dst);
    for (size_t i = 0; i < count; ++i)
        to[i] = from[i] != 0 ? 1 : 0;
}

template <typename Wide>
cast_kernel narrow_to(data_type to) {
    switch (to) {
    case onefold_f32:
        return narrow_row<Wide, float>;
    case onefold_f64:
        return narrow_row<Wide, double>;
    case onefold_bf16:
        return narrow_to_16_bits<Wide, bf16_element>;
    case onefold_f16:
        return narrow_to_16_bits<Wide, f16_element>;
    case onefold_s8:
        return narrow_row<Wide, int8_t>;
    case onefold_u8:
        return narrow_row<Wide, uint8_t>;
    case onefold_s16:
        return narrow_row<Wide, int16_t>;
    case onefold_u16:
        return narrow_row<Wide, uint16_t>;
    case onefold_s32:
        return narrow_row<Wide, int32_t>;
    case onefold_u32:
        return narrow_row<Wide, uint32_t>;
    case onefold_s64:
        return narrow_row<Wide, int64_t>;
    case onefold_u64:
        return narrow_row<Wide, uint64_t>;
    default:
        return narrow_to_boolean<Wide>;
    }
}

cast_kernels cast_of(data_type from, data_type to);
cast_kernels cast_of(data_type from, data_type to) {
    switch (from) {
    case onefold_f32:
    case onefold_bf16:
    case onefold_f16:
        return {widen_row<float, double>, narrow_to<double>(to)};
    case onefold_f64:
        return {widen_row<double, double>, narrow_to<double>(to)};
    case onefold_s8:
        return {widen_row<int8_t, int64_t>, narrow_to<int64_t>(to)};
    case onefold_u8:
        return {widen_row<uint8_t, int64_t>, narrow_to<int64_t>(to)};
    case onefold_s16:
        return {widen_row<int16_t, int64_t>, narrow_to<int64_t>(to)};
    case onefold_u16:
        return {widen_row<uint16_t, int64_t>, narrow_to<int64_t>(to)};
    case onefold_s32:
        return {widen_row<int32_t, int64_t>, narrow_to<int64_t>(to)};
    case onefold_u32:
        return {widen_row<uint32_t, int64_t>, narrow_to<int64_t>(to)};
    case onefold_s64:
        return {widen_row<int64_t, int64_t>, narrow_to<int64_t>(to)};
    case onefold_u64:
        return {widen_row<uint64_t, uint64_t>, narrow_to<uint64_t>(to)};
    default:
        return {widen_booleans, narrow_to<int64_t>(to)};
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

cast_kernels cast_of(const isa &on, data_type from, data_type to) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(cast_of);
    return table[on.place](from, to);
}

} // namespace onefold::impl::simd
#endif
