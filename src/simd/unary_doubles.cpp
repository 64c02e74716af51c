// The unary ops on rows of f64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/unary_doubles.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include <cmath>

#include "simd/isa_table.hpp"
#include "simd/unaries.hpp"
#include "simd/unary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

/// Where there is no vector function: the C library's, element by element.
template <double (*f)(double x, double alpha)>
void scalar_row(const void *src, void *dst, size_t count, float alpha, float /*beta*/) {
    const auto *from = static_cast<const double *>(src);
    auto *to = static_cast<double *>(dst);
    for (size_t i = 0; i < count; ++i)
        store_one(f(load_one(from + i), alpha), to + i);
}

inline double power(double x, double exponent) { return std::pow(x, exponent); }

/// x * erfc(-x / sqrt(2)) / 2. The rounding of the quotient is put back: far out erfc grows it by its argument's square.
inline double gelu_erf(double x, double /*alpha*/) {
    constexpr double root = 0x1.6a09e667f3bcdp-1;         // of 1/2
    constexpr double rest = -0x1.bdd3413b26456p-55;       // of the root
    constexpr double slope = 1.1283791670955125738961589; // of erf at 0
    const double finite = x < std::numeric_limits<double>::lowest() ? std::numeric_limits<double>::lowest() : x;
    const double z = -finite * root;
    if (!(std::fabs(z) < 30)) return z < 0 ? finite : finite * std::erfc(z);
    const double lost = std::fma(-finite, root, -z) - finite * rest;
    return 0.5 * finite * (std::erfc(z) - slope * std::exp(-z * z) * lost);
}

unary_kernel double_unary(op_kind op, bool tanh_approximation);
unary_kernel double_unary(op_kind op, bool tanh_approximation) {
    if (op == onefold_op_gelu) return tanh_approximation ? unary_row<double, gelu_tanh_op> : scalar_row<gelu_erf>;
    if (op == onefold_op_pow) return scalar_row<power>;
    return find_unary_kernel<double>(op);
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

unary_kernel double_unary(const isa &on, op_kind op, const unary_attributes &attributes) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(double_unary);
    return table[on.place](op, attributes.tanh_approximation);
}

} // namespace onefold::impl::simd
#endif
