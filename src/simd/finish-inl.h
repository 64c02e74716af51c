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

/// Sums of 64 bits. Below 2^50 the product with a reciprocal that was rounded up truncates right: what is between a quotient
/// and the next integer is more than the error.
template <typename Total, typename Result>
bool finish_integer_mean(const void *totals, size_t count, int64_t elements, void *results) {
    constexpr int64_t exact = int64_t{1} << 50;
    const hn::ScalableTag<int64_t> d;
    const hn::ScalableTag<double> as_f64;
    const hn::ScalableTag<uint64_t> as_u64;
    const hn::Rebind<std::make_unsigned_t<Result>, hn::ScalableTag<int64_t>> narrow;
    constexpr size_t lanes = hn::MaxLanes(hn::ScalableTag<int64_t>());
    if (elements == 0) elements = 1; // the mean of nothing is 0
    const auto reciprocal = hn::Set(as_f64, std::nextafter(1 / static_cast<double>(elements), 2.0));
    using unsigned_result = std::make_unsigned_t<Result>;
    const auto mean_of = [&](const Total *from, unsigned_result *to) HWY_ATTR {
        const auto sum = hn::LoadU(d, reinterpret_cast<const int64_t *>(from));
        const auto inside = hn::And(hn::Lt(sum, hn::Set(d, exact)), hn::Gt(sum, hn::Set(d, -exact)));
        if (HWY_UNLIKELY(!hn::AllTrue(d, inside))) {
            for (size_t k = 0; k < lanes; ++k)
                store_one(static_cast<unsigned_result>(from[k] / static_cast<Total>(elements)), to + k);
            return;
        }
        const auto mean = hn::BitCast(as_u64, hn::ConvertTo(d, hn::Mul(hn::ConvertTo(as_f64, sum), reciprocal)));
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

/// Of less than 2^31 elements; more are divided in 128 bits.
template <typename Result>
bool finish_split_mean(const void *totals, size_t count, int64_t elements, void *results) {
    const auto *total = static_cast<const split_total *>(totals);
    auto *result = static_cast<Result *>(results);
    if (elements == 0) elements = 1;
    const divider by(static_cast<uint64_t>(elements));
    for (size_t i = 0; i < count; ++i) {
        const wide_integer sum = static_cast<wide_integer>(total[i].high) * (int64_t{1} << 32) + total[i].low;
        if (elements >= int64_t{1} << 31) {
            store_one(static_cast<Result>(sum / elements), result + i);
            continue;
        }
        const auto magnitude = static_cast<wide_unsigned>(sum < 0 ? -sum : sum); // below 2^95
        uint64_t rest = 0;
        const uint64_t upper = by.quotient(static_cast<uint64_t>(magnitude >> 32), rest);
        const uint64_t lower = by.quotient(rest << 32 | (static_cast<uint64_t>(magnitude) & 0xFFFFFFFF), rest);
        const uint64_t mean = (upper << 32) + lower;
        store_one(static_cast<Result>(sum < 0 ? uint64_t{0} - mean : mean), result + i);
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
