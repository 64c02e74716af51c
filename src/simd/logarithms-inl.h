// Logarithms of sums, and of sums of exponentials. Included once per ISA by reduce_logarithms.cpp.
#if defined(ONEFOLD_SIMD_LOGARITHMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_LOGARITHMS_INL_H
#undef ONEFOLD_SIMD_LOGARITHMS_INL_H
#else
#define ONEFOLD_SIMD_LOGARITHMS_INL_H
#endif

#include <cmath>

#include "simd/reduce-inl.h"
#include "simd/unary-inl.h"
#include "simd/whole_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

/// Stores shift + log(sum), which get(i, shift, sum) gives, for each result.
template <typename Result, class Get>
HWY_INLINE void store_logarithms(size_t count, Result *results, const Get &get) {
    constexpr size_t block = 64;
    HWY_ALIGN double shifts[block] = {};
    HWY_ALIGN double sums[block] = {};
    for (size_t first = 0; first < count; first += block) {
        const size_t part = HWY_MIN(block, count - first);
        for (size_t k = 0; k < part; ++k)
            get(first + k, shifts[k], sums[k]);
        if constexpr (std::is_same_v<Result, float>) {
            const hn::ScalableTag<double> d;
            for (size_t k = 0; k < part; k += hn::MaxLanes(hn::ScalableTag<double>()))
                hn::Store(simd::HWY_NAMESPACE::log(d, hn::Load(d, sums + k)), d, sums + k);
        } else { // to the last bit
            for (size_t k = 0; k < part; ++k)
                sums[k] = std::log(sums[k]);
        }
        for (size_t k = 0; k < part; ++k)
            store_one(static_cast<Result>(shifts[k] + sums[k]), results + first + k);
    }
}

/// Sums in f64 into logarithms.
template <typename Result>
bool finish_log_sum(const void *totals, size_t count, int64_t /*elements*/, void *results) {
    const auto *total = static_cast<const double *>(totals);
    bool doubtful = false;
    for (size_t i = 0; i < count; ++i)
        doubtful = doubtful || !std::isfinite(total[i]);
    store_logarithms(count, static_cast<Result *>(results), [&](size_t i, double & /*shift*/, double &sum) { sum = total[i]; });
    return doubtful;
}

/// The sum of exp(x) as exp(max) * sum. max, of all the elements so far, is finite whatever they are: the sum is infinite
/// where one of them is +inf, and 0 where all of them are -inf.
struct exponential_total {
    double max;
    double sum;
};

/// Of floats. Elements are taken in a few at a time, around the largest of them and of all before them.
template <class Element>
struct log_sum_exp {
    using element = Element;
    using lane = typename Element::lane;
    using storage = typename Element::storage;
    using tag = lane_tag<Element>;
    using wide_tag = hn::ScalableTag<double>;
    using group = vector_of<tag>;
    using total = exponential_total;
    static constexpr size_t lanes = hn::MaxLanes(tag());
    static constexpr size_t wide_lanes = hn::MaxLanes(wide_tag());
    static constexpr size_t parts = lanes / wide_lanes;
    using wide = vectors<wide_tag, parts>;
    static constexpr lane nothing = -std::numeric_limits<lane>::infinity();

    static total identity_total() { return {static_cast<double>(std::numeric_limits<lane>::lowest()), 0}; }
    static HWY_INLINE group combine_groups(group a, group b) { return hn::Add(a, b); }

    static HWY_INLINE wide widen(group v) {
        if constexpr (std::is_same_v<lane, double>)
            return {{v}};
        else
            return promote<double>(v);
    }
    static HWY_INLINE group narrow(const wide &w) {
        if constexpr (std::is_same_v<lane, double>)
            return w.part[0];
        else {
#if HWY_TARGET == HWY_SCALAR
            return hn::DemoteTo(tag(), w.part[0]);
#else
            const hn::Half<tag> half;
            return hn::Combine(tag(), hn::DemoteTo(half, w.part[1]), hn::DemoteTo(half, w.part[0]));
#endif
        }
    }

    /// Near the elements' largest one, and finite.
    static HWY_INLINE group shift_of(group max) {
        const tag d;
        return hn::Min(hn::Max(max, hn::Set(d, std::numeric_limits<lane>::lowest())),
                       hn::Set(d, std::numeric_limits<lane>::max()));
    }
    static HWY_INLINE group exponential(group x, group shift) { return exp_or_zero(tag(), hn::Sub(x, shift)); }

    static total add(const total &a, const total &b) {
        if (b.sum == 0) return a;
        if (a.sum == 0) return b;
        const total &larger = a.max >= b.max ? a : b;
        const total &smaller = a.max >= b.max ? b : a;
        return {larger.max, larger.sum + smaller.sum * std::exp(smaller.max - larger.max)};
    }

    /// A run of elements that fits L1, read twice.
    static HWY_INLINE total total_of_run(const storage *src, size_t count) {
        const tag d;
        const size_t whole = count / lanes * lanes;
        const auto at = [&](size_t i) HWY_ATTR { return load<Element>(d, src + i); };
        const auto last = load_part<Element>(d, src + whole, count - whole, nothing);
        auto max = last;
        for (size_t i = 0; i < whole; i += lanes)
            max = hn::Max(max, at(i));
        const auto shift = shift_of(hn::MaxOfLanes(d, max));
        wide sums = widen(exponential(last, shift));
        size_t i = 0;
        for (; i + 8 * lanes <= whole; i += 8 * lanes)
            sums = combine_vectors<add_op>(wide_tag(), sums, widen(tree_of<log_sum_exp, 8>([&](size_t k) HWY_ATTR {
                                               return exponential(at(i + k * lanes), shift);
                                           })));
        for (; i < whole; i += lanes)
            sums = combine_vectors<add_op>(wide_tag(), sums, widen(exponential(at(i), shift)));
        auto sum = sums.part[0];
        for (size_t p = 1; p < parts; ++p)
            sum = hn::Add(sum, sums.part[p]);
        return {static_cast<double>(hn::GetLane(shift)), hn::GetLane(hn::SumOfLanes(wide_tag(), sum))};
    }

    static void rows(const void *src, int64_t distance, size_t rows, size_t length, void *to) {
        constexpr size_t run = 2048;
        auto *totals = static_cast<total *>(to);
        for (size_t r = 0; r < rows; ++r) {
            const char *first = static_cast<const char *>(src) + distance * static_cast<int64_t>(r);
            const auto *row = reinterpret_cast<const storage *>(first);
            for (size_t i = 0; i < length; i += run)
                totals[r] = add(totals[r], total_of_run(row + i, HWY_MIN(run, length - i)));
        }
    }

    /// Rows' elements at(0), ..., at(count - 1) of a vector of columns.
    template <size_t count, class At>
    static HWY_INLINE void add_columns(const At &at, total *totals) {
        static_assert(sizeof(total) == 2 * sizeof(double));
        auto *words = reinterpret_cast<double *>(totals);
        const wide_tag d;
        wide old;
        wide sums;
        for (size_t p = 0; p < parts; ++p)
            hn::LoadInterleaved2(d, words + 2 * p * wide_lanes, old.part[p], sums.part[p]);
        const group old_shift = narrow(old);
        group max = old_shift;
        for (size_t r = 0; r < count; ++r)
            max = hn::Max(max, at(r));
        const group shift = shift_of(max);
        const wide shifts = widen(shift);
        if (!hn::AllTrue(tag(), hn::Eq(shift, old_shift)))
            for (size_t p = 0; p < parts; ++p)
                sums.part[p] = hn::Mul(sums.part[p], exp_or_zero(d, hn::Sub(old.part[p], shifts.part[p])));
        const wide more = widen(tree_of<log_sum_exp, count>([&](size_t r) HWY_ATTR { return exponential(at(r), shift); }));
        for (size_t p = 0; p < parts; ++p)
            hn::StoreInterleaved2(shifts.part[p], hn::Add(sums.part[p], more.part[p]), d, words + 2 * p * wide_lanes);
    }

    template <size_t count>
    static void add_rows_of_columns(const storage *const *rows, size_t length, total *totals) {
        const tag d;
        size_t i = 0;
        for (; i + lanes <= length; i += lanes)
            add_columns<count>([&](size_t r) HWY_ATTR { return load<Element>(d, rows[r] + i); }, totals + i);
        if (i == length) return;
        const size_t part = length - i;
        const auto at = [&](size_t r) HWY_ATTR { return load_part<Element>(d, rows[r] + i, part, nothing); };
        update_few<log_sum_exp, lanes>(totals + i, part, [&](total *few) HWY_ATTR { add_columns<count>(at, few); });
    }

    static void columns(const void *const *src, size_t count, size_t length, void *to) {
        const auto *rows = reinterpret_cast<const storage *const *>(src);
        auto *totals = static_cast<total *>(to);
        size_t r = 0;
        for (; r + 8 <= count; r += 8)
            add_rows_of_columns<8>(rows + r, length, totals);
        for (; r + 2 <= count; r += 2)
            add_rows_of_columns<2>(rows + r, length, totals);
        if (r < count) add_rows_of_columns<1>(rows + r, length, totals);
    }

    static bool finish(const void *totals, size_t count, int64_t /*elements*/, void *results) {
        const auto *from = static_cast<const total *>(totals);
        store_logarithms(count, static_cast<lane *>(results), [&](size_t i, double &shift, double &sum) {
            shift = from[i].max;
            sum = from[i].sum;
        });
        return false;
    }
};

/// What reductions of integers have in common whose totals take one element at a time.
template <class Way>
struct one_by_one {
    static void rows(const void *src, int64_t distance, size_t rows, size_t length, void *totals) {
        for (size_t r = 0; r < rows; ++r) {
            const char *first = static_cast<const char *>(src) + distance * static_cast<int64_t>(r);
            const auto *row = reinterpret_cast<const typename Way::element *>(first);
            for (size_t i = 0; i < length; ++i)
                Way::take(static_cast<typename Way::total *>(totals)[r], load_one(row + i));
        }
    }
    static void columns(const void *const *src, size_t count, size_t length, void *totals) {
        for (size_t r = 0; r < count; ++r) {
            const auto *row = static_cast<const typename Way::element *>(src[r]);
            for (size_t i = 0; i < length; ++i)
                Way::take(static_cast<typename Way::total *>(totals)[i], load_one(row + i));
        }
    }
    static bool finish(const void *totals, size_t count, int64_t /*elements*/, void *results) {
        for (size_t i = 0; i < count; ++i)
            store_one(Way::result(static_cast<const typename Way::total *>(totals)[i]),
                      static_cast<typename Way::element *>(results) + i);
        return false;
    }
    static reduction make() {
        return {sizeof(typename Way::total), clear_totals<Way>, rows, columns, combine_totals<Way>, finish, nullptr};
    }
};

/// The logarithm, in f64, of the exact sum.
template <typename T>
struct integer_log_sum {
    using element = T;
    __extension__ using total = __int128;
    static total identity_total() { return 0; }
    static void take(total &sum, T x) { sum += x; }
    static total add(total a, total b) { return a + b; }
    static T result(total sum) { return saturate<T>(std::log(static_cast<double>(sum))); }
};

/// The logarithm of the sum of exponentials, around the largest element, which stays an integer.
template <typename T>
struct integer_log_sum_exp {
    using element = T;
    struct total {
        T max;
        double sum;
    };
    static total identity_total() { return {std::numeric_limits<T>::lowest(), 0}; }
    /// exp(smaller - larger)
    static double ratio(T smaller, T larger) {
        const auto apart = static_cast<std::make_unsigned_t<T>>(larger) - static_cast<std::make_unsigned_t<T>>(smaller);
        return apart > 708 ? 0 : std::exp(-static_cast<double>(apart));
    }
    static void take(total &sum, T x) { sum = add(sum, {x, 1}); }
    static total add(const total &a, const total &b) {
        const total &larger = a.max >= b.max ? a : b;
        const total &smaller = a.max >= b.max ? b : a;
        return {larger.max, larger.sum + smaller.sum * ratio(smaller.max, larger.max)};
    }
    /// max + log(sum), truncated toward zero; the logarithm is not negative.
    static T result(const total &sum) {
        if (sum.sum == 0) return std::numeric_limits<T>::lowest();
        const double logarithm = std::log(sum.sum);
        const auto whole = static_cast<T>(logarithm); // of 2^63 elements: 43
        if (sum.max > std::numeric_limits<T>::max() - whole) return std::numeric_limits<T>::max();
        const T floor = static_cast<T>(sum.max + whole);
        const bool rounds_up = floor < 0 && static_cast<double>(whole) < logarithm;
        return static_cast<T>(floor + (rounds_up ? 1 : 0));
    }
};

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
