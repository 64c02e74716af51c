#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "onefold/graph.hpp"

// The data types by plain code, sharing nothing with the library. Integers are held as doubles here: up to 2^53.
namespace onefold_test {

using data_type = onefold::graph::logical_tensor::data_type;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double f32_unit = 0x1p-24; // one rounding to f32, relative to the result
inline constexpr double f32_max = 0x1.fffffep127;
inline constexpr double bf16_max = 0x1.fep127;
inline constexpr double f16_max = 65504;

inline constexpr data_type float_types[] = {data_type::f32, data_type::bf16, data_type::f16};

inline constexpr data_type integer_types[] = {data_type::s8,  data_type::u8,  data_type::s16, data_type::u16,
                                              data_type::s32, data_type::u32, data_type::s64, data_type::u64};

/// Calls visit with a value of the type's C++ type; f16 and bf16 have none.
template <typename Visit>
auto visit_plain_type(data_type type, const Visit &visit) {
    switch (type) {
    case data_type::f32:
        return visit(float{});
    case data_type::s8:
        return visit(int8_t{});
    case data_type::u8:
    case data_type::boolean:
        return visit(uint8_t{});
    case data_type::s16:
        return visit(int16_t{});
    case data_type::u16:
        return visit(uint16_t{});
    case data_type::s32:
        return visit(int32_t{});
    case data_type::u32:
        return visit(uint32_t{});
    case data_type::s64:
        return visit(int64_t{});
    case data_type::u64:
        return visit(uint64_t{});
    default:
        return visit(double{});
    }
}

inline bool is_half(data_type type) { return type == data_type::bf16 || type == data_type::f16; }

inline const char *name_of(data_type type) { return onefold_data_type_name(static_cast<onefold_data_type>(type)); }

inline size_t size_of(data_type type) {
    return is_half(type) ? 2 : visit_plain_type(type, [](auto zero) { return sizeof(zero); });
}

inline double max_of(data_type type) { return type == data_type::f32 ? f32_max : type == data_type::bf16 ? bf16_max : f16_max; }

/// The nearest value of the type, ties to even; too large a value is infinity.
inline double round_to(data_type type, double x) {
    if (!std::isfinite(x) || x == 0 || (type != data_type::f32 && !is_half(type))) return x;
    if (type == data_type::f32) return static_cast<double>(static_cast<float>(x)); // the processor rounds to nearest even
    const int precision = type == data_type::bf16 ? 8 : 11;
    const int smallest = type == data_type::bf16 ? -133 : -24; // the exponent of a subnormal's unit
    int exponent = 0;
    std::frexp(x, &exponent);
    const int unit = std::max(exponent - precision, smallest);
    const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
    return std::abs(rounded) > max_of(type) ? std::copysign(infinity, x) : rounded;
}

inline double f16_from_bits(uint16_t bits) {
    const double sign = bits & 0x8000U ? -1 : 1;
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    if (exponent == 31) return fraction ? not_a_number : sign * infinity;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

inline uint16_t f16_to_bits(double x) {
    const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x)) return 0x7e00;
    const double magnitude = std::abs(round_to(data_type::f16, x));
    if (magnitude == infinity) return sign | 0x7c00;
    if (magnitude < 0x1p-14) return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::ldexp(magnitude, 24)));
    int exponent = 0;
    const double fraction = std::frexp(magnitude, &exponent);                 // in [0.5, 1)
    const auto significand = static_cast<uint16_t>(std::ldexp(fraction, 11)); // the hidden bit adds 1 to the exponent
    return static_cast<uint16_t>(sign | (((exponent + 13) << 10) + significand));
}

inline double load(data_type type, const void *element) {
    if (!is_half(type))
        return visit_plain_type(type, [&](auto value) {
            std::memcpy(&value, element, sizeof value);
            return static_cast<double>(value);
        });
    uint16_t bits = 0;
    std::memcpy(&bits, element, sizeof bits);
    if (type == data_type::f16) return f16_from_bits(bits);
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float f = 0;
    std::memcpy(&f, &wide, sizeof f);
    return static_cast<double>(f);
}

/// Rounds once, to nearest even.
inline void store(data_type type, void *element, double x) {
    if (!is_half(type))
        return visit_plain_type(type, [&](auto value) {
            value = static_cast<decltype(value)>(round_to(type, x));
            std::memcpy(element, &value, sizeof value);
        });
    const auto f = static_cast<float>(round_to(type, x)); // exact for bf16 too
    uint32_t wide = 0;
    std::memcpy(&wide, &f, sizeof f);
    const auto bits = type == data_type::f16 ? f16_to_bits(x) : static_cast<uint16_t>(wide >> 16);
    std::memcpy(element, &bits, sizeof bits);
}

/// Whether the element may stand for an exact result known to within `error`: it lies between the roundings of the two ends.
/// Any NaN equals any NaN.
inline bool is_within(data_type type, double got, double exact, double error) {
    if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got);
    if (std::isinf(exact)) return got == exact;
    return got >= round_to(type, exact - error) && got <= round_to(type, exact + error);
}

/// The same value with the same sign, zeros too; any NaN is any NaN.
inline bool is_identical(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
}

} // namespace onefold_test
