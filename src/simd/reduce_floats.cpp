// The reductions of f32, bf16, f16 and f64.
#include "simd/reductions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/reduce_floats.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/finish-inl.h"
#include "simd/isa_table.hpp"
#include "simd/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

/// Products of small floats are made in f64.
template <class Element>
using product_of = std::conditional_t<std::is_same_v<Element, f64_element>, in_lanes<f64_element, identity_map, multiply_op>,
                                      in_wider_lanes<Element, multiply_op, double>>;

/// A few elements are added, and their sum divided, in f32 alone: four roundings, as by way of f64.
template <class Element, class Map, bool divides>
reduction make_sum(finish_function finish) {
    if constexpr (std::is_same_v<Element, f64_element>)
        return make_reduction<float_sum<Element, Map>>(finish);
    else
        return make_short_reduction<float_sum<Element, Map>, divides>(finish);
}

/// Those of 16 bits stay so, unless they are to be f32.
template <class Element, class Op, bool nan_is_least>
reduction make_extreme(data_type results) {
    using lane = typename Element::lane;
    if constexpr (std::is_same_v<typename Element::storage, lane>)
        return make_short_reduction<in_lanes<Element, identity_map, Op>>(finish_total<lane, lane>);
    else {
        using element = ordered<Element, nan_is_least>;
        using way = in_order<element, Op>;
        if (results == onefold_f32) return make_reduction<way>(finish_ordered<element, Element, float>);
        return make_short_reduction<way>(finish_ordered<element, Element, uint16_t>);
    }
}

template <class Element>
reduction reduction_of_floats(op_kind op, data_type results) {
    using lane = typename Element::lane;
    switch (op) {
    case onefold_op_reduce_sum:
        return make_sum<Element, identity_map, false>(finish_float_sum<lane, outcome::total, false>);
    case onefold_op_reduce_mean:
        return make_sum<Element, identity_map, true>(finish_float_sum<lane, outcome::mean, false>);
    case onefold_op_reduce_l1:
        return make_reduction<float_sum<Element, magnitude_map>>(finish_float_sum<lane, outcome::total, false>);
    case onefold_op_reduce_l2:
        return make_reduction<float_sum<Element, square_map>>(finish_float_sum<lane, outcome::root, true>);
    case onefold_op_reduce_sum_square:
        return make_reduction<float_sum<Element, square_map>>(finish_float_sum<lane, outcome::total, true>);
    case onefold_op_reduce_prod:
        return make_reduction<product_of<Element>>(finish_total<double, lane>);
    case onefold_op_reduce_max:
        return make_extreme<Element, maximum_op, false>(results);
    case onefold_op_reduce_min:
        return make_extreme<Element, minimum_op, true>(results);
    default:
        return {};
    }
}

reduction float_reduction(op_kind op, data_type type, data_type results);
reduction float_reduction(op_kind op, data_type type, data_type results) {
    switch (type) {
    case onefold_f32:
        return reduction_of_floats<f32_element>(op, results);
    case onefold_bf16:
        return reduction_of_floats<bf16_element>(op, results);
    case onefold_f16:
        return reduction_of_floats<f16_element>(op, results);
    case onefold_f64:
        return reduction_of_floats<f64_element>(op, results);
    default:
        return {};
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

reduction float_reduction(const isa &on, op_kind op, data_type type, data_type results) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(float_reduction);
    return table[on.place](op, type, results);
}

} // namespace onefold::impl::simd
#endif
