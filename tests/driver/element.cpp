#include "tests/driver/element.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "graph/error.hpp"

namespace onefold::driver {

namespace {

/// A 16-bit float: its bits and nothing else. The driver's conversions are its own, plain and in double, so that they can
/// check the library's.
template <int ExponentBits, int MantissaBits>
struct small_float {
    uint16_t bits;

    static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
    static constexpr uint16_t exponent_mask = ((1 << ExponentBits) - 1) << MantissaBits;
    static constexpr uint16_t mantissa_mask = (1 << MantissaBits) - 1;
    static constexpr uint16_t sign_mask = 1 << 15;

    double value() const {
        const int exponent = (bits & exponent_mask) >> MantissaBits;
        const int mantissa = bits & mantissa_mask;
        const double sign = bits & sign_mask ? -1.0 : 1.0;
        if ((bits & exponent_mask) == exponent_mask)
            return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
        if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - MantissaBits);
        return sign * std::ldexp(mantissa + (1 << MantissaBits), exponent - bias - MantissaBits);
    }

    static small_float from(double value) {
        const uint16_t sign = std::signbit(value) ? sign_mask : 0;
        if (std::isnan(value)) return {static_cast<uint16_t>(exponent_mask | (1 << (MantissaBits - 1)))};
        const double magnitude = std::fabs(value);
        if (magnitude == 0) return {sign};
        // Counted in units of the last place, the bits of a float are an integer: a carry runs into the exponent by itself.
        const int exponent = std::isinf(magnitude) ? bias + 1 : std::max(std::ilogb(magnitude), 1 - bias);
        if (exponent > bias) return {static_cast<uint16_t>(sign | exponent_mask)};
        const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, MantissaBits - exponent)));
        return {static_cast<uint16_t>(sign | (((exponent + bias - 1) << MantissaBits) + units))};
    }
};

using f16 = small_float<5, 10>;
using bf16 = small_float<8, 7>;

/// Calls function with a pointer to nothing of the element's C++ type. boolean goes as bool.
template <typename Function>
auto visit_type(impl::data_type type, Function &&function) {
    switch (type) {
    case onefold_f16:
        return function(static_cast<f16 *>(nullptr));
    case onefold_bf16:
        return function(static_cast<bf16 *>(nullptr));
    case onefold_f32:
        return function(static_cast<float *>(nullptr));
    case onefold_f64:
        return function(static_cast<double *>(nullptr));
    case onefold_s8:
        return function(static_cast<int8_t *>(nullptr));
    case onefold_u8:
        return function(static_cast<uint8_t *>(nullptr));
    case onefold_s16:
        return function(static_cast<int16_t *>(nullptr));
    case onefold_u16:
        return function(static_cast<uint16_t *>(nullptr));
    case onefold_s32:
        return function(static_cast<int32_t *>(nullptr));
    case onefold_u32:
        return function(static_cast<uint32_t *>(nullptr));
    case onefold_s64:
        return function(static_cast<int64_t *>(nullptr));
    case onefold_u64:
        return function(static_cast<uint64_t *>(nullptr));
    case onefold_boolean:
        return function(static_cast<bool *>(nullptr));
    default:
        impl::fail(onefold_unimplemented, "the driver holds no elements of type {}", impl::name_of(type));
    }
}

template <typename Type>
constexpr bool is_small_float = std::is_same_v<Type, f16> || std::is_same_v<Type, bf16>;

template <typename Type>
Type convert(double value) {
    if constexpr (is_small_float<Type>) {
        return Type::from(value);
    } else if constexpr (std::is_floating_point_v<Type>) {
        return static_cast<Type>(value);
    } else if constexpr (std::is_same_v<Type, bool>) {
        return value != 0 && !std::isnan(value);
    } else {
        using limits = std::numeric_limits<Type>;
        const double rounded = std::nearbyint(value);
        if (std::isnan(rounded)) return 0;
        if (rounded <= static_cast<double>(limits::lowest())) return limits::lowest();
        // 2^digits, which is exact: the largest 64-bit integers are not.
        if (rounded >= std::ldexp(1.0, limits::digits)) return limits::max();
        return static_cast<Type>(rounded);
    }
}

template <typename Type>
Type read(const void *element) {
    if constexpr (std::is_same_v<Type, bool>) {
        return *static_cast<const uint8_t *>(element) != 0; // any byte, not only 0 and 1
    } else {
        Type value;
        std::memcpy(&value, element, sizeof(value));
        return value;
    }
}

template <typename Type>
double to_double(Type value) {
    if constexpr (is_small_float<Type>)
        return value.value();
    else
        return static_cast<double>(value);
}

} // namespace

bool is_loadable(impl::data_type type) {
    return impl::bits_of(type) >= 8 && type != onefold_f8_e5m2 && type != onefold_f8_e4m3;
}

double load_element(impl::data_type type, const void *element) {
    return visit_type(type, [&](auto *tag) { return to_double(read<std::remove_pointer_t<decltype(tag)>>(element)); });
}

void store_element(impl::data_type type, void *element, double value) {
    visit_type(type, [&](auto *tag) {
        const auto converted = convert<std::remove_pointer_t<decltype(tag)>>(value);
        std::memcpy(element, &converted, sizeof(converted));
    });
}

double round_to(impl::data_type type, double value) {
    return visit_type(type, [&](auto *tag) { return to_double(convert<std::remove_pointer_t<decltype(tag)>>(value)); });
}

double lowest_of(impl::data_type type) {
    if (type == onefold_boolean) return 0;
    return impl::is_floating(type) ? -highest_of(type) : round_to(type, -0x1p70);
}

double highest_of(impl::data_type type) {
    switch (type) {
    case onefold_f16:
        return 65504;
    case onefold_bf16:
        return 0x1.fep127;
    case onefold_f32:
        return std::numeric_limits<float>::max();
    case onefold_f64:
        return std::numeric_limits<double>::max();
    default:
        return round_to(type, 0x1p70);
    }
}

std::string element_text(impl::data_type type, const void *element) {
    return visit_type(type, [&](auto *tag) {
        const auto value = read<std::remove_pointer_t<decltype(tag)>>(element);
        if constexpr (is_small_float<std::remove_pointer_t<decltype(tag)>>)
            // Exact as an f32, and its digits are few enough for a reader.
            return fmt::format("{}", static_cast<float>(value.value()));
        else if constexpr (std::is_same_v<decltype(value), const bool>)
            return std::string(value ? "1" : "0");
        else
            return fmt::format("{}", value);
    });
}

} // namespace onefold::driver
