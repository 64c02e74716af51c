// The kernels of reductions, for any way to accumulate. Included once per ISA by the reductions.
#if defined(ONEFOLD_SIMD_REDUCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_REDUCE_INL_H
#undef ONEFOLD_SIMD_REDUCE_INL_H
#else
#define ONEFOLD_SIMD_REDUCE_INL_H
#endif

#include "simd/accumulate-inl.h"
#include "simd/kernels.hpp"

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

/// What is left of a row behind its last tree of 8: fewer than 8 vectors and a part of one. No path through it is deeper than
/// three combinations.
template <class Way>
HWY_INLINE typename Way::group rest_of_row(const storage_of<Way> *row, size_t length) {
    constexpr size_t lanes = lanes_of<Way>;
    const size_t whole = length / lanes;
    const storage_of<Way> *next = row;
    const auto at = [&](size_t k) HWY_ATTR { return lift_at<Way>(next + k * lanes); };
    const storage_of<Way> *tail = row + whole * lanes;
    const size_t part = length - whole * lanes;
    if (whole == 0) return lift_part<Way>(tail, part);
    typename Way::group rest;
    if (whole & 4) {
        rest = tree_of<Way, 4>(at);
        next += 4 * lanes;
    }
    if (whole & 2) {
        const auto two = tree_of<Way, 2>(at);
        rest = whole & 4 ? Way::combine_groups(rest, two) : two;
        next += 2 * lanes;
    }
    if (whole & 1) {
        auto one = at(0);
        if (part > 0) one = Way::combine_groups(one, lift_part<Way>(tail, part));
        return whole & 6 ? Way::combine_groups(rest, one) : one;
    }
    return part > 0 ? Way::combine_groups(rest, lift_part<Way>(tail, part)) : rest;
}

template <class Way>
HWY_INLINE typename Way::folded fold_row(const storage_of<Way> *row, size_t length) {
    constexpr size_t tree = 8 * lanes_of<Way>;
    if (length < tree) return Way::fold(Way::widen(rest_of_row<Way>(row, length)));
    const auto tree_at = [&](const storage_of<Way> *from) HWY_ATTR {
        return Way::widen(tree_of<Way, 8>([&](size_t k) HWY_ATTR { return lift_at<Way>(from + k * lanes_of<Way>); }));
    };
    auto sums = tree_at(row);
    size_t i = tree;
    for (; i + tree <= length; i += tree)
        sums = Way::combine(sums, tree_at(row + i));
    if (i < length) sums = Way::combine(sums, Way::widen(rest_of_row<Way>(row + i, length - i)));
    return Way::fold(sums);
}

/// Rows of 2, 4 or 8 elements without gaps: as many vectors as a row has elements hold as many rows as a vector has lanes.
template <class Way, size_t length>
HWY_INLINE size_t add_short_rows(const storage_of<Way> *src, size_t rows, typename Way::total *totals) {
    constexpr size_t lanes = lanes_of<Way>;
    const typename Way::tag d;
    size_t row = 0;
    for (; row + lanes <= rows; row += lanes, src += lanes * length) {
        typename Way::group v[length];
        for (size_t k = 0; k < length; ++k)
            v[k] = lift_at<Way>(src + k * lanes);
#if HWY_TARGET != HWY_SCALAR
        for (size_t left = length; left > 1; left /= 2)
            for (size_t k = 0; k < left / 2; ++k)
                v[k] = Way::combine_groups(hn::ConcatEven(d, v[2 * k + 1], v[2 * k]), hn::ConcatOdd(d, v[2 * k + 1], v[2 * k]));
#else
        (void)d;
        for (size_t k = 1; k < length; ++k)
            v[0] = Way::combine_groups(v[0], v[k]);
#endif
        Way::store(Way::combine(Way::load(totals + row), Way::widen(v[0])), totals + row);
    }
    return row;
}

template <class Way>
HWY_INLINE size_t add_short_rows_of(const storage_of<Way> *src, size_t length, size_t rows, typename Way::total *totals) {
    switch (length) {
    case 2:
        return add_short_rows<Way, 2>(src, rows, totals);
    case 4:
        return add_short_rows<Way, 4>(src, rows, totals);
    case 8:
        return add_short_rows<Way, 8>(src, rows, totals);
    default:
        return 0;
    }
}

template <class Way>
void add_rows(const void *src, int64_t distance, size_t rows, size_t length, void *to) {
    constexpr size_t batch = Way::rows_at_a_time;
    auto *totals = static_cast<typename Way::total *>(to);
    const auto row_at = [&](size_t row) {
        const char *first = static_cast<const char *>(src) + distance * static_cast<int64_t>(row);
        return reinterpret_cast<const storage_of<Way> *>(first);
    };
    size_t row = 0;
    if constexpr (Way::group_is_vector)
        if (distance == static_cast<int64_t>(length * sizeof(storage_of<Way>)))
            row = add_short_rows_of<Way>(row_at(0), length, rows, totals);
    for (; row < rows; row += batch) {
        const size_t count = HWY_MIN(batch, rows - row);
        typename Way::folded each[batch];
        for (size_t k = 0; k < batch; ++k)
            each[k] = fold_row<Way>(row_at(HWY_MIN(row + k, rows - 1)), k < count ? length : 0);
        typename Way::total few[batch];
        if (count < batch) std::fill_n(few, batch, Way::identity_total());
        if (count < batch) std::copy_n(totals + row, count, few);
        Way::add_rows(each, count < batch ? few : totals + row);
        if (count < batch) std::copy_n(few, count, totals + row);
    }
}

template <class Way, size_t count>
HWY_INLINE void add_group(const storage_of<Way> *const *rows, size_t length, typename Way::total *totals) {
    constexpr size_t lanes = lanes_of<Way>;
    const storage_of<Way> *row[count];
    for (size_t r = 0; r < count; ++r)
        row[r] = rows[r];
    size_t i = 0;
    for (; i + lanes <= length; i += lanes) {
        const auto group = tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_at<Way>(row[r] + i); });
        Way::store(Way::combine(Way::load(totals + i), Way::widen(group)), totals + i);
    }
    if (i == length) return;
    const auto group = tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_part<Way>(row[r] + i, length - i); });
    typename Way::total few[lanes];
    std::fill_n(few, lanes, Way::identity_total());
    std::copy_n(totals + i, length - i, few);
    Way::store(Way::combine(Way::load(few), Way::widen(group)), few);
    std::copy_n(few, length - i, totals + i);
}

template <class Way>
void add_columns(const void *const *src, size_t count, size_t length, void *to) {
    auto *totals = static_cast<typename Way::total *>(to);
    for (size_t first = 0; first < count;) {
        const storage_of<Way> *rows[8];
        const size_t left = HWY_MIN(size_t{8}, count - first);
        for (size_t r = 0; r < left; ++r)
            rows[r] = static_cast<const storage_of<Way> *>(src[first + r]);
        const size_t taken = left == 8 ? 8 : left >= 4 ? 4 : left;
        if (taken == 8) add_group<Way, 8>(rows, length, totals);
        if (taken == 4) add_group<Way, 4>(rows, length, totals);
        if (taken == 3) add_group<Way, 3>(rows, length, totals);
        if (taken == 2) add_group<Way, 2>(rows, length, totals);
        if (taken == 1) add_group<Way, 1>(rows, length, totals);
        first += taken;
    }
}

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
    return {sizeof(typename Way::total), clear_totals<Way>, add_rows<Way>, add_columns<Way>, combine_totals<Way>, finish};
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
