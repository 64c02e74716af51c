#include "tests/driver/reference_format.hpp"

#include <algorithm>
#include <cmath>

namespace onefold::driver {

double float_format::unit() const { return std::ldexp(1.0, -precision); }

double float_format::underflow() const { return std::ldexp(1.0, min_exponent - 1); }

double float_format::overflow() const { return max + std::ldexp(1.0, std::ilogb(max) - precision); }

bool float_format::holds(double value) const {
    if (!std::isfinite(value) || value == 0) return true;
    if (std::abs(value) > max) return false;
    int exponent = 0;
    std::frexp(value, &exponent);
    const double units = std::ldexp(value, -std::max(exponent - precision, min_exponent));
    return units == std::nearbyint(units);
}

std::optional<float_format> float_format_of(impl::data_type type) {
    switch (type) {
    case onefold_f16:
        return float_format{11, -24, 65504.0};
    case onefold_bf16:
        return float_format{8, -133, 0x1.fep127};
    case onefold_f32:
        return float_format{24, -149, 0x1.fffffep127};
    case onefold_f64:
        return float_format{53, -1074, 0x1.fffffffffffffp1023};
    default:
        return std::nullopt;
    }
}

double round_once(long double value, impl::data_type type) {
    const auto format = float_format_of(type);
    if (!format || !std::isfinite(value) || value == 0) return static_cast<double>(value);
    int exponent = 0;
    std::frexp(value, &exponent);
    const int unit = std::max(exponent - format->precision, format->min_exponent);
    const long double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
    return static_cast<double>(std::abs(rounded) > format->max ? std::copysign(INFINITY, rounded) : rounded);
}

} // namespace onefold::driver
