// The unary ops on vectors of f32 and f64. Included once per ISA by unary.cpp and unary_doubles.cpp. A NaN comes out as a NaN
// in all of them. Errors in ulp are Highway's, of either type.
#if defined(ONEFOLD_SIMD_UNARY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_UNARY_INL_H
#undef ONEFOLD_SIMD_UNARY_INL_H
#else
#define ONEFOLD_SIMD_UNARY_INL_H
#endif

#include <algorithm>
#include <limits>

#include <hwy/contrib/math/math-inl.h>

#include "simd/kernels.hpp"
#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <class D>
using lane_of = hn::TFromD<D>;

template <class D>
HWY_INLINE vector_of<D> all_of(D d, double x) {
    return hn::Set(d, static_cast<lane_of<D>>(x));
}

template <class V>
HWY_INLINE V keep_nan(V x, V y) {
    return hn::IfThenElse(hn::IsNaN(x), x, y);
}

template <class D, class V>
HWY_INLINE V between(D d, V x, lane_of<D> lowest, lane_of<D> highest) {
    return keep_nan(x, hn::Min(hn::Max(x, hn::Set(d, lowest)), hn::Set(d, highest)));
}

/// -inf as the lowest finite number, so that its product with a 0 is a 0.
template <class D, class V>
HWY_INLINE V finite_below(D d, V x) {
    return keep_nan(x, hn::Max(x, hn::Set(d, std::numeric_limits<lane_of<D>>::lowest())));
}

/// From here on exp(x) is infinite.
template <typename T>
inline constexpr double exp_is_infinite = std::is_same_v<T, float> ? 104 : 710;
/// From here on exp(-x) is subnormal, and slow to compute with.
template <typename T>
inline constexpr double exp_is_subnormal = std::is_same_v<T, float> ? 87 : 708;

/// 1 ulp, beyond Highway's range too.
template <class D, class V>
HWY_INLINE V exp(D d, V x) {
    return keep_nan(x, hn::Exp(d, hn::Min(x, all_of(d, exp_is_infinite<lane_of<D>>))));
}

/// exp(x) where it is a normal number, else 0.
template <class D, class V>
HWY_INLINE V exp_or_zero(D d, V x) {
    const auto is_zero = hn::Lt(x, all_of(d, -exp_is_subnormal<lane_of<D>>));
    return hn::IfThenZeroElse(is_zero, simd::HWY_NAMESPACE::exp(d, x));
}

/// 4 ulp, with the values at 0, infinity and below 0 that Highway leaves open.
template <class D, class V>
HWY_INLINE V log(D d, V x) {
    const auto infinity = hn::Inf(d);
    const auto zero = hn::Zero(d);
    auto y = hn::Log(d, x);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
    y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
    y = hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), y);
    return keep_nan(x, y);
}

/// exp(-x) would be infinite where the result is only subnormal.
template <class D, class V>
HWY_INLINE V sigmoid(D d, V x) {
    const auto one = all_of(d, 1);
    const auto e = simd::HWY_NAMESPACE::exp(d, hn::Neg(hn::Abs(x)));
    return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

struct abs_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V x, lane_of<D>, lane_of<D>) {
        return hn::Abs(x);
    }
};
struct clamp_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D> min, lane_of<D> max) {
        return between(d, x, min, max);
    }
};
struct elu_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D> alpha, lane_of<D>) {
        const auto below = hn::Mul(hn::Set(d, alpha), hn::Expm1(d, hn::Min(x, hn::Zero(d))));
        return keep_nan(x, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, below));
    }
};
struct exp_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        return simd::HWY_NAMESPACE::exp(d, x);
    }
};
struct gelu_erf_op {
    /// x * erfc(-x / sqrt(2)) / 2, of f32. With a = |x|, z = a / sqrt(2): erfc(z) = exp(-a * a / 2) * p(t) / (1 + 2 z), where
    /// p, fitted in t = (z - 2) / (z + 2), is exact to 7e-8; what a * a loses by rounding is put back.
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        static_assert(std::is_same_v<lane_of<D>, float>);
        constexpr double last = 12.8; // the tail is subnormal from here on
        const auto a = hn::Min(hn::Abs(x), all_of(d, last));
        const auto z = hn::Mul(a, all_of(d, 0.70710678));
        const auto t = hn::Div(hn::Sub(z, all_of(d, 2)), hn::Add(z, all_of(d, 2)));
        auto p = hn::Set(d, 0.000160803203F);
        for (const float c : {-0.000183634629F, -0.00139570609F, 0.00104314496F, 0.0086891586F, -0.00794272218F, -0.0542119592F,
                              0.164035842F, -0.166031092F, -0.0927630812F, 1.27697837F})
            p = hn::MulAdd(p, t, hn::Set(d, c));
        const auto square = hn::Mul(a, a);
        const auto lost = hn::MulSub(a, a, square);
        const auto gauss = hn::Mul(simd::HWY_NAMESPACE::exp(d, hn::Mul(all_of(d, -0.5), square)),
                                   hn::NegMulAdd(all_of(d, 0.5), lost, all_of(d, 1)));
        const auto whole_tail = hn::Mul(all_of(d, 0.5), hn::Div(hn::Mul(gauss, p), hn::MulAdd(all_of(d, 2), z, all_of(d, 1))));
        const auto tail = hn::IfThenElseZero(hn::Lt(hn::Abs(x), all_of(d, last)), whole_tail);
        const auto is_negative = hn::Lt(x, hn::Zero(d));
        return hn::Mul(finite_below(d, x), hn::IfThenElse(is_negative, tail, hn::Sub(all_of(d, 1), tail)));
    }
};
struct gelu_tanh_op {
    /// x * (1 + tanh(u)) / 2 = x * sigmoid(2 u), which loses nothing for negative x.
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        const auto finite = finite_below(d, x);
        constexpr double twice_root_2_over_pi = 1.5957691216057308;
        const auto inner = hn::MulAdd(hn::Mul(all_of(d, 0.044715), hn::Mul(finite, finite)), finite, finite);
        return hn::Mul(finite, sigmoid(d, hn::Mul(all_of(d, twice_root_2_over_pi), inner)));
    }
};
struct hard_sigmoid_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D> alpha, lane_of<D> beta) {
        return between(d, hn::MulAdd(hn::Set(d, alpha), x, hn::Set(d, beta)), 0, 1);
    }
};
struct hard_swish_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        return hn::Mul(x, hard_sigmoid_op::apply(d, x, lane_of<D>{1} / 6, lane_of<D>{1} / 2));
    }
};
struct leaky_relu_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D> alpha, lane_of<D>) {
        return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Mul(hn::Set(d, alpha), x));
    }
};
struct log_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        return simd::HWY_NAMESPACE::log(d, x);
    }
};
struct mish_op {
    /// tanh(log(1 + e)) = (e * e + 2 e) / (e * e + 2 e + 2) with e = exp(x); 1 in f32 and f64 from 20 on.
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        const auto e = simd::HWY_NAMESPACE::exp(d, hn::Min(x, all_of(d, 20)));
        const auto n = hn::Mul(e, hn::Add(e, all_of(d, 2)));
        return keep_nan(x, hn::Mul(finite_below(d, x), hn::Div(n, hn::Add(n, all_of(d, 2)))));
    }
};
struct neg_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V x, lane_of<D>, lane_of<D>) {
        return hn::Neg(x);
    }
};
struct reciprocal_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        return hn::Div(all_of(d, 1), x);
    }
};
struct relu_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        return hn::IfThenElse(hn::Le(x, hn::Zero(d)), hn::Zero(d), x);
    }
};
struct round_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V x, lane_of<D>, lane_of<D>) {
        return hn::Round(x);
    }
};
struct sigmoid_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        return sigmoid(d, x);
    }
};
struct softplus_op {
    /// log(1 + exp(z)) = max(z, 0) + log1p(exp(-|z|)), z = beta x. In f32 what would be subnormal is 0.
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D> beta, lane_of<D>) {
        const auto z = hn::Mul(hn::Set(d, beta), x);
        const auto below = hn::Neg(hn::Abs(z));
        const auto e = std::is_same_v<lane_of<D>, float> ? exp_or_zero(d, below) : simd::HWY_NAMESPACE::exp(d, below);
        return keep_nan(x, hn::Div(hn::Add(hn::Max(z, hn::Zero(d)), hn::Log1p(d, e)), hn::Set(d, beta)));
    }
};
struct sqrt_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V x, lane_of<D>, lane_of<D>) {
        return hn::Sqrt(x);
    }
};
struct square_op {
    template <class D, class V>
    static HWY_INLINE V apply(D /*d*/, V x, lane_of<D>, lane_of<D>) {
        return hn::Mul(x, x);
    }
};
struct tanh_op {
    template <class D, class V>
    static HWY_INLINE V apply(D d, V x, lane_of<D>, lane_of<D>) {
        return keep_nan(x, hn::Tanh(d, x));
    }
};

template <typename T, typename Op>
void unary_row(const void *from, void *to, size_t count, float alpha, float beta) {
    using element = same_element<T>;
    const lane_tag<element> d;
    constexpr size_t lanes = hn::MaxLanes(lane_tag<element>());
    const auto *src = static_cast<const T *>(from);
    auto *dst = static_cast<T *>(to);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(Op::apply(d, hn::LoadU(d, src + i), alpha, beta), d, dst + i);
    if (i == count) return;
    const auto last = load_part<element>(d, src + i, count - i, 1);
    store_part<element>(d, Op::apply(d, last, alpha, beta), dst + i, count - i);
}

struct unary_kernel_row {
    op_kind op;
    unary_kernel kernel;
};

/// The ops that f32 and f64 have in common.
template <typename T>
inline constexpr unary_kernel_row unary_kernels[] = {
    {onefold_op_abs, unary_row<T, abs_op>},
    {onefold_op_clamp, unary_row<T, clamp_op>},
    {onefold_op_elu, unary_row<T, elu_op>},
    {onefold_op_exp, unary_row<T, exp_op>},
    {onefold_op_hard_sigmoid, unary_row<T, hard_sigmoid_op>},
    {onefold_op_hard_swish, unary_row<T, hard_swish_op>},
    {onefold_op_leaky_relu, unary_row<T, leaky_relu_op>},
    {onefold_op_log, unary_row<T, log_op>},
    {onefold_op_mish, unary_row<T, mish_op>},
    {onefold_op_neg, unary_row<T, neg_op>},
    {onefold_op_reciprocal, unary_row<T, reciprocal_op>},
    {onefold_op_relu, unary_row<T, relu_op>},
    {onefold_op_round, unary_row<T, round_op>},
    {onefold_op_sigmoid, unary_row<T, sigmoid_op>},
    {onefold_op_softplus, unary_row<T, softplus_op>},
    {onefold_op_sqrt, unary_row<T, sqrt_op>},
    {onefold_op_square, unary_row<T, square_op>},
    {onefold_op_tanh, unary_row<T, tanh_op>},
};

template <typename T>
unary_kernel find_unary_kernel(op_kind op) {
    const auto &rows = unary_kernels<T>;
    const auto *row = std::find_if(std::begin(rows), std::end(rows), [op](const unary_kernel_row &r) { return r.op == op; });
    return row == std::end(rows) ? nullptr : row->kernel;
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
