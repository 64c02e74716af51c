#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/driver/reference_format.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// alpha, beta, min and max of the op's documentation, 0 where it has none.
struct parameters {
    double alpha = 0;
    double beta = 0;
    double min = 0;
    double max = 0;
};

/// An op, and how far an implementation may be from it at x where y = f(x), in units of 2^-24, or of 2^-53 in f64.
struct unary_row {
    impl::op_kind kind;
    long double (*f)(long double x, const parameters &p);
    double (*slack)(double x, double y, const parameters &p);
};

double exact(double, double, const parameters &) { return 0; }

template <int Units>
double relative(double, double y, const parameters &) {
    return Units * std::abs(y);
}

/// For functions that are computed as x times something between 0 and 1: its error does not shrink with it.
template <int Units>
double relative_to_x(double x, double y, const parameters &) {
    return Units * std::max(std::abs(x), std::abs(y));
}

long double softplus(long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }

/// x * f, which goes to 0 where f does so for x towards -inf.
long double times_vanishing(long double x, long double f) { return std::isinf(x) && f == 0 ? -0.0L : x * f; }

long double gelu_erf(long double x, const parameters &) {
    return times_vanishing(x, 0.5L * std::erfc(-x / std::numbers::sqrt2_v<long double>));
}

long double gelu_tanh(long double x, const parameters &) {
    if (std::isinf(x)) return x > 0 ? x : -0.0L;
    return 0.5L * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi_v<long double>) * (x + 0.044715L * x * x * x)));
}

long double hard_sigmoid(long double x, const parameters &p) { return std::clamp(p.alpha * x + p.beta, 0.0L, 1.0L); }

/// Two roundings of the sum's larger operand, as far as the clamping lets them through.
double hard_sigmoid_slack(double x, double y, const parameters &p) {
    const double sum = p.alpha * x + p.beta;
    const double margin = 2 * f32_unit * (std::abs(p.alpha * x) + std::abs(p.beta));
    const double below = std::clamp(sum - margin, 0.0, 1.0);
    const double above = std::clamp(sum + margin, 0.0, 1.0);
    return std::max(y - below, above - y) / f32_unit;
}

constexpr parameters hard_swish_line = {1.0 / 6, 0.5, 0, 0};

long double hard_swish(long double x, const parameters &) { return x * hard_sigmoid(x, hard_swish_line); }

double hard_swish_slack(double x, double y, const parameters &) {
    const auto sigmoid = static_cast<double>(hard_sigmoid(x, hard_swish_line));
    return std::abs(x) * 2 * hard_sigmoid_slack(x, sigmoid, hard_swish_line) + 2 * std::abs(y);
}

long double clamp(long double x, const parameters &p) {
    return std::isnan(x) ? x : std::min<long double>(std::max<long double>(x, p.min), p.max);
}

// clang-format off
constexpr unary_row rows[] = {
    {onefold_op_abs, [](long double x, const parameters &) { return std::abs(x); }, exact},
    {onefold_op_clamp, clamp, exact},
    {onefold_op_elu, [](long double x, const parameters &p) { return x >= 0 ? x : p.alpha * std::expm1(x); },
        [](double x, double, const parameters &p) { return x >= 0 ? 0 : 4 * std::abs(p.alpha); }},
    {onefold_op_exp, [](long double x, const parameters &) { return std::exp(x); }, relative<8>},
    {onefold_op_gelu, gelu_erf, relative_to_x<8>},
    {onefold_op_hard_sigmoid, hard_sigmoid, hard_sigmoid_slack},
    {onefold_op_hard_swish, hard_swish, hard_swish_slack},
    {onefold_op_leaky_relu, [](long double x, const parameters &p) { return x >= 0 ? x : p.alpha * x; },
        [](double x, double y, const parameters &) { return x >= 0 ? 0 : std::abs(y); }},
    {onefold_op_log, [](long double x, const parameters &) { return std::log(x); }, relative<8>},
    {onefold_op_mish, [](long double x, const parameters &) { return times_vanishing(x, std::tanh(softplus(x))); }, relative_to_x<8>},
    {onefold_op_neg, [](long double x, const parameters &) { return -x; }, exact},
    {onefold_op_pow, [](long double x, const parameters &p) { return std::pow(x, static_cast<long double>(p.beta)); }, relative<4>},
    {onefold_op_reciprocal, [](long double x, const parameters &) { return 1 / x; }, relative<2>},
    {onefold_op_relu, [](long double x, const parameters &) { return x < 0 ? 0.0L : x; }, exact},
    {onefold_op_reorder, [](long double x, const parameters &) { return x; }, exact},
    {onefold_op_round, [](long double x, const parameters &) { return std::nearbyint(x); }, exact},
    {onefold_op_sigmoid, [](long double x, const parameters &) { return 1 / (1 + std::exp(-x)); }, relative<8>},
    {onefold_op_softplus, [](long double x, const parameters &p) { return softplus(p.beta * x) / p.beta; },
        [](double x, double y, const parameters &p) { return (8 + std::abs(p.beta * x)) * std::abs(y); }},
    {onefold_op_sqrt, [](long double x, const parameters &) { return std::sqrt(x); }, relative<1>},
    {onefold_op_square, [](long double x, const parameters &) { return x * x; }, relative<1>},
    {onefold_op_tanh, [](long double x, const parameters &) { return std::tanh(x); }, relative<8>},
};

constexpr unary_row gelu_tanh_row = {onefold_op_gelu, gelu_tanh, relative_to_x<8>};
// clang-format on

const unary_row *find_row(impl::op_kind kind) {
    const auto *found = std::find_if(std::begin(rows), std::end(rows), [&](const unary_row &r) { return r.kind == kind; });
    return found == std::end(rows) ? nullptr : found;
}

const unary_row &row_of(const impl::op &o) {
    const auto mode = attribute_or<std::string>(o, onefold_op_attr_mode, "gelu_erf");
    return o.kind == onefold_op_gelu && mode == "gelu_tanh" ? gelu_tanh_row : *find_row(o.kind);
}

parameters parameters_of(const impl::op &o) {
    const float default_beta = o.kind == onefold_op_softplus ? 1.0F : 0.0F;
    return {attribute_or(o, onefold_op_attr_alpha, 0.0F), attribute_or(o, onefold_op_attr_beta, default_beta),
            attribute_or(o, onefold_op_attr_min, 0.0F), attribute_or(o, onefold_op_attr_max, 0.0F)};
}

bool has_pole_at_0(const unary_row &row, const parameters &p) {
    return row.kind == onefold_op_reciprocal || (row.kind == onefold_op_pow && p.beta < 0);
}

/// What f makes of the source's error, and what it adds of its own. In f64, what the reference's own rounding adds too.
double error_at(const unary_row &row, const parameters &p, impl::data_type type, double x, double error, double y) {
    if (std::isinf(error)) return INFINITY; // x may be anything, a NaN too
    if (error != 0 && std::abs(x) <= error && has_pole_at_0(row, p)) return INFINITY;
    double own = row.slack(x, y, p);
    double carried = 0;
    if (error != 0) {
        for (const double near : {x - error, x + error}) {
            const auto other = static_cast<double>(row.f(near, p));
            carried = worse(carried, deviation(y, other));
            own = worse(own, row.slack(near, other, p));
        }
    }
    if (own == 0 || std::isinf(y)) return carried;
    const double rounding = type == onefold_f64 ? std::abs(y) * f64_unit + 2 * float_format_of(type)->underflow() : 0;
    return worse(carried, carried + own * unit_of(type) + rounding);
}

} // namespace

bool is_unary(impl::op_kind kind) { return find_row(kind) != nullptr; }

reference_tensor compute_unary(const impl::op &o, const reference_tensor &src) {
    const unary_row &row = row_of(o);
    const parameters p = parameters_of(o);
    reference_tensor dst{src.dims, std::vector<double>(src.value.size()), std::vector<double>(src.value.size())};
    for (size_t i = 0; i < src.value.size(); ++i) {
        dst.value[i] = static_cast<double>(row.f(src.value[i], p));
        dst.error[i] = error_at(row, p, o.outputs[0].type, src.value[i], src.error[i], dst.value[i]);
    }
    return dst;
}

} // namespace onefold::driver
