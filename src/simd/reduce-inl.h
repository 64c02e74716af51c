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
inline constexpr bool reads_bf16_sums =
    std::is_same_v<typename Way::element, bf16_element> &&Way::group_is_vector &&HWY_TARGET != HWY_SCALAR;

/// 8 vectors' worth of a row, in any order.
template <class Way>
HWY_INLINE typename Way::group tree_of_8(const storage_of<Way> *row) {
    constexpr size_t lanes = lanes_of<Way>;
    if constexpr (reads_bf16_sums<Way>) {
        return tree_of<Way, 4>([&](size_t k) HWY_ATTR {
            const auto pairs = bf16_pairs<typename Way::tag>::load(row + 2 * k * lanes);
            return Way::combine_groups(Way::lift(pairs.even), Way::lift(pairs.odd));
        });
    } else {
        return tree_of<Way, 8>([&](size_t k) HWY_ATTR { return lift_at<Way>(row + k * lanes); });
    }
}

template <class Way>
HWY_INLINE typename Way::folded fold_row(const storage_of<Way> *row, size_t length) {
    constexpr size_t tree = 8 * lanes_of<Way>;
    if (length < tree) return Way::fold(Way::widen(rest_of_row<Way>(row, length)));
    const auto tree_at = [&](const storage_of<Way> *from) HWY_ATTR { return Way::widen(tree_of_8<Way>(from)); };
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
        add_to_totals<Way>(combine_runs<length>(d, v, Way::combine_groups), totals + row);
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
    if constexpr (Way::group_is_vector)
        if (distance == static_cast<int64_t>(length * sizeof(storage_of<Way>)))
            row = add_short_rows_of<Way>(row_at(0), length, rows, totals);
    if constexpr (lanes_of<Way> == 8 * Way::rows_at_a_time)
        if (distance == 8 && length == 8) row = add_octets<Way>(row_at(0), rows, totals);
    for (; row < rows; row += batch) {
        const size_t count = HWY_MIN(batch, rows - row);
        typename Way::folded each[batch];
        for (size_t k = 0; k < batch; ++k)
            each[k] = fold_row<Way>(row_at(HWY_MIN(row + k, rows - 1)), k < count ? length : 0);
        if (count == batch)
            Way::add_rows(each, totals + row);
        else
            update_few<Way, batch>(totals + row, count, [&](auto *few) HWY_ATTR { Way::add_rows(each, few); });
    }
}

template <class Way, size_t count>
HWY_INLINE void add_column_vectors(const storage_of<Way> *const *row, size_t i, typename Way::total *totals) {
    add_to_totals<Way>(tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_at<Way>(row[r] + i); }), totals + i);
}

/// Two vectors of columns.
template <class Way, size_t count>
HWY_INLINE void add_bf16_columns(const uint16_t *const *row, size_t i, typename Way::total *totals) {
    using pairs = bf16_pairs<typename Way::tag>;
    pairs groups[count];
    for (size_t r = 0; r < count; ++r) {
        groups[r] = pairs::load(row[r] + i);
        groups[r] = {Way::lift(groups[r].even), Way::lift(groups[r].odd)};
    }
    const pairs sums = {tree_of<Way, count>([&](size_t r) HWY_ATTR { return groups[r].even; }),
                        tree_of<Way, count>([&](size_t r) HWY_ATTR { return groups[r].odd; })};
    vector_of<typename Way::tag> first;
    vector_of<typename Way::tag> second;
    sums.in_order(first, second);
    add_to_totals<Way>(first, totals + i);
    add_to_totals<Way>(second, totals + i + lanes_of<Way>);
}

template <class Way, size_t count>
HWY_INLINE void add_group(const storage_of<Way> *const *rows, size_t length, typename Way::total *totals) {
    constexpr size_t lanes = lanes_of<Way>;
    constexpr size_t line = 64 / sizeof(storage_of<Way>); // elements
    constexpr size_t vectors = HWY_MAX(line / lanes, size_t{1});
    const storage_of<Way> *row[count];
    for (size_t r = 0; r < count; ++r)
        row[r] = rows[r];
    size_t i = 0;
    for (; i + vectors * lanes <= length; i += vectors * lanes) {
        if constexpr (reads_bf16_sums<Way> && vectors == 2)
            add_bf16_columns<Way, count>(row, i, totals);
        else
            for (size_t v = 0; v < vectors; ++v)
                add_column_vectors<Way, count>(row, i + v * lanes, totals);
    }
    for (; i + lanes <= length; i += lanes)
        add_column_vectors<Way, count>(row, i, totals);
    if (i == length) return;
    const auto group = tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_part<Way>(row[r] + i, length - i); });
    update_few<Way, lanes>(totals + i, length - i, [&](auto *few) HWY_ATTR { add_to_totals<Way>(group, few); });
}

template <class Way>
void add_columns(const void *const *src, size_t count, size_t length, void *to) {
    const auto *rows = reinterpret_cast<const storage_of<Way> *const *>(src);
    auto *totals = static_cast<typename Way::total *>(to);
    size_t r = 0;
    for (; r + 8 <= count; r += 8)
        add_group<Way, 8>(rows + r, length, totals);
    if (count - r >= 4) {
        add_group<Way, 4>(rows + r, length, totals);
        r += 4;
    }
    if (count - r == 3) add_group<Way, 3>(rows + r, length, totals);
    if (count - r == 2) add_group<Way, 2>(rows + r, length, totals);
    if (count - r == 1) add_group<Way, 1>(rows + r, length, totals);
}

/// The results of up to 8 rows, without totals in memory.
template <class Way, size_t count, bool divides>
bool few_columns_of(const storage_of<Way> *const *rows, size_t length, int64_t elements, typename Way::element::lane *results) {
    constexpr size_t lanes = lanes_of<Way>;
    using lane = typename Way::element::lane;
    const typename Way::tag d;
    const auto number = hn::Set(d, static_cast<lane>(elements));
    auto doubtful = hn::FirstN(d, 0);
    const auto finish = [&](typename Way::group sum) HWY_ATTR {
        if constexpr (!std::is_same_v<typename Way::total, lane>) // a sum of floats
            doubtful = hn::Or(doubtful, hn::Not(hn::Le(hn::Abs(sum), hn::Set(d, std::numeric_limits<lane>::max()))));
        if constexpr (divides) return hn::Div(sum, number);
        return sum;
    };
    size_t i = 0;
    for (; i + lanes <= length; i += lanes)
        hn::StoreU(finish(tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_at<Way>(rows[r] + i); })), d, results + i);
    if (i < length) {
        const auto last =
            finish(tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_part<Way>(rows[r] + i, length - i); }));
        store_part<same_element<lane>>(d, last, results + i, length - i);
    }
    return !hn::AllFalse(d, doubtful);
}

template <class Way, bool divides>
bool reduce_few_columns(const void *const *src, size_t count, size_t length, int64_t elements, void *to) {
    using function = bool (*)(const storage_of<Way> *const *, size_t, int64_t, typename Way::element::lane *);
    static constexpr function by_count[] = {few_columns_of<Way, 1, divides>, few_columns_of<Way, 2, divides>,
                                            few_columns_of<Way, 3, divides>, few_columns_of<Way, 4, divides>,
                                            few_columns_of<Way, 5, divides>, few_columns_of<Way, 6, divides>,
                                            few_columns_of<Way, 7, divides>, few_columns_of<Way, 8, divides>};
    const auto *rows = reinterpret_cast<const storage_of<Way> *const *>(src);
    return by_count[count - 1](rows, length, elements, static_cast<typename Way::element::lane *>(to));
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
