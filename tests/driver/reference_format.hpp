#pragma once

#include <optional>

#include "graph/types.hpp"

namespace onefold::driver {

/// Half a unit in the last place of 1: what one rounding costs, relative to the result.
inline constexpr double f32_unit = 0x1p-24;
inline constexpr double f64_unit = 0x1p-53;

/// What one rounding costs where a float of that type is computed: the smaller ones are computed in f32.
constexpr double unit_of(impl::data_type type) { return type == onefold_f64 ? f64_unit : f32_unit; }

/// What a binary floating-point type can hold.
struct float_format {
    int precision;            // bits of the significand, the hidden one included
    int min_exponent;         // the smallest subnormal is 2 to this power
    double max;               // the largest finite value
    double unit() const;      // the relative cost of a rounding
    double underflow() const; // the absolute cost of a rounding among the subnormals
    double overflow() const;  // from here on, rounding to nearest gives infinity
    bool holds(double value) const;
};

/// nullopt for types that are not floating-point.
std::optional<float_format> float_format_of(impl::data_type type);

/// The nearest value of a floating-point type, ties to even, infinite beyond its range.
double round_once(long double value, impl::data_type type);

} // namespace onefold::driver
