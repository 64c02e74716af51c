// Rows added to as many totals as they have columns, for any way to accumulate. Included once per ISA by the reductions.
#if defined(ONEFOLD_SIMD_COLUMNS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_COLUMNS_INL_H
#undef ONEFOLD_SIMD_COLUMNS_INL_H
#else
#define ONEFOLD_SIMD_COLUMNS_INL_H
#endif

#include <hwy/cache_control.h>

#include "simd/groups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <class Way, size_t count>
HWY_INLINE void add_column_vectors(const storage_of<Way> *const *row, size_t i, typename Way::total *totals) {
    add_to_totals<Way>(tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_at<Way>(row[r] + i); }), totals + i);
}

/// The sums of two vectors of columns.
template <class Way, size_t count>
HWY_INLINE lane_pairs<typename Way::element> sums_of_pairs(const storage_of<Way> *const *row, size_t i) {
    using pairs = lane_pairs<typename Way::element>;
    pairs groups[count];
    for (size_t r = 0; r < count; ++r) {
        groups[r] = pairs::load(row[r] + i);
        groups[r] = {Way::lift(groups[r].even), Way::lift(groups[r].odd)};
    }
    return {tree_of<Way, count>([&](size_t r) HWY_ATTR { return groups[r].even; }),
            tree_of<Way, count>([&](size_t r) HWY_ATTR { return groups[r].odd; })};
}

template <class Way>
HWY_INLINE void add_pairs_to_totals(const lane_pairs<typename Way::element> &sums, typename Way::total *totals) {
    vector_of<typename Way::tag> first;
    vector_of<typename Way::tag> second;
    sums.in_order(first, second);
    add_to_totals<Way>(first, totals);
    add_to_totals<Way>(second, totals + lanes_of<Way>);
}

/// Fetches into L1 what will be read 512 bytes on: in these rows or, behind their ends, in the `next` ones, which may be
/// nullptr. With so many streams of short rows the processor does not do it, and the few loads that it has in flight do not
/// hide the memory's latency.
template <size_t count, typename T>
HWY_INLINE void prefetch_ahead(const T *const *rows, const T *const *next, size_t i, size_t length) {
    const size_t ahead = i + 512 / sizeof(T);
    if (ahead < length) {
        for (size_t r = 0; r < count; ++r)
            hwy::Prefetch(rows[r] + ahead);
    } else if (next) {
        for (size_t r = 0; r < count; ++r)
            hwy::Prefetch(next[r] + (ahead - length));
    }
}

/// `count` rows; `next` are as many that will follow, or nullptr.
template <class Way, size_t count>
HWY_INLINE void add_group(const storage_of<Way> *const *rows, const storage_of<Way> *const *next, size_t length,
                          typename Way::total *totals) {
    constexpr size_t lanes = lanes_of<Way>;
    constexpr size_t line = 64 / sizeof(storage_of<Way>); // elements
    constexpr size_t vectors = HWY_MAX(line / lanes, size_t{1});
    const storage_of<Way> *row[count];
    for (size_t r = 0; r < count; ++r)
        row[r] = rows[r];
    size_t i = 0;
    for (; i + vectors * lanes <= length; i += vectors * lanes) {
        prefetch_ahead<count>(row, next, i, length);
        if constexpr (reads_pairs<Way> && vectors == 2)
            add_pairs_to_totals<Way>(sums_of_pairs<Way, count>(row, i), totals + i);
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
        add_group<Way, 8>(rows + r, r + 16 <= count ? rows + r + 8 : nullptr, length, totals);
    if (count - r >= 4) {
        add_group<Way, 4>(rows + r, nullptr, length, totals);
        r += 4;
    }
    if (count - r == 3) add_group<Way, 3>(rows + r, nullptr, length, totals);
    if (count - r == 2) add_group<Way, 2>(rows + r, nullptr, length, totals);
    if (count - r == 1) add_group<Way, 1>(rows + r, nullptr, length, totals);
}

/// 8 rows, from column `begin` on, added to sums that lie in pairs.
template <class Way>
HWY_INLINE void add_narrow_group(const storage_of<Way> *const *rows, const storage_of<Way> *const *next, size_t begin,
                                 size_t columns, typename Way::element::lane *sums) {
    constexpr size_t lanes = lanes_of<Way>;
    const typename Way::tag d;
    const storage_of<Way> *row[8];
    std::copy_n(rows, 8, row);
    for (size_t i = 0; i < columns; i += 2 * lanes) {
        prefetch_ahead<8>(row, next, begin + i, begin + columns);
        const auto more = sums_of_pairs<Way, 8>(row, begin + i);
        hn::Store(hn::Add(hn::Load(d, sums + i), more.even), d, sums + i);
        hn::Store(hn::Add(hn::Load(d, sums + i + lanes), more.odd), d, sums + i + lanes);
    }
}

/// Up to 128 rows of integers of 8 bits: their sums fit the lanes of 16 bits, in which they lie in pairs until the end.
template <class Way>
HWY_INLINE void add_narrow_strip(const storage_of<Way> *const *rows, size_t count, size_t length, typename Way::total *totals) {
    using lane = typename Way::element::lane;
    constexpr size_t lanes = lanes_of<Way>;
    constexpr size_t widest = 2048;
    const typename Way::tag d;
    HWY_ALIGN lane sums[widest];
    for (size_t begin = 0; begin < length; begin += widest) {
        const size_t columns = HWY_MIN(widest, length - begin);
        std::fill_n(sums, columns, lane{0});
        for (size_t r = 0; r < count; r += 8)
            add_narrow_group<Way>(rows + r, r + 16 <= count ? rows + r + 8 : nullptr, begin, columns, sums);
        for (size_t i = 0; i < columns; i += 2 * lanes)
            add_pairs_to_totals<Way>({hn::Load(d, sums + i), hn::Load(d, sums + i + lanes)}, totals + begin + i);
    }
}

template <class Way>
void add_narrow_columns(const void *const *src, size_t count, size_t length, void *to) {
    constexpr size_t most_rows = 128;
    constexpr size_t step = 2 * lanes_of<Way>;
    const auto *rows = reinterpret_cast<const storage_of<Way> *const *>(src);
    auto *totals = static_cast<typename Way::total *>(to);
    const size_t even_length = length / step * step;
    const size_t even_count = count / 8 * 8;
    for (size_t r = 0; r < even_count; r += most_rows)
        add_narrow_strip<Way>(rows + r, HWY_MIN(most_rows, even_count - r), even_length, totals);
    add_columns<Way>(src + even_count, count - even_count, even_length, to);
    if (even_length == length) return;
    const void *ends[8];
    for (size_t r = 0; r < count; r += 8) {
        const size_t group = HWY_MIN(size_t{8}, count - r);
        for (size_t k = 0; k < group; ++k)
            ends[k] = rows[r + k] + even_length;
        add_columns<Way>(ends, group, length - even_length, totals + even_length);
    }
}

template <class Way>
using result_of = typename Way::result_element::storage;

/// The results of up to 8 rows, without totals in memory.
template <class Way, size_t count, bool divides>
bool few_columns_of(const storage_of<Way> *const *rows, size_t length, int64_t elements, result_of<Way> *results) {
    using result_element = typename Way::result_element;
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
        store<result_element>(d, finish(tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_at<Way>(rows[r] + i); })),
                              results + i);
    if (i < length) {
        const auto last =
            finish(tree_of<Way, count>([&](size_t r) HWY_ATTR { return lift_part<Way>(rows[r] + i, length - i); }));
        store_part<result_element>(d, last, results + i, length - i);
    }
    return !hn::AllFalse(d, doubtful);
}

template <class Way, bool divides>
bool reduce_few_columns(const void *const *src, size_t count, size_t length, int64_t elements, void *to) {
    using function = bool (*)(const storage_of<Way> *const *, size_t, int64_t, result_of<Way> *);
    static constexpr function by_count[] = {few_columns_of<Way, 1, divides>, few_columns_of<Way, 2, divides>,
                                            few_columns_of<Way, 3, divides>, few_columns_of<Way, 4, divides>,
                                            few_columns_of<Way, 5, divides>, few_columns_of<Way, 6, divides>,
                                            few_columns_of<Way, 7, divides>, few_columns_of<Way, 8, divides>};
    const auto *rows = reinterpret_cast<const storage_of<Way> *const *>(src);
    return by_count[count - 1](rows, length, elements, static_cast<result_of<Way> *>(to));
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
