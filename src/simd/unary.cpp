// The unary ops on rows of f32.
#include "simd/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/unary.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"
#include "simd/unary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <typename Op>
void unary_row(const float *src, float *dst, size_t count, float alpha, float beta) {
    const unary_tag d;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(Op::apply(hn::LoadU(d, src + i), alpha, beta), d, dst + i);
    if (i == count) return;
    const auto last = load_part<f32_element>(d, src + i, count - i, 1.0F);
    store_part<f32_element>(d, Op::apply(last, alpha, beta), dst + i, count - i);
}

struct kernel_row {
    op_kind op;
    unary_kernel kernel;
};

constexpr kernel_row kernels[] = {
    {onefold_op_abs, unary_row<abs_op>},
    {onefold_op_clamp, unary_row<clamp_op>},
    {onefold_op_elu, unary_row<elu_op>},
    {onefold_op_exp, unary_row<exp_op>},
    {onefold_op_hard_sigmoid, unary_row<hard_sigmoid_op>},
    {onefold_op_hard_swish, unary_row<hard_swish_op>},
    {onefold_op_leaky_relu, unary_row<leaky_relu_op>},
    {onefold_op_log, unary_row<log_op>},
    {onefold_op_mish, unary_row<mish_op>},
    {onefold_op_reciprocal, unary_row<reciprocal_op>},
    {onefold_op_relu, unary_row<relu_op>},
    {onefold_op_round, unary_row<round_op>},
    {onefold_op_sigmoid, unary_row<sigmoid_op>},
    {onefold_op_softplus, unary_row<softplus_op>},
    {onefold_op_sqrt, unary_row<sqrt_op>},
    {onefold_op_square, unary_row<square_op>},
    {onefold_op_tanh, unary_row<tanh_op>},
};

unary_kernel unary_of(op_kind op, bool tanh_approximation);
unary_kernel unary_of(op_kind op, bool tanh_approximation) {
    if (op == onefold_op_gelu) return tanh_approximation ? unary_row<gelu_tanh_op> : unary_row<gelu_erf_op>;
    for (const kernel_row &row : kernels)
        if (row.op == op) return row.kernel;
    return nullptr;
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

unary_kernel unary_of(const isa &on, op_kind op, const unary_attributes &attributes, data_type arithmetic) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(unary_of);
    return arithmetic == onefold_f32 ? table[on.place](op, attributes.tanh_approximation) : nullptr;
}

} // namespace onefold::impl::simd
#endif
