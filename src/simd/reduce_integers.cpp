// The reductions of integers of 32 and 64 bits.
#include "simd/reductions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/reduce_integers.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/integers-inl.h"
#include "simd/isa_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

reduction integer_reduction(op_kind op, data_type type);
reduction integer_reduction(op_kind op, data_type type) {
    switch (type) {
    case onefold_s32:
        return reduction_of_integers<int32_t>(op);
    case onefold_u32:
        return reduction_of_integers<uint32_t>(op);
    case onefold_s64:
        return reduction_of_integers<int64_t>(op);
    case onefold_u64:
        return reduction_of_integers<uint64_t>(op);
    default:
        return {};
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

reduction integer_reduction(const isa &on, op_kind op, data_type type) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(integer_reduction);
    return table[on.place](op, type);
}

} // namespace onefold::impl::simd
#endif
