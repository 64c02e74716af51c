#include <algorithm>
#include <cmath>

#include "graph/error.hpp"
#include "tests/driver/reference_format.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// An op, and how many roundings an f32 implementation needs for it.
struct binary_row {
    impl::op_kind kind;
    double (*f)(double a, double b);
    int roundings;
    bool zero_signs;
};

double maximum(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::nan("");
    if (a == b) return std::signbit(a) ? b : a; // +0 is larger than -0
    return a > b ? a : b;
}

double minimum(double a, double b) { return -maximum(-a, -b); }

// clang-format off
constexpr binary_row rows[] = {
    {onefold_op_add, [](double a, double b) { return a + b; }, 1, false},
    {onefold_op_divide, [](double a, double b) { return a / b; }, 2, false},
    {onefold_op_maximum, maximum, 0, true},
    {onefold_op_minimum, minimum, 0, true},
    {onefold_op_multiply, [](double a, double b) { return a * b; }, 1, false},
    {onefold_op_squared_difference, [](double a, double b) { return (a - b) * (a - b); }, 3, false},
    {onefold_op_subtract, [](double a, double b) { return a - b; }, 1, false},
};
// clang-format on

const binary_row *find_row(impl::op_kind kind) {
    const auto *found = std::find_if(std::begin(rows), std::end(rows), [&](const binary_row &r) { return r.kind == kind; });
    return found == std::end(rows) ? nullptr : found;
}

impl::dims broadcast_dims(const impl::op &o, const impl::dims &a, const impl::dims &b) {
    if (attribute_or<std::string>(o, onefold_op_attr_auto_broadcast, "numpy") == "none" && a != b)
        impl::fail(onefold_invalid_shape, "reference: {}: {} and {} without broadcasting", impl::to_string(o),
                   impl::to_string(a), impl::to_string(b));
    impl::dims result(std::max(a.size(), b.size()));
    for (size_t i = 1; i <= result.size(); ++i) {
        const int64_t x = i <= a.size() ? a[a.size() - i] : 1;
        const int64_t y = i <= b.size() ? b[b.size() - i] : 1;
        if (x != y && x != 1 && y != 1)
            impl::fail(onefold_invalid_shape, "reference: {}: {} and {} cannot be broadcast", impl::to_string(o),
                       impl::to_string(a), impl::to_string(b));
        result[result.size() - i] = x == 1 ? y : x;
    }
    return result;
}

/// What f makes of the sources' errors, seen at the four corners, and what it adds of its own.
double error_at(const binary_row &row, double a, double error_a, double b, double error_b, double y) {
    if (error_a == 0 && error_b == 0) return std::isinf(y) ? 0 : row.roundings * f32_unit * std::abs(y);
    if (std::isinf(error_a) || std::isinf(error_b)) return INFINITY; // they may be anything, a NaN too
    const bool through_zero = row.kind == onefold_op_divide && error_b > 0 && std::abs(b) <= error_b;
    if (through_zero) return INFINITY;
    double carried = 0;
    for (const double x : {a - error_a, a + error_a}) {
        for (const double z : {b - error_b, b + error_b})
            carried = worse(carried, deviation(y, row.f(x, z)));
    }
    return row.roundings == 0 || std::isinf(y) ? carried : carried + row.roundings * f32_unit * (std::abs(y) + carried);
}

} // namespace

bool is_binary(impl::op_kind kind) { return find_row(kind) != nullptr; }

reference_tensor compute_binary(const impl::op &o, const reference_tensor &src_0, const reference_tensor &src_1) {
    const binary_row &row = *find_row(o.kind);
    reference_tensor dst;
    dst.dims = broadcast_dims(o, src_0.dims, src_1.dims);
    dst.zero_signs = row.zero_signs;
    const auto visit = [&](size_t, size_t i, size_t k) {
        const double y = row.f(src_0.value[i], src_1.value[k]);
        dst.value.push_back(y);
        dst.error.push_back(error_at(row, src_0.value[i], src_0.error[i], src_1.value[k], src_1.error[k], y));
    };
    walk(dst.dims, broadcast_strides(src_0.dims, dst.dims), broadcast_strides(src_1.dims, dst.dims), visit);
    return dst;
}

} // namespace onefold::driver
