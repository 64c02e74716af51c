// Integers one by one. Included once per ISA by the kernels that need them.
#if defined(ONEFOLD_SIMD_WHOLE_NUMBERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_WHOLE_NUMBERS_INL_H
#undef ONEFOLD_SIMD_WHOLE_NUMBERS_INL_H
#else
#define ONEFOLD_SIMD_WHOLE_NUMBERS_INL_H
#endif

#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

/// Integers wrap: they are added and multiplied without a sign, in 32 bits at least, since smaller ones would be promoted to
/// int.
template <typename T>
using wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <typename T>
T difference(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) - static_cast<wrapping<T>>(b));
}
template <typename T>
T product(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
}

/// Truncates toward zero; what is beyond the type's range becomes its end, a NaN 0.
template <typename T>
HWY_INLINE T saturate(double x) {
    constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    constexpr double highest = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2; // and 1 more: exact
    if constexpr (sizeof(T) <= 4) {
        using wide = std::conditional_t<(sizeof(T) < 4 || std::is_signed_v<T>), int32_t, int64_t>;
        const double raised = x < lowest ? lowest : x;
        const double inside = raised > highest - 1 ? highest - 1 : raised;
        return static_cast<T>(static_cast<wide>(inside == inside ? inside : 0));
    } else {
        if (!(x > lowest)) return x == x ? std::numeric_limits<T>::lowest() : T{0};
        return x < highest ? static_cast<T>(x) : std::numeric_limits<T>::max();
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
