#include <algorithm>
#include <cmath>

#include "tests/driver/reference_format.hpp"
#include "tests/driver/reference_ops.hpp"

// TypeCast, exactly: the source's value is brought to the destination's type once.
namespace onefold::driver {

namespace {

/// A number of any type: exact, but where `error` says otherwise.
struct number {
    long double value;
    double error;
};

number number_at(const reference_tensor &t, size_t i) {
    return {t.integer.empty() ? static_cast<long double>(t.value[i]) : static_cast<long double>(t.integer[i]), t.error[i]};
}

wide_integer truncate(long double x, impl::data_type type) {
    if (std::isnan(x)) return 0;
    const wide_integer lowest = lowest_integer(type);
    const wide_integer highest = highest_integer(type);
    if (x <= static_cast<long double>(lowest)) return lowest;
    if (x >= static_cast<long double>(highest)) return highest;
    return static_cast<wide_integer>(x);
}

/// Where the source may be one of several values, so may the result: then nothing is said of it.
double error_of(bool is_certain) { return is_certain ? 0 : INFINITY; }

void cast_to_integer(const reference_tensor &src, impl::data_type type, reference_tensor &dst) {
    for (size_t i = 0; i < src.error.size(); ++i) {
        if (!src.integer.empty()) {
            dst.integer.push_back(wrap_to(type, src.integer[i]));
            dst.error.push_back(src.error[i]);
            continue;
        }
        const auto [x, error] = number_at(src, i);
        dst.integer.push_back(truncate(x, type));
        dst.error.push_back(error_of(error == 0 || truncate(x - error, type) == truncate(x + error, type)));
    }
}

void cast_to_boolean(const reference_tensor &src, reference_tensor &dst) {
    for (size_t i = 0; i < src.error.size(); ++i) {
        const auto [x, error] = number_at(src, i);
        dst.value.push_back(x != 0 ? 1 : 0);
        dst.error.push_back(error_of(error == 0 || std::abs(x) > error));
    }
}

/// Rounded here where the source is exact, or the result an f32; else by whoever stores the result.
void cast_to_float(const reference_tensor &src, impl::data_type type, reference_tensor &dst) {
    for (size_t i = 0; i < src.error.size(); ++i) {
        const auto [x, error] = number_at(src, i);
        dst.value.push_back(error == 0 ? round_once(x, type) : static_cast<double>(x));
        const double rounding =
            error != 0 && type == onefold_f32 ? std::max((std::abs(static_cast<double>(x)) + error) * f32_unit, 0x1p-150) : 0;
        dst.error.push_back(error + rounding);
    }
}

} // namespace

reference_tensor compute_cast(const impl::op &o, const reference_tensor &src) {
    const impl::data_type type = o.outputs[0].type;
    reference_tensor dst;
    dst.dims = src.dims;
    if (is_integer(type))
        cast_to_integer(src, type, dst);
    else if (type == onefold_boolean)
        cast_to_boolean(src, dst);
    else
        cast_to_float(src, type, dst);
    return dst;
}

} // namespace onefold::driver
