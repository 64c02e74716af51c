// Groups of elements from memory, and totals in memory. Included once per ISA by the reductions.
#if defined(ONEFOLD_SIMD_GROUPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_GROUPS_INL_H
#undef ONEFOLD_SIMD_GROUPS_INL_H
#else
#define ONEFOLD_SIMD_GROUPS_INL_H
#endif

#include "simd/accumulate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <class Way>
using storage_of = typename Way::element::storage;
template <class Way>
inline constexpr size_t lanes_of = hn::MaxLanes(typename Way::tag());

template <class Way>
HWY_INLINE typename Way::group lift_at(const storage_of<Way> *src) {
    return Way::lift(load<typename Way::element>(typename Way::tag(), src));
}

template <class Way>
HWY_INLINE typename Way::group lift_part(const storage_of<Way> *src, size_t count) {
    const typename Way::tag d;
    return Way::lift(load_part<typename Way::element>(d, src, count, Way::absent()));
}

template <class Way>
HWY_INLINE void add_to_totals(typename Way::group group, typename Way::total *totals) {
    Way::store(Way::combine(Way::load(totals), Way::widen(group)), totals);
}

/// Updates `count` totals, fewer than the `most` that update(totals) changes, by way of a copy.
template <class Way, size_t most, class Update>
HWY_INLINE void update_few(typename Way::total *totals, size_t count, const Update &update) {
    typename Way::total few[most];
    std::fill_n(few, most, Way::identity_total());
    std::copy_n(totals, count, few);
    update(few);
    std::copy_n(few, count, totals);
}

/// at(0), ..., at(count - 1) in a tree.
template <class Way, size_t count, class At>
HWY_INLINE typename Way::group tree_of(const At &at) {
    if constexpr (count == 1)
        return at(0);
    else {
        constexpr size_t first = count == 3 ? 2 : count / 2;
        const auto rest = [&](size_t k) HWY_ATTR { return at(first + k); };
        return Way::combine_groups(tree_of<Way, first>(at), tree_of<Way, count - first>(rest));
    }
}

/// True if elements are read in pairs.
template <class Way>
inline constexpr bool reads_pairs = has_pairs<typename Way::element> &&Way::group_is_vector &&HWY_TARGET != HWY_SCALAR;

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
