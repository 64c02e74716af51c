// The unary ops on rows of integers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/unary_integers.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <cmath>

#include "simd/isa_table.hpp"
#include "simd/unaries.hpp"
#include "simd/whole_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <typename T>
struct integer_ops {
    // Each gives an op that the attributes are bound to.
    static auto abs(float, float) {
        return [](T x) { return x < 0 ? difference(T{0}, x) : x; };
    }
    static auto neg(float, float) {
        return [](T x) { return difference(T{0}, x); };
    }
    static auto relu(float, float) {
        return [](T x) { return x < 0 ? T{0} : x; };
    }
    static auto square(float, float) {
        return [](T x) { return product(x, x); };
    }
    /// By the integers between the bounds; a NaN is no bound.
    static auto clamp(float min, float max) {
        const T least = std::isnan(min) ? std::numeric_limits<T>::lowest() : saturate<T>(std::ceil(min));
        const T most = std::isnan(max) ? std::numeric_limits<T>::max() : saturate<T>(std::floor(max));
        return [least, most](T x) {
            const T raised = x < least ? least : x;
            return raised > most ? most : raised;
        };
    }
    /// A whole exponent from 0 on wraps, others are computed in f64.
    static auto pow(float exponent, float) {
        const bool is_whole = exponent >= 0 && exponent < 0x1p63F && std::floor(exponent) == exponent;
        const auto whole = is_whole ? static_cast<uint64_t>(exponent) : 0;
        return [=](T x) {
            if (!is_whole) return saturate<T>(std::pow(static_cast<double>(x), static_cast<double>(exponent)));
            T result = 1;
            T square = x;
            for (uint64_t bits = whole; bits != 0; bits >>= 1) {
                if (bits & 1) result = product(result, square);
                square = product(square, square);
            }
            return result;
        };
    }
};

template <typename T, auto bind>
void integer_row(const void *src, void *dst, size_t count, float alpha, float beta) {
    const auto op = bind(alpha, beta);
    const auto *from = static_cast<const T *>(src);
    auto *to = static_cast<T *>(dst);
    for (size_t i = 0; i < count; ++i)
        store_one(op(load_one(from + i)), to + i);
}

template <typename T>
unary_kernel kernel_of(op_kind op) {
    using ops = integer_ops<T>;
    switch (op) {
    case onefold_op_abs:
        return integer_row<T, ops::abs>;
    case onefold_op_clamp:
        return integer_row<T, ops::clamp>;
    case onefold_op_neg:
        return integer_row<T, ops::neg>;
    case onefold_op_pow:
        return integer_row<T, ops::pow>;
    case onefold_op_relu:
        return integer_row<T, ops::relu>;
    case onefold_op_square:
        return integer_row<T, ops::square>;
    default:
        return nullptr;
    }
}

unary_kernel integer_unary(op_kind op, data_type type);
unary_kernel integer_unary(op_kind op, data_type type) {
    switch (type) {
    case onefold_s8:
        return kernel_of<int8_t>(op);
    case onefold_u8:
        return kernel_of<uint8_t>(op);
    case onefold_s16:
        return kernel_of<int16_t>(op);
    case onefold_u16:
        return kernel_of<uint16_t>(op);
    case onefold_s32:
        return kernel_of<int32_t>(op);
    case onefold_u32:
        return kernel_of<uint32_t>(op);
    case onefold_s64:
        return kernel_of<int64_t>(op);
    case onefold_u64:
        return kernel_of<uint64_t>(op);
    default:
        return nullptr;
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

unary_kernel integer_unary(const isa &on, op_kind op, data_type type) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(integer_unary);
    return table[on.place](op, type);
}

} // namespace onefold::impl::simd
#endif
