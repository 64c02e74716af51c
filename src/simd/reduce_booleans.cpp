// ReduceMax and ReduceMin of booleans: is any true, are all? A byte is true unless it is 0.
#include "simd/reductions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/reduce_booleans.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"
#include "simd/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

bool finish_truth(const void *totals, size_t count, int64_t /*elements*/, void *results) {
    const auto *total = static_cast<const uint8_t *>(totals);
    auto *result = static_cast<uint8_t *>(results);
    for (size_t i = 0; i < count; ++i)
        result[i] = total[i] != 0 ? 1 : 0;
    return false;
}

reduction boolean_reduction(op_kind op);
reduction boolean_reduction(op_kind op) {
    using element = same_element<uint8_t>;
    if (op == onefold_op_reduce_max) return make_reduction<in_lanes<element, identity_map, maximum_op>>(finish_truth);
    if (op == onefold_op_reduce_min) return make_reduction<in_lanes<element, identity_map, minimum_op>>(finish_truth);
    return {};
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

reduction boolean_reduction(const isa &on, op_kind op) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(boolean_reduction);
    return table[on.place](op);
}

} // namespace onefold::impl::simd
#endif
