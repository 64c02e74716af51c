// ReduceLogSum and ReduceLogSumExp.
#include "simd/reductions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/reduce_logarithms.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"
#include "simd/logarithms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <class Element>
reduction logarithm_of_floats(op_kind op) {
    using way = log_sum_exp<Element>;
    if (op == onefold_op_reduce_log_sum_exp)
        return {sizeof(exponential_total), clear_totals<way>, way::rows, way::columns,
                combine_totals<way>,       way::finish,       nullptr};
    return make_reduction<float_sum<Element, identity_map>>(finish_log_sum<typename Element::lane>);
}

template <typename T>
reduction logarithm_of_integers(op_kind op) {
    return op == onefold_op_reduce_log_sum_exp ? one_by_one<integer_log_sum_exp<T>>::make()
                                               : one_by_one<integer_log_sum<T>>::make();
}

reduction logarithm_reduction(op_kind op, data_type type);
reduction logarithm_reduction(op_kind op, data_type type) {
    switch (type) {
    case onefold_f32:
        return logarithm_of_floats<f32_element>(op);
    case onefold_bf16:
        return logarithm_of_floats<bf16_element>(op);
    case onefold_f16:
        return logarithm_of_floats<f16_element>(op);
    case onefold_f64:
        return logarithm_of_floats<f64_element>(op);
    case onefold_s32:
        return logarithm_of_integers<int32_t>(op);
    case onefold_u32:
        return logarithm_of_integers<uint32_t>(op);
    case onefold_s64:
        return logarithm_of_integers<int64_t>(op);
    case onefold_u64:
        return logarithm_of_integers<uint64_t>(op);
    default:
        return {};
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

reduction logarithm_reduction(const isa &on, op_kind op, data_type type) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(logarithm_reduction);
    return table[on.place](op, type);
}

} // namespace onefold::impl::simd
#endif
