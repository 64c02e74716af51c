// The reductions of integers of any width. Sums, products and magnitudes wrap, so lanes of the element's own width hold them,
// or of 32 bits; means and norms are those of the exact sum. Included once per ISA by the reductions of integers.
#if defined(ONEFOLD_SIMD_INTEGERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_INTEGERS_INL_H
#undef ONEFOLD_SIMD_INTEGERS_INL_H
#else
#define ONEFOLD_SIMD_INTEGERS_INL_H
#endif

#include "simd/finish-inl.h"
#include "simd/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

/// A sum of 192 bits.
struct square_total {
    wide_unsigned low;
    uint64_t high;

    void add(wide_unsigned more, uint64_t more_high) {
        low += more;
        high += more_high + (low < more ? 1 : 0);
    }
    bool operator>=(const square_total &other) const { return high != other.high ? high > other.high : low >= other.low; }

    /// Of a number of less than 96 bits.
    static square_total square_of(wide_unsigned root) {
        const auto top = static_cast<uint64_t>(root >> 64);
        const auto bottom = static_cast<uint64_t>(root);
        const wide_unsigned cross = static_cast<wide_unsigned>(top) * bottom; // to be doubled, at bit 64
        square_total square{static_cast<wide_unsigned>(bottom) * bottom, top * top};
        square.add(cross << 65, static_cast<uint64_t>(cross >> 63));
        return square;
    }

    /// The square root, rounded down, modulo 2^64.
    uint64_t root() const {
        if (high == 0) return integer_root(low);
        wide_unsigned root = 0;
        for (int bit = 95; bit >= 0; --bit) {
            const wide_unsigned larger = root | static_cast<wide_unsigned>(1) << bit;
            if (*this >= square_of(larger)) root = larger;
        }
        return static_cast<uint64_t>(root);
    }
};

/// The exact sum of squares of integers of 32 and 64 bits.
template <typename T>
struct exact_squares {
    static wide_unsigned square(const T *element) {
        const T x = load_one(element);
        const auto magnitude = x < 0 ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
        return static_cast<wide_unsigned>(magnitude) * magnitude;
    }
    static void clear(void *totals, size_t count) {
        std::fill_n(static_cast<square_total *>(totals), count, square_total{0, 0});
    }
    static void rows(const void *src, int64_t distance, size_t rows, size_t length, void *totals) {
        for (size_t r = 0; r < rows; ++r) {
            const auto *row = reinterpret_cast<const T *>(static_cast<const char *>(src) + distance * static_cast<int64_t>(r));
            square_total sum{0, 0};
            for (size_t i = 0; i < length; ++i)
                sum.add(square(row + i), 0);
            static_cast<square_total *>(totals)[r].add(sum.low, sum.high);
        }
    }
    static void columns(const void *const *rows, size_t count, size_t length, void *totals) {
        for (size_t r = 0; r < count; ++r)
            for (size_t i = 0; i < length; ++i)
                static_cast<square_total *>(totals)[i].add(square(static_cast<const T *>(rows[r]) + i), 0);
    }
    static void combine(void *totals, const void *others, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            const square_total &other = static_cast<const square_total *>(others)[i];
            static_cast<square_total *>(totals)[i].add(other.low, other.high);
        }
    }
    static bool finish(const void *totals, size_t count, int64_t /*elements*/, void *results) {
        for (size_t i = 0; i < count; ++i)
            store_one(static_cast<T>(static_cast<const square_total *>(totals)[i].root()), static_cast<T *>(results) + i);
        return false;
    }
};

template <typename T>
using element_of = std::conditional_t<(sizeof(T) <= 2), small_integer_element<T>, same_element<T>>;

template <typename T>
reduction norm_of() {
    if constexpr (sizeof(T) <= 2) {
        return make_reduction<squares_in_u64<element_of<T>>>(finish_integer_root<uint64_t, T>);
    } else {
        using way = exact_squares<T>;
        return {sizeof(square_total), way::clear, way::rows, way::columns, way::combine, way::finish, nullptr};
    }
}

/// Exact sums in 64 bits.
template <typename T>
reduction small_sum_of(finish_function finish) {
    reduction made = make_reduction<in_wider_trees<element_of<T>, identity_map, int64_t>>(finish);
#if HWY_TARGET != HWY_SCALAR // which has no such instructions
    if constexpr (sizeof(T) == 1) {
        made.rows = add_rows<in_octets<T>>;
        made.columns = add_narrow_columns<in_narrow_trees<T>>;
    }
#endif
    return made;
}

/// Where a few rows' columns are computed in the elements' own width.
template <typename T, class Op>
reduction with_few_columns(reduction made) {
    made.few_columns = reduce_few_columns<in_lanes<same_element<T>, identity_map, Op>, false>;
    return made;
}

template <typename T>
reduction mean_of() {
    using wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    if constexpr (sizeof(T) <= 2)
        return small_sum_of<T>(finish_integer_mean<int64_t, T>);
    else if constexpr (sizeof(T) == 4)
        return make_reduction<in_wider_lanes<element_of<T>, add_op, wide>>(finish_integer_mean<wide, T>);
    else
        return make_reduction<in_halves<element_of<T>>>(finish_split_mean<T>);
}

template <typename T>
reduction sum_of() {
    using wrapping = element_of<std::make_unsigned_t<T>>;
    if constexpr (sizeof(T) == 1)
        return small_sum_of<T>(finish_total<int64_t, T>);
    else
        return make_reduction<in_lanes<wrapping, identity_map, add_op>>(finish_total<typename wrapping::lane, T>);
}

template <typename T>
reduction reduction_of_integers(op_kind op) {
    // What wraps is the same with a sign and without.
    using wrapping = element_of<std::make_unsigned_t<T>>;
    constexpr auto finish_wrapped = finish_total<typename wrapping::lane, T>;
    constexpr auto finish = finish_total<typename element_of<T>::lane, T>;
    switch (op) {
    case onefold_op_reduce_sum:
        return with_few_columns<std::make_unsigned_t<T>, add_op>(sum_of<T>());
    case onefold_op_reduce_mean:
        return mean_of<T>();
    case onefold_op_reduce_l1:
        return make_reduction<in_lanes<element_of<T>, magnitude_map, add_op>>(finish);
    case onefold_op_reduce_l2:
        return norm_of<T>();
    case onefold_op_reduce_sum_square:
        return make_reduction<in_lanes<wrapping, square_map, add_op>>(finish_wrapped);
    case onefold_op_reduce_prod:
        return make_reduction<in_lanes<wrapping, identity_map, multiply_op>>(finish_wrapped);
    case onefold_op_reduce_max:
        return with_few_columns<T, maximum_op>(make_reduction<in_lanes<element_of<T>, identity_map, maximum_op>>(finish));
    case onefold_op_reduce_min:
        return with_few_columns<T, minimum_op>(make_reduction<in_lanes<element_of<T>, identity_map, minimum_op>>(finish));
    default:
        return {};
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
