#include <algorithm>
#include <array>
#include <cmath>

#include "tests/driver/reference_format.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// An op, and how many roundings an f32 implementation needs for it; f64 divides in one. The reference's own rounding counts in
/// f64: one more, where the result is not the same operation's.
struct binary_row {
    impl::op_kind kind;
    double (*f)(double a, double b);
    int roundings;
    bool zero_signs;

    double own_units(impl::data_type type) const {
        if (type == onefold_f64 && kind == onefold_op_divide) return unit_of(type);
        const bool is_rounded_again = type == onefold_f64 && kind == onefold_op_squared_difference;
        return (roundings + (is_rounded_again ? 1 : 0)) * unit_of(type);
    }
};

double maximum(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::nan("");
    if (a == b) return std::signbit(a) ? b : a; // +0 is larger than -0
    return a > b ? a : b;
}

double minimum(double a, double b) { return -maximum(-a, -b); }

double squared_difference(double a, double b) {
    const long double difference = static_cast<long double>(a) - b;
    return static_cast<double>(difference * difference);
}

// clang-format off
constexpr binary_row rows[] = {
    {onefold_op_add, [](double a, double b) { return a + b; }, 1, false},
    {onefold_op_divide, [](double a, double b) { return a / b; }, 2, false},
    {onefold_op_maximum, maximum, 0, true},
    {onefold_op_minimum, minimum, 0, true},
    {onefold_op_multiply, [](double a, double b) { return a * b; }, 1, false},
    {onefold_op_squared_difference, squared_difference, 3, false},
    {onefold_op_subtract, [](double a, double b) { return a - b; }, 1, false},
};
// clang-format on

const binary_row *find_row(impl::op_kind kind) {
    const auto *found = std::find_if(std::begin(rows), std::end(rows), [&](const binary_row &r) { return r.kind == kind; });
    return found == std::end(rows) ? nullptr : found;
}

/// What f makes of the sources' errors, seen at the four corners, and what it adds of its own.
double error_at(const binary_row &row, double own, double a, double error_a, double b, double error_b, double y) {
    if (error_a == 0 && error_b == 0) return std::isinf(y) ? 0 : own * std::abs(y);
    if (std::isinf(error_a) || std::isinf(error_b)) return INFINITY; // they may be anything, a NaN too
    const bool through_zero = row.kind == onefold_op_divide && error_b > 0 && std::abs(b) <= error_b;
    if (through_zero) return INFINITY;
    double carried = 0;
    for (const double x : {a - error_a, a + error_a}) {
        for (const double z : {b - error_b, b + error_b})
            carried = worse(carried, deviation(y, row.f(x, z)));
    }
    return own == 0 || std::isinf(y) ? carried : carried + own * (std::abs(y) + carried);
}

} // namespace

bool is_binary(impl::op_kind kind) { return find_row(kind) != nullptr; }

reference_tensor compute_binary(const impl::op &o, const reference_tensor &src_0, const reference_tensor &src_1) {
    const binary_row &row = *find_row(o.kind);
    const double own = row.own_units(o.outputs[0].type);
    reference_tensor dst;
    dst.dims = broadcast_dims(o, std::array{&src_0, &src_1});
    dst.zero_signs = row.zero_signs;
    const auto visit = [&](size_t, size_t i, size_t k) {
        const double y = row.f(src_0.value[i], src_1.value[k]);
        dst.value.push_back(y);
        dst.error.push_back(error_at(row, own, src_0.value[i], src_0.error[i], src_1.value[k], src_1.error[k], y));
    };
    walk(dst.dims, broadcast_strides(src_0.dims, dst.dims), broadcast_strides(src_1.dims, dst.dims), visit);
    return dst;
}

} // namespace onefold::driver
