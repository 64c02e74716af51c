// A reduction's kernels, for any way to accumulate. Included once per ISA by the reductions.
#if defined(ONEFOLD_SIMD_REDUCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_REDUCE_INL_H
#undef ONEFOLD_SIMD_REDUCE_INL_H
#else
#define ONEFOLD_SIMD_REDUCE_INL_H
#endif

#include "simd/columns-inl.h"
#include "simd/kernels.hpp"
#include "simd/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <class Way>
void clear_totals(void *totals, size_t count) {
    std::fill_n(static_cast<typename Way::total *>(totals), count, Way::identity_total());
}

template <class Way>
void combine_totals(void *to, const void *others, size_t count) {
    auto *totals = static_cast<typename Way::total *>(to);
    const auto *other = static_cast<const typename Way::total *>(others);
    for (size_t i = 0; i < count; ++i)
        totals[i] = Way::add(totals[i], other[i]);
}

using finish_function = bool (*)(const void *totals, size_t count, int64_t elements, void *results);

template <class Way>
reduction make_reduction(finish_function finish) {
    return {
        sizeof(typename Way::total), clear_totals<Way>, add_rows<Way>, add_columns<Way>, combine_totals<Way>, finish, nullptr};
}

/// Likewise where a few rows need no totals.
template <class Way, bool divides = false>
reduction make_short_reduction(finish_function finish) {
    reduction made = make_reduction<Way>(finish);
    made.few_columns = reduce_few_columns<Way, divides>;
    return made;
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
