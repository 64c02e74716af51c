// From totals to results. Included once per ISA by the reductions.
#if defined(ONEFOLD_SIMD_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_SIMD_FINISH_INL_H
#undef ONEFOLD_SIMD_FINISH_INL_H
#else
#define ONEFOLD_SIMD_FINISH_INL_H
#endif

#include <cmath>

#include "simd/accumulate-inl.h"
#include "simd/careful_sum.hpp"

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

/// Extremes of floats of 16 bits as the floats that they are, or those in f32.
template <class Ordered, class Element, typename Result>
bool finish_ordered(const void *totals, size_t count, int64_t /*elements*/, void *results) {
    const lane_tag<Ordered> d;
    constexpr size_t lanes = hn::MaxLanes(lane_tag<Ordered>());
    const auto *total = static_cast<const int16_t *>(totals);
    auto *result = static_cast<Result *>(results);
    for (size_t i = 0; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        int16_t lane[lanes] = {};
        uint16_t value[lanes];
        std::memcpy(lane, total + i, part * sizeof(int16_t));
        store<Ordered>(d, hn::LoadU(d, lane), value);
        if constexpr (std::is_same_v<Result, uint16_t>)
            std::memcpy(static_cast<void *>(result + i), value, part * sizeof(Result));
        else {
            const lane_tag<Element> wide;
            Result wider[lanes];
            for (size_t k = 0; k < lanes; k += hn::MaxLanes(lane_tag<Element>()))
                hn::StoreU(load<Element>(wide, value + k), wide, wider + k);
            std::memcpy(static_cast<void *>(result + i), wider, part * sizeof(Result));
        }
    }
    return false;
}

/// Sums of f64, results of f32 or f64.
template <typename Result, outcome wanted, bool squares>
bool finish_float_sum(const void *totals, size_t count, int64_t elements, void *results) {
    constexpr double least = least_exact_square(std::is_same_v<Result, float> ? onefold_f32 : onefold_f64);
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
        if (squares) doubtful = hn::Or(doubtful, hn::And(hn::Gt(sum, hn::Zero(d)), hn::Lt(sum, hn::Set(d, least))));
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

/// Divides numbers below 2^50 by an integer. Their product with a reciprocal that was rounded up truncates right: what is
/// between a quotient and the next integer is more than the error.
class float_divider {
public:
    using tag = hn::ScalableTag<double>;
    explicit HWY_INLINE float_divider(int64_t divisor)
        : divisor_(hn::Set(tag(), static_cast<double>(divisor))),
          reciprocal_(hn::Set(tag(), std::nextafter(1 / static_cast<double>(divisor), 2.0))) {}

    /// The quotient when truncated.
    HWY_INLINE vector_of<tag> quotient_and_less_than_1(vector_of<tag> x) const { return hn::Mul(x, reciprocal_); }
    HWY_INLINE void divide_down(vector_of<tag> x, vector_of<tag> &quotient, vector_of<tag> &rest) const {
        const auto truncated = hn::Trunc(quotient_and_less_than_1(x));
        rest = hn::Sub(x, hn::Mul(truncated, divisor_));
        const auto is_below = hn::Lt(rest, hn::Zero(tag()));
        quotient = hn::Sub(truncated, hn::IfThenElseZero(is_below, hn::Set(tag(), 1)));
        rest = hn::Add(rest, hn::IfThenElseZero(is_below, divisor_));
    }

private:
    vector_of<tag> divisor_;
    vector_of<tag> reciprocal_;
};

/// Of sums of 64 bits.
template <typename Total, typename Result>
bool finish_integer_mean(const void *totals, size_t count, int64_t elements, void *results) {
    constexpr int64_t exact = int64_t{1} << 50;
    const hn::ScalableTag<int64_t> d;
    const hn::ScalableTag<double> as_f64;
    const hn::ScalableTag<uint64_t> as_u64;
    const hn::Rebind<std::make_unsigned_t<Result>, hn::ScalableTag<int64_t>> narrow;
    constexpr size_t lanes = hn::MaxLanes(hn::ScalableTag<int64_t>());
    if (elements == 0) elements = 1; // the mean of nothing is 0
    const float_divider by(elements);
    using unsigned_result = std::make_unsigned_t<Result>;
    const auto mean_of = [&](const Total *from, unsigned_result *to) HWY_ATTR {
        const auto sum = hn::LoadU(d, reinterpret_cast<const int64_t *>(from));
        const auto inside = hn::And(hn::Lt(sum, hn::Set(d, exact)), hn::Gt(sum, hn::Set(d, -exact)));
        if (HWY_UNLIKELY(!hn::AllTrue(d, inside))) {
            for (size_t k = 0; k < lanes; ++k)
                store_one(static_cast<unsigned_result>(from[k] / static_cast<Total>(elements)), to + k);
            return;
        }
        const auto mean = hn::BitCast(as_u64, hn::ConvertTo(d, by.quotient_and_less_than_1(hn::ConvertTo(as_f64, sum))));
        hn::StoreU(hn::TruncateTo(narrow, mean), narrow, to);
    };
    const auto *total = static_cast<const Total *>(totals);
    auto *result = static_cast<unsigned_result *>(results);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        mean_of(total + i, result + i);
    if (i == count) return false;
    Total few_totals[lanes] = {};
    unsigned_result few[lanes];
    std::copy_n(total + i, count - i, few_totals);
    mean_of(few_totals, few);
    copy_few<lanes>(few, result + i, count - i);
    return false;
}

__extension__ using wide_integer = __int128;
__extension__ using wide_unsigned = unsigned __int128;

/// Divides numbers of 64 bits by the same one, less than 2^63, without a division.
class divider {
public:
    explicit divider(uint64_t divisor) : divisor_(divisor), reciprocal_(UINT64_MAX / divisor) {}

    uint64_t quotient(uint64_t x, uint64_t &remainder) const {
        auto quotient = static_cast<uint64_t>(static_cast<wide_unsigned>(x) * reciprocal_ >> 64); // less by two at the most
        remainder = x - quotient * divisor_;
        for (; remainder >= divisor_; remainder -= divisor_)
            ++quotient;
        return quotient;
    }

private:
    uint64_t divisor_;
    uint64_t reciprocal_;
};

/// A mean of a sum that does not fit 64 bits; of 2^31 elements and more it is divided in 128 bits.
inline uint64_t mean_of_split(const split_total &total, int64_t elements, const divider &by) {
    const wide_integer sum = static_cast<wide_integer>(total.high) * (int64_t{1} << 32) + total.low;
    if (elements >= int64_t{1} << 31) return static_cast<uint64_t>(sum / elements);
    const auto magnitude = static_cast<wide_unsigned>(sum < 0 ? -sum : sum); // below 2^95
    uint64_t rest = 0;
    const uint64_t upper = by.quotient(static_cast<uint64_t>(magnitude >> 32), rest);
    const uint64_t lower = by.quotient(rest << 32 | (static_cast<uint64_t>(magnitude) & 0xFFFFFFFF), rest);
    const uint64_t mean = (upper << 32) + lower;
    return sum < 0 ? uint64_t{0} - mean : mean;
}

/// Means of up to 2^17 elements, in two digits of 2^32.
template <typename Result>
HWY_INLINE void mean_of_splits(const split_total *totals, const float_divider &by, Result *results) {
    const hn::ScalableTag<int64_t> d;
    const hn::ScalableTag<uint64_t> as_u64;
    const float_divider::tag as_f64;
    auto low = hn::Zero(as_u64);
    auto high = hn::Zero(as_u64);
    hn::LoadInterleaved2(as_u64, reinterpret_cast<const uint64_t *>(totals), low, high);
    const auto upper = hn::ConvertTo(as_f64, hn::BitCast(d, hn::Add(high, hn::ShiftRight<32>(low))));
    const auto digit = hn::ConvertTo(as_f64, hn::BitCast(d, hn::And(low, hn::Set(as_u64, 0xFFFFFFFF))));
    auto first = upper;
    auto rest = upper;
    by.divide_down(upper, first, rest);
    auto second = upper;
    by.divide_down(hn::Add(hn::Mul(rest, hn::Set(as_f64, 0x1p32)), digit), second, rest);
    // Rounded down so far; a negative mean is to be truncated.
    const auto rounds_up = hn::And(hn::Lt(upper, hn::Zero(as_f64)), hn::Gt(rest, hn::Zero(as_f64)));
    second = hn::Add(second, hn::IfThenElseZero(rounds_up, hn::Set(as_f64, 1)));
    const auto mean = hn::Add(hn::ShiftLeft<32>(hn::ConvertTo(d, first)), hn::ConvertTo(d, second));
    hn::StoreU(mean, d, reinterpret_cast<int64_t *>(results));
}

template <typename Result>
bool finish_split_mean(const void *totals, size_t count, int64_t elements, void *results) {
    const auto *total = static_cast<const split_total *>(totals);
    auto *result = static_cast<Result *>(results);
    if (elements == 0) elements = 1;
    size_t i = 0;
    if (elements <= int64_t{1} << 17) {
        constexpr size_t lanes = hn::MaxLanes(hn::ScalableTag<int64_t>());
        const float_divider by(elements);
        for (; i + lanes <= count; i += lanes)
            mean_of_splits(total + i, by, result + i);
    }
    const divider by(static_cast<uint64_t>(elements));
    for (; i < count; ++i)
        store_one(static_cast<Result>(mean_of_split(total[i], elements, by)), result + i);
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
