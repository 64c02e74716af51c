// The unary ops on vectors of f32. Included once per ISA by unary.cpp. A NaN comes out as a NaN in all of them.
#if defined(ONEFOLD_SIMD_UNARY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_UNARY_INL_H
#undef ONEFOLD_SIMD_UNARY_INL_H
#else
#define ONEFOLD_SIMD_UNARY_INL_H
#endif

#include <limits>

#include <hwy/contrib/math/math-inl.h>

#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

using unary_tag = hn::ScalableTag<float>;
using unary_vector = vector_of<unary_tag>;

inline unary_vector all_of(float x) { return hn::Set(unary_tag(), x); }

inline unary_vector keep_nan(unary_vector x, unary_vector y) { return hn::IfThenElse(hn::IsNaN(x), x, y); }

inline unary_vector between(unary_vector x, float lowest, float highest) {
    return keep_nan(x, hn::Min(hn::Max(x, all_of(lowest)), all_of(highest)));
}

/// -inf as the lowest finite number, so that its product with a 0 is a 0.
inline unary_vector finite_below(unary_vector x) {
    return keep_nan(x, hn::Max(x, all_of(std::numeric_limits<float>::lowest())));
}

/// 1 ulp (Highway), beyond its range too.
inline unary_vector exp(unary_vector x) { return keep_nan(x, hn::Exp(unary_tag(), hn::Min(x, all_of(104.0F)))); }

/// 4 ulp (Highway), with the values at 0, infinity and below 0 that it leaves open.
inline unary_vector log(unary_vector x) {
    const unary_tag d;
    const auto infinity = hn::Inf(d);
    const auto zero = hn::Zero(d);
    auto y = hn::Log(d, x);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
    y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
    y = hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), y);
    return keep_nan(x, y);
}

inline unary_vector sigmoid(unary_vector x) {
    return hn::Div(all_of(1), hn::Add(all_of(1), simd::HWY_NAMESPACE::exp(hn::Neg(x))));
}

struct abs_op {
    static unary_vector apply(unary_vector x, float, float) { return hn::Abs(x); }
};
struct clamp_op {
    static unary_vector apply(unary_vector x, float min, float max) { return between(x, min, max); }
};
struct elu_op {
    static unary_vector apply(unary_vector x, float alpha, float) {
        const unary_tag d;
        const auto below = hn::Mul(all_of(alpha), hn::Expm1(d, hn::Min(x, hn::Zero(d))));
        return keep_nan(x, hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, below));
    }
};
struct exp_op {
    static unary_vector apply(unary_vector x, float, float) { return simd::HWY_NAMESPACE::exp(x); }
};
struct gelu_erf_op {
    /// x * erfc(-x / sqrt(2)) / 2. With a = |x|, z = a / sqrt(2): erfc(z) = exp(-a * a / 2) * p(t) / (1 + 2 z), where p, fitted
    /// in t = (z - 2) / (z + 2), is exact to 7e-8; what a * a loses by rounding is put back.
    static unary_vector apply(unary_vector x, float, float) {
        // The tail is subnormal from here on, and slow to compute with: 0 then.
        constexpr float last = 12.8F;
        const auto a = hn::Min(hn::Abs(x), all_of(last));
        const auto z = hn::Mul(a, all_of(0.70710678F));
        const auto t = hn::Div(hn::Sub(z, all_of(2)), hn::Add(z, all_of(2)));
        auto p = all_of(0.000160803203F);
        for (const float c : {-0.000183634629F, -0.00139570609F, 0.00104314496F, 0.0086891586F, -0.00794272218F, -0.0542119592F,
                              0.164035842F, -0.166031092F, -0.0927630812F, 1.27697837F})
            p = hn::MulAdd(p, t, all_of(c));
        const auto square = hn::Mul(a, a);
        const auto lost = hn::MulSub(a, a, square);
        const auto gauss =
            hn::Mul(simd::HWY_NAMESPACE::exp(hn::Mul(all_of(-0.5F), square)), hn::NegMulAdd(all_of(0.5F), lost, all_of(1)));
        const auto whole_tail = hn::Mul(all_of(0.5F), hn::Div(hn::Mul(gauss, p), hn::MulAdd(all_of(2), z, all_of(1))));
        const auto tail = hn::IfThenElseZero(hn::Lt(hn::Abs(x), all_of(last)), whole_tail);
        const auto is_negative = hn::Lt(x, hn::Zero(unary_tag()));
        return hn::Mul(finite_below(x), hn::IfThenElse(is_negative, tail, hn::Sub(all_of(1), tail)));
    }
};
struct gelu_tanh_op {
    /// x * (1 + tanh(u)) / 2 = x * sigmoid(2 u), which loses nothing for negative x.
    static unary_vector apply(unary_vector x, float, float) {
        const auto finite = finite_below(x);
        constexpr float twice_root_2_over_pi = 1.5957691216F;
        const auto inner = hn::MulAdd(hn::Mul(all_of(0.044715F), hn::Mul(finite, finite)), finite, finite);
        return hn::Mul(finite, sigmoid(hn::Mul(all_of(twice_root_2_over_pi), inner)));
    }
};
struct hard_sigmoid_op {
    static unary_vector apply(unary_vector x, float alpha, float beta) {
        return between(hn::MulAdd(all_of(alpha), x, all_of(beta)), 0, 1);
    }
};
struct hard_swish_op {
    static unary_vector apply(unary_vector x, float, float) { return hn::Mul(x, hard_sigmoid_op::apply(x, 1.0F / 6.0F, 0.5F)); }
};
struct leaky_relu_op {
    static unary_vector apply(unary_vector x, float alpha, float) {
        return hn::IfThenElse(hn::Gt(x, hn::Zero(unary_tag())), x, hn::Mul(all_of(alpha), x));
    }
};
struct log_op {
    static unary_vector apply(unary_vector x, float, float) { return simd::HWY_NAMESPACE::log(x); }
};
struct mish_op {
    /// tanh(log(1 + e)) = (e * e + 2 e) / (e * e + 2 e + 2) with e = exp(x); 1 in f32 from 20 on.
    static unary_vector apply(unary_vector x, float, float) {
        const auto e = simd::HWY_NAMESPACE::exp(hn::Min(x, all_of(20)));
        const auto n = hn::Mul(e, hn::Add(e, all_of(2)));
        return keep_nan(x, hn::Mul(finite_below(x), hn::Div(n, hn::Add(n, all_of(2)))));
    }
};
struct reciprocal_op {
    static unary_vector apply(unary_vector x, float, float) { return hn::Div(all_of(1), x); }
};
struct relu_op {
    static unary_vector apply(unary_vector x, float, float) {
        const auto zero = hn::Zero(unary_tag());
        return hn::IfThenElse(hn::Le(x, zero), zero, x);
    }
};
struct round_op {
    static unary_vector apply(unary_vector x, float, float) { return hn::Round(x); }
};
struct sigmoid_op {
    static unary_vector apply(unary_vector x, float, float) { return sigmoid(x); }
};
struct softplus_op {
    /// log(1 + exp(z)) = max(z, 0) + log1p(exp(-|z|)), z = beta x.
    static unary_vector apply(unary_vector x, float beta, float) {
        const unary_tag d;
        const auto z = hn::Mul(all_of(beta), x);
        const auto magnitude = hn::Abs(z);
        constexpr float last = 87; // exp(-z) is subnormal from here on, and slow to compute with: 0 then
        const auto e = simd::HWY_NAMESPACE::exp(hn::Neg(hn::Min(magnitude, all_of(last))));
        const auto rest = hn::IfThenElseZero(hn::Lt(magnitude, all_of(last)), hn::Log1p(d, e));
        return keep_nan(x, hn::Div(hn::Add(hn::Max(z, hn::Zero(d)), rest), all_of(beta)));
    }
};
struct sqrt_op {
    static unary_vector apply(unary_vector x, float, float) { return hn::Sqrt(x); }
};
struct square_op {
    static unary_vector apply(unary_vector x, float, float) { return hn::Mul(x, x); }
};
struct tanh_op {
    static unary_vector apply(unary_vector x, float, float) { return keep_nan(x, hn::Tanh(unary_tag(), x)); }
};

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
