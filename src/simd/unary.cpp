// The unary ops on rows of f32.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/unary.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"
#include "simd/unaries.hpp"
#include "simd/unary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

unary_kernel float_unary(op_kind op, bool tanh_approximation);
unary_kernel float_unary(op_kind op, bool tanh_approximation) {
    if (op == onefold_op_gelu) return tanh_approximation ? unary_row<float, gelu_tanh_op> : unary_row<float, gelu_erf_op>;
    return find_unary_kernel<float>(op);
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

unary_kernel float_unary(const isa &on, op_kind op, const unary_attributes &attributes) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(float_unary);
    return table[on.place](op, attributes.tanh_approximation);
}

} // namespace onefold::impl::simd
#endif
