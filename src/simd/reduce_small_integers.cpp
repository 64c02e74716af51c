// The reductions of integers of 8 and 16 bits.
#include "simd/reductions.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/reduce_small_integers.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/integers-inl.h"
#include "simd/isa_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

reduction small_integer_reduction(op_kind op, data_type type);
reduction small_integer_reduction(op_kind op, data_type type) {
    switch (type) {
    case onefold_s8:
        return reduction_of_integers<int8_t>(op);
    case onefold_u8:
        return reduction_of_integers<uint8_t>(op);
    case onefold_s16:
        return reduction_of_integers<int16_t>(op);
    case onefold_u16:
        return reduction_of_integers<uint16_t>(op);
    default:
        return {};
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

reduction small_integer_reduction(const isa &on, op_kind op, data_type type) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(small_integer_reduction);
    return table[on.place](op, type);
}

} // namespace onefold::impl::simd
#endif
