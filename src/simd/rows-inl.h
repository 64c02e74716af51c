// Rows, each into one total, for any way to accumulate. Included once per ISA by the reductions.
#if defined(ONEFOLD_SIMD_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_ROWS_INL_H
#undef ONEFOLD_SIMD_ROWS_INL_H
#else
#define ONEFOLD_SIMD_ROWS_INL_H
#endif

#include "simd/groups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

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

/// 8 vectors' worth of a row, in any order.
template <class Way>
HWY_INLINE typename Way::group tree_of_8(const storage_of<Way> *row) {
    constexpr size_t lanes = lanes_of<Way>;
    if constexpr (reads_pairs<Way>) {
        return tree_of<Way, 4>([&](size_t k) HWY_ATTR {
            const auto pairs = lane_pairs<typename Way::element>::load(row + 2 * k * lanes);
            return Way::combine_groups(Way::lift(pairs.even), Way::lift(pairs.odd));
        });
    } else {
        return tree_of<Way, 8>([&](size_t k) HWY_ATTR { return lift_at<Way>(row + k * lanes); });
    }
}

/// Trees of 8 whose results are added one after the other; longer rows in f64 are halved, so that no more is lost than in
/// halving them all the way down, but for a few units.
inline constexpr size_t longest_sequence = 32;
template <class Way>
inline constexpr bool loses_bits_in_sequence = std::is_same_v<typename Way::element::lane, double>;

/// The sums of a row of at least one tree.
template <class Way>
typename Way::sums sums_of_row(const storage_of<Way> *row, size_t length) {
    constexpr size_t tree = 8 * lanes_of<Way>;
    if constexpr (loses_bits_in_sequence<Way>)
        if (length > longest_sequence * tree) {
            const size_t first = (length / tree + 1) / 2 * tree;
            return Way::combine(sums_of_row<Way>(row, first), sums_of_row<Way>(row + first, length - first));
        }
    const auto tree_at = [&](const storage_of<Way> *from) HWY_ATTR { return Way::widen(tree_of_8<Way>(from)); };
    auto sums = tree_at(row);
    size_t i = tree;
    for (; i + tree <= length; i += tree)
        sums = Way::combine(sums, tree_at(row + i));
    if (i < length) sums = Way::combine(sums, Way::widen(rest_of_row<Way>(row + i, length - i)));
    return sums;
}

template <class Way>
HWY_INLINE typename Way::folded fold_row(const storage_of<Way> *row, size_t length) {
    if (length < 8 * lanes_of<Way>) return Way::fold(Way::widen(rest_of_row<Way>(row, length)));
    return Way::fold(sums_of_row<Way>(row, length));
}

/// Likewise where it is not worth its size again.
template <class Way>
HWY_NOINLINE typename Way::folded fold_row_apart(const storage_of<Way> *row, size_t length) {
    return fold_row<Way>(row, length);
}

/// Rows of 2, 4 or 8 elements without gaps: as many vectors as a row has elements hold as many rows as a vector has lanes.
template <class Way, size_t length>
HWY_INLINE size_t add_short_rows(const storage_of<Way> *src, size_t rows, typename Way::total *totals) {
    constexpr size_t lanes = lanes_of<Way>;
    size_t row = 0;
    for (; row + lanes <= rows; row += lanes, src += lanes * length) {
        typename Way::group groups[length];
        for (size_t k = 0; k < length; ++k)
            groups[k] = lift_at<Way>(src + k * lanes);
        typename Way::total *to = totals + row;
        Way::store(Way::combine(Way::load(to), Way::template sums_of_short_rows<length>(groups)), to);
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

/// Rows of 8 bytes without gaps.
template <class Way>
HWY_INLINE size_t add_octets(const storage_of<Way> *src, size_t rows, typename Way::total *totals) {
    constexpr size_t batch = Way::rows_at_a_time;
    size_t row = 0;
    for (; row + batch <= rows; row += batch)
        add_to_totals<Way>(lift_at<Way>(src + row * 8), totals + row);
    return row;
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
    if constexpr (lanes_of<Way> == 8 * Way::rows_at_a_time) {
        if (distance == 8 && length == 8) row = add_octets<Way>(row_at(0), rows, totals);
    } else if (distance == static_cast<int64_t>(length * sizeof(storage_of<Way>)))
        row = add_short_rows_of<Way>(row_at(0), length, rows, totals);
    typename Way::folded each[batch];
    for (; row + batch <= rows; row += batch) {
        for (size_t k = 0; k < batch; ++k)
            each[k] = fold_row<Way>(row_at(row + k), length);
        Way::add_rows(each, totals + row);
    }
    if (row == rows) return;
    const size_t left = rows - row;
    for (size_t k = 0; k < left; ++k)
        each[k] = fold_row_apart<Way>(row_at(row + k), length);
    const auto nothing = fold_row_apart<Way>(row_at(row), 0);
    for (size_t k = left; k < batch; ++k)
        each[k] = nothing;
    update_few<Way, batch>(totals + row, rows - row, [&](auto *few) HWY_ATTR { Way::add_rows(each, few); });
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
