#include <algorithm>
#include <cmath>

#include "tests/driver/reference_format.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// What one output has gathered: the result, the result of the sources moved down and up by their errors, and the sum of
/// magnitudes that an accumulation error is relative to.
struct accumulation {
    long double value;
    long double low;
    long double high;
    long double lost = 0; // by the roundings of additions to value
    double magnitude = 0;
    long double shift = 0; // of exponentials: near the largest element, so that they neither overflow nor all vanish

    /// Adds to value so that it stays exact, however long the sum is (Neumaier).
    void add(long double x) {
        const long double sum = value + x;
        lost += std::abs(value) >= std::abs(x) ? value - sum + x : x - sum + value;
        value = sum;
    }
    /// Where nothing was lost, the value itself: it may be -0.
    long double total() const { return std::isfinite(value) && lost != 0 ? value + lost : value; }
};

/// `count` additions lose no more than this, in units of the type's rounding of the sum of magnitudes: in f32 a short row may
/// be added lane by lane in sequence, a long one must be added in trees; in f64 blocks must be added pairwise.
double accumulation_units(double count, impl::data_type type) {
    constexpr double longest_sequence = 1024;
    constexpr double units_of_sequence = 68;
    constexpr double units_of_trees = 4;
    constexpr double units_of_blocks = 16;
    if (type == onefold_f64) return std::min(count, units_of_blocks);
    return count <= longest_sequence ? std::min(count, units_of_sequence) : units_of_trees;
}

/// n-ary ops add everything in trees.
double nary_units(double count, impl::data_type type) { return std::min(count, type == onefold_f64 ? 16.0 : 4.0); }

/// How many elements made an output, and what adding them may have cost, in units of the sum of magnitudes.
struct output_length {
    double count;
    double units;
};

/// A kind of reduction: where it starts, how an element is taken in, what is made of it at the end, and its own error at
/// the end in units of one rounding.
struct reduction_row {
    impl::op_kind kind;
    double start;
    void (*take)(accumulation &sum, double x, double error);
    long double (*finish)(long double value, double count);
    double (*own_units)(const accumulation &sum, double value, const output_length &length);
    bool zero_signs;
};

void take_sum(accumulation &sum, double x, double error) {
    sum.add(x);
    sum.low += static_cast<long double>(x) - error;
    sum.high += static_cast<long double>(x) + error;
    sum.magnitude += std::abs(x) + error;
}

void take_magnitude(accumulation &sum, double x, double error) {
    const long double magnitude = std::abs(x);
    sum.add(magnitude);
    sum.low += std::max(magnitude - error, 0.0L);
    sum.high += magnitude + error;
    sum.magnitude = static_cast<double>(sum.high);
}

void take_square(accumulation &sum, double x, double error) {
    const long double magnitude = std::abs(x);
    const long double nearest = std::max(magnitude - error, 0.0L);
    sum.add(magnitude * magnitude);
    sum.low += nearest * nearest;
    sum.high += (magnitude + error) * (magnitude + error);
}

void take_exponential(accumulation &sum, double x, double error) {
    const long double distance = x - sum.shift;
    sum.add(std::exp(distance));
    sum.low += std::exp(distance - error);
    sum.high += std::exp(distance + error);
}

void take_product(accumulation &sum, double x, double error) {
    const long double grown = sum.high * (std::abs(static_cast<long double>(x)) + error);
    sum.value *= x;
    // The product of the magnitudes with their errors is farther from the product than any other mix of signs.
    sum.high = grown;
    sum.low = sum.value - (grown - std::abs(sum.value));
}

long double larger(long double a, long double b) {
    if (std::isnan(a) || std::isnan(b)) return std::nan("");
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}

void take_maximum(accumulation &sum, double x, double error) {
    sum.value = larger(sum.value, x);
    sum.low = larger(sum.low, x - error);
    sum.high = larger(sum.high, x + error);
}

void take_minimum(accumulation &sum, double x, double error) {
    sum.value = -larger(-sum.value, -x);
    sum.low = -larger(-sum.low, -(x - error));
    sum.high = -larger(-sum.high, -(x + error));
}

long double as_it_is(long double value, double) { return value; }
long double divide_by_count(long double value, double count) { return value / count; }
long double square_root(long double value, double) { return std::sqrt(value); }

long double logarithm(long double value, double) { return std::log(value); }

double units_of_sum(const accumulation &sum, double, const output_length &length) { return length.units * sum.magnitude; }

double units_of_mean(const accumulation &sum, double value, const output_length &length) {
    return length.units * sum.magnitude / length.count + std::abs(value);
}

/// The square of each element is rounded, then their sum.
double units_of_squares(const accumulation &, double value, const output_length &length) { return (length.units + 1) * value; }

/// The root halves that and is rounded itself.
double units_of_root(const accumulation &, double value, const output_length &length) {
    return ((length.units + 1) / 2 + 1) * value;
}

/// What a sum's own error makes of its logarithm; anything where the sum may be 0, or of any sign. The logarithm has 4 ulp.
double units_of_logarithm(const accumulation &sum, double value, const output_length &length) {
    if (std::isinf(value) && value > 0) return 0;
    const double relative = length.units * sum.magnitude / static_cast<double>(std::abs(sum.total()));
    if (std::isnan(relative) || relative > 0x1p20) return sum.magnitude == 0 ? 0 : INFINITY;
    return 2 * relative + 9 * std::abs(value);
}

/// Each exponential has 1 ulp, and what its argument lost by rounding; its logarithm 4 ulp; max and logarithm are added.
double units_of_log_sum_exp(const accumulation &sum, double value, const output_length &length) {
    if (std::isinf(value)) return 0;
    const double logarithm = std::abs(static_cast<double>(value - sum.shift));
    return std::min(length.units, 16.0) + 4 + 8 * logarithm + 2 * std::abs(value);
}

double units_of_product(const accumulation &, double value, const output_length &length) {
    return length.count * std::abs(value);
}

double no_units(const accumulation &, double, const output_length &) { return 0; }

// clang-format off
constexpr reduction_row rows[] = {
    {onefold_op_reduce_l1, 0, take_magnitude, as_it_is, units_of_sum, false},
    {onefold_op_reduce_l2, 0, take_square, square_root, units_of_root, false},
    {onefold_op_reduce_log_sum, 0, take_sum, logarithm, units_of_logarithm, false},
    {onefold_op_reduce_log_sum_exp, 0, take_exponential, logarithm, units_of_log_sum_exp, false},
    {onefold_op_reduce_max, -INFINITY, take_maximum, as_it_is, no_units, true},
    {onefold_op_reduce_mean, 0, take_sum, divide_by_count, units_of_mean, false},
    {onefold_op_reduce_min, INFINITY, take_minimum, as_it_is, no_units, true},
    {onefold_op_reduce_prod, 1, take_product, as_it_is, units_of_product, false},
    {onefold_op_reduce_sum, 0, take_sum, as_it_is, units_of_sum, false},
    {onefold_op_reduce_sum_square, 0, take_square, as_it_is, units_of_squares, false},
};
// clang-format on

const reduction_row *find_row(impl::op_kind kind) {
    const auto *found = std::find_if(std::begin(rows), std::end(rows), [&](const reduction_row &r) { return r.kind == kind; });
    return found == std::end(rows) ? nullptr : found;
}

void finish(const reduction_row &row, std::span<const accumulation> sums, const output_length &length, double unit,
            reference_tensor &dst) {
    for (const accumulation &sum : sums) {
        const auto result = [&](long double value) {
            const long double finished = row.finish(value, length.count);
            return static_cast<double>(sum.shift == 0 ? finished : finished + sum.shift);
        };
        const double value = result(sum.total());
        const double own = row.own_units(sum, value, length) * unit;
        double carried = 0;
        if (sum.low != sum.value || sum.high != sum.value) {
            carried = worse(deviation(value, result(sum.low)), deviation(value, result(sum.high)));
            if (row.kind == onefold_op_reduce_prod) carried = worse(0, static_cast<double>(sum.high - std::abs(sum.value)));
        }
        dst.value.push_back(value);
        dst.error.push_back(own == 0 || (std::isinf(value) && own != INFINITY) ? carried : carried + own);
    }
}

/// The largest element of each output, where it is finite.
void find_shifts(const reference_tensor &src, const reduction_shape &shape, std::vector<accumulation> &sums) {
    std::vector<double> largest(sums.size(), -INFINITY);
    walk(src.dims, shape.strides, shape.strides,
         [&](size_t i, size_t to, size_t) { largest[to] = std::max(largest[to], src.value[i]); });
    for (size_t i = 0; i < sums.size(); ++i)
        if (std::isfinite(largest[i])) sums[i].shift = largest[i];
}

/// Of booleans, the largest element is whether any is true, the smallest whether all are: of none, false and true.
void bound_to_boolean(reference_tensor &dst) {
    for (double &value : dst.value)
        value = std::clamp(value, 0.0, 1.0);
}

} // namespace

bool is_reduction(impl::op_kind kind) { return find_row(kind) != nullptr; }

reference_tensor compute_reduction(const impl::op &o, const reference_tensor &src, const std::vector<int64_t> &axes) {
    if (is_identity(o, axes)) return src;
    const reduction_row &row = *find_row(o.kind);
    const impl::data_type type = o.outputs[0].type;
    const reduction_shape shape = shape_of_reduction(o, src.dims, axes);
    std::vector<accumulation> sums(shape.outputs, accumulation{row.start, row.start, row.start});
    if (o.kind == onefold_op_reduce_log_sum_exp) find_shifts(src, shape, sums);
    const auto visit = [&](size_t i, size_t to, size_t) { row.take(sums[to], src.value[i], src.error[i]); };
    walk(src.dims, shape.strides, shape.strides, visit);
    reference_tensor dst;
    dst.dims = shape.dst;
    dst.zero_signs = row.zero_signs;
    const auto count = static_cast<double>(shape.count);
    finish(row, sums, {count, accumulation_units(count, type)}, unit_of(type), dst);
    if (type == onefold_boolean) bound_to_boolean(dst);
    return dst;
}

bool is_nary(impl::op_kind kind) {
    return kind == onefold_op_mean || kind == onefold_op_max || kind == onefold_op_min || kind == onefold_op_sum;
}

reference_tensor compute_nary(const impl::op &o, std::span<const reference_tensor *const> srcs) {
    const reduction_row &row = *find_row(reduction_of(o.kind));
    const impl::data_type type = o.outputs[0].type;
    reference_tensor dst;
    dst.dims = broadcast_dims(o, srcs);
    dst.zero_signs = row.zero_signs;
    const auto outputs = static_cast<size_t>(impl::element_count(dst.dims));
    std::vector<accumulation> sums(outputs, accumulation{row.start, row.start, row.start});
    for (const reference_tensor *src : srcs) {
        const impl::dims strides = broadcast_strides(src->dims, dst.dims);
        walk(dst.dims, strides, strides,
             [&](size_t to, size_t i, size_t) { row.take(sums[to], src->value[i], src->error[i]); });
    }
    const auto count = static_cast<double>(srcs.size());
    finish(row, sums, {count, nary_units(count, type)}, unit_of(type), dst);
    return dst;
}

} // namespace onefold::driver
