// From totals to results. Included once per ISA by the reductions.
#if defined(ONEFOLD_SIMD_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_FINISH_INL_H
#undef ONEFOLD_SIMD_FINISH_INL_H
#else
#define ONEFOLD_SIMD_FINISH_INL_H
#endif

#include <cmath>

#include "simd/accumulate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

enum class outcome { total, mean, root };

/// Totals that are results but for their type; integers wrap.
template <typename Total, typename Result>
bool finish_total(const void *totals, size_t count, int64_t /*elements*/, void *results) {
    const auto *total = static_cast<const Total *>(totals);
    auto *result = static_cast<Result *>(results);
    for (size_t i = 0; i < count; ++i)
        store_one(static_cast<Result>(total[i]), result + i);
    return false;
}

/// Sums of f64, results of f32 or f64.
template <typename Result, outcome wanted, bool squares>
bool finish_float_sum(const void *totals, size_t count, int64_t elements, void *results) {
    // Squares below this have lost bits, as subnormal numbers or as 0.
    constexpr double tiny = std::is_same_v<Result, float> ? 1e-30 : 1e-280;
    constexpr double highest = std::numeric_limits<double>::max();
    using vector = vector_of<hn::ScalableTag<double>>;
    const hn::ScalableTag<double> d;
    constexpr size_t lanes = hn::MaxLanes(hn::ScalableTag<double>());
    const auto number = hn::Set(d, static_cast<double>(elements));
    const auto fraction = hn::Set(d, 1 / static_cast<double>(elements)); // of 0 elements: 0 * inf = NaN
    const auto *total = static_cast<const double *>(totals);
    auto *result = static_cast<Result *>(results);
    auto doubtful = hn::FirstN(d, 0);
    const auto at = [&](vector sum) HWY_ATTR {
        doubtful = hn::Or(doubtful, hn::Not(hn::Le(hn::Abs(sum), hn::Set(d, highest))));
        if (squares) doubtful = hn::Or(doubtful, hn::Lt(sum, hn::Set(d, tiny)));
        if (wanted == outcome::mean) return std::is_same_v<Result, float> ? hn::Mul(sum, fraction) : hn::Div(sum, number);
        return wanted == outcome::root ? hn::Sqrt(sum) : sum;
    };
    const auto put = [&](vector value, Result *to) HWY_ATTR {
        if constexpr (std::is_same_v<Result, float>) {
            const hn::Rebind<float, hn::ScalableTag<double>> narrow;
            hn::StoreU(hn::DemoteTo(narrow, value), narrow, to);
        } else
            hn::StoreU(value, d, to);
    };
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        put(at(hn::LoadU(d, total + i)), result + i);
    if (i < count) {
        Result few[lanes];
        put(at(load_part<f64_element>(d, total + i, count - i, 1)), few);
        copy_few<lanes>(few, result + i, count - i);
    }
    return !hn::AllFalse(d, doubtful);
}

/// The quotient of integers of less than 2^53 rounds in f64 to one that truncates right: what is between it and the next
/// integer is more than the rounding.
template <typename Total>
inline Total quotient(Total total, int64_t elements) {
    return static_cast<Total>(static_cast<double>(total) / static_cast<double>(elements));
}

/// Sums of 64 bits.
template <typename Total, typename Result>
bool finish_integer_mean(const void *totals, size_t count, int64_t elements, void *results) {
    constexpr Total exact = static_cast<Total>(int64_t{1} << 53);
    const auto *total = static_cast<const Total *>(totals);
    auto *result = static_cast<Result *>(results);
    if (elements == 0) elements = 1; // the mean of nothing is 0
    bool large = false;
    for (size_t i = 0; i < count; ++i)
        large = large | (total[i] >= exact) | (std::is_signed_v<Total> && total[i] <= Total{0} - exact);
    if (large)
        for (size_t i = 0; i < count; ++i)
            store_one(static_cast<Result>(total[i] / static_cast<Total>(elements)), result + i);
    else
        for (size_t i = 0; i < count; ++i)
            store_one(static_cast<Result>(quotient(total[i], elements)), result + i);
    return false;
}

__extension__ using wide_integer = __int128;
__extension__ using wide_unsigned = unsigned __int128;

template <typename Result>
bool finish_split_mean(const void *totals, size_t count, int64_t elements, void *results) {
    const auto *total = static_cast<const split_total *>(totals);
    auto *result = static_cast<Result *>(results);
    if (elements == 0) elements = 1;
    for (size_t i = 0; i < count; ++i) {
        // The sum of the high halves of u64 has no sign; it reaches 2^63 no more than that of s64 does.
        const wide_integer sum = static_cast<wide_integer>(total[i].high) * (int64_t{1} << 32) + total[i].low;
        const auto short_sum = static_cast<int64_t>(sum);
        if (short_sum == sum)
            store_one(static_cast<Result>(short_sum / elements), result + i);
        else
            store_one(static_cast<Result>(sum / elements), result + i);
    }
    return false;
}

/// The square root, rounded down.
template <typename Total>
inline uint64_t integer_root(Total square) {
    const long double close = std::sqrt(static_cast<long double>(square));
    uint64_t root = close < 0x1p64L ? static_cast<uint64_t>(close) : UINT64_MAX;
    while (static_cast<wide_unsigned>(root) * root > square)
        --root;
    while (root < UINT64_MAX && static_cast<wide_unsigned>(root + 1) * (root + 1) <= square)
        ++root;
    return root;
}

template <typename Total, typename Result>
bool finish_integer_root(const void *totals, size_t count, int64_t /*elements*/, void *results) {
    const auto *total = static_cast<const Total *>(totals);
    auto *result = static_cast<Result *>(results);
    for (size_t i = 0; i < count; ++i)
        store_one(static_cast<Result>(integer_root(load_one(total + i))), result + i);
    return false;
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#endif
