#include <algorithm>
#include <cmath>

#include "graph/error.hpp"
#include "tests/driver/reference_format.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// What one output has gathered: the result, the result of the sources moved down and up by their errors, and the sum of
/// magnitudes that an accumulation error is relative to.
struct accumulation {
    double value;
    double low;
    double high;
    double magnitude = 0;
};

/// The elements of `count` f32 additions lose no more than this, in units of 2^-24 of the sum of magnitudes: a short row may
/// be added lane by lane in sequence, a long one must be added in trees.
double accumulation_units(double count) {
    constexpr double longest_sequence = 1024;
    constexpr double units_of_sequence = 68;
    constexpr double units_of_trees = 4;
    return count <= longest_sequence ? std::min(count, units_of_sequence) : units_of_trees;
}

/// A kind of reduction: where it starts, how an element is taken in, what is made of it at the end, and its own error at
/// the end in units of 2^-24.
struct reduction_row {
    impl::op_kind kind;
    double start;
    void (*take)(accumulation &sum, double x, double error);
    double (*finish)(double value, double count);
    double (*own_units)(const accumulation &sum, double value, double count);
    bool zero_signs;
};

void take_sum(accumulation &sum, double x, double error) {
    sum.value += x;
    sum.low += x - error;
    sum.high += x + error;
    sum.magnitude += std::abs(x) + error;
}

void take_magnitude(accumulation &sum, double x, double error) {
    sum.value += std::abs(x);
    sum.low += std::max(std::abs(x) - error, 0.0);
    sum.high += std::abs(x) + error;
    sum.magnitude = sum.high;
}

void take_square(accumulation &sum, double x, double error) {
    const double nearest = std::max(std::abs(x) - error, 0.0);
    sum.value += x * x;
    sum.low += nearest * nearest;
    sum.high += (std::abs(x) + error) * (std::abs(x) + error);
}

void take_product(accumulation &sum, double x, double error) {
    const double grown = sum.high * (std::abs(x) + error);
    sum.value *= x;
    // The product of the magnitudes with their errors is farther from the product than any other mix of signs.
    sum.high = grown;
    sum.low = sum.value - (grown - std::abs(sum.value));
}

double larger(double a, double b) {
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

double as_it_is(double value, double) { return value; }
double divide_by_count(double value, double count) { return value / count; }
double square_root(double value, double) { return std::sqrt(value); }

double units_of_sum(const accumulation &sum, double, double count) { return accumulation_units(count) * sum.magnitude; }

double units_of_mean(const accumulation &sum, double value, double count) {
    return accumulation_units(count) * sum.magnitude / count + std::abs(value);
}

/// The square of each element is rounded, then their sum; the root halves that and is rounded itself.
double units_of_root(const accumulation &, double value, double count) {
    return ((accumulation_units(count) + 1) / 2 + 1) * value;
}

double units_of_product(const accumulation &, double value, double count) { return count * std::abs(value); }

double no_units(const accumulation &, double, double) { return 0; }

// clang-format off
constexpr reduction_row rows[] = {
    {onefold_op_reduce_l1, 0, take_magnitude, as_it_is, units_of_sum, false},
    {onefold_op_reduce_l2, 0, take_square, square_root, units_of_root, false},
    {onefold_op_reduce_max, -INFINITY, take_maximum, as_it_is, no_units, true},
    {onefold_op_reduce_mean, 0, take_sum, divide_by_count, units_of_mean, false},
    {onefold_op_reduce_min, INFINITY, take_minimum, as_it_is, no_units, true},
    {onefold_op_reduce_prod, 1, take_product, as_it_is, units_of_product, false},
    {onefold_op_reduce_sum, 0, take_sum, as_it_is, units_of_sum, false},
};
// clang-format on

const reduction_row *find_row(impl::op_kind kind) {
    const auto *found = std::find_if(std::begin(rows), std::end(rows), [&](const reduction_row &r) { return r.kind == kind; });
    return found == std::end(rows) ? nullptr : found;
}

std::vector<bool> reduced_dims(const impl::op &o, size_t rank, const std::vector<int64_t> &axes) {
    std::vector<bool> reduced(rank, false);
    for (const int64_t axis : axes) {
        const int64_t from_front = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
        if (from_front < 0 || from_front >= static_cast<int64_t>(rank) || reduced[static_cast<size_t>(from_front)])
            impl::fail(onefold_invalid_arguments, "reference: {}: axis {} at rank {}", impl::to_string(o), axis, rank);
        reduced[static_cast<size_t>(from_front)] = true;
    }
    return reduced;
}

/// The output's dims with each reduced dim as 1, and the strides by which the source's elements find their output.
impl::dims output_strides(const impl::dims &src, const std::vector<bool> &reduced) {
    impl::dims strides(src.size());
    int64_t stride = 1;
    for (size_t i = src.size(); i-- > 0;) {
        strides[i] = reduced[i] ? 0 : stride;
        if (!reduced[i]) stride *= src[i];
    }
    return strides;
}

void finish(const reduction_row &row, std::span<const accumulation> sums, double count, reference_tensor &dst) {
    for (const accumulation &sum : sums) {
        const double value = row.finish(sum.value, count);
        const double own = row.own_units(sum, value, count) * f32_unit;
        double carried = 0;
        if (sum.low != sum.value || sum.high != sum.value) {
            carried = worse(deviation(value, row.finish(sum.low, count)), deviation(value, row.finish(sum.high, count)));
            if (row.kind == onefold_op_reduce_prod) carried = worse(0, sum.high - std::abs(sum.value));
        }
        dst.value.push_back(value);
        dst.error.push_back(own == 0 || std::isinf(value) ? carried : carried + own);
    }
}

} // namespace

bool is_reduction(impl::op_kind kind) { return find_row(kind) != nullptr; }

reference_tensor compute_reduction(const impl::op &o, const reference_tensor &src, const std::vector<int64_t> &axes) {
    if (axes.empty()) return src;
    const reduction_row &row = *find_row(o.kind);
    const std::vector<bool> reduced = reduced_dims(o, src.dims.size(), axes);
    reference_tensor dst;
    dst.zero_signs = row.zero_signs;
    size_t outputs = 1;
    double count = 1;
    for (size_t i = 0; i < src.dims.size(); ++i) {
        if (reduced[i]) {
            count *= static_cast<double>(src.dims[i]);
            if (attribute_or(o, onefold_op_attr_keep_dims, false)) dst.dims.push_back(1);
        } else {
            outputs *= static_cast<size_t>(src.dims[i]);
            dst.dims.push_back(src.dims[i]);
        }
    }
    std::vector<accumulation> sums(outputs, accumulation{row.start, row.start, row.start});
    const impl::dims strides = output_strides(src.dims, reduced);
    walk(src.dims, strides, strides, [&](size_t i, size_t to, size_t) { row.take(sums[to], src.value[i], src.error[i]); });
    finish(row, sums, count, dst);
    return dst;
}

} // namespace onefold::driver
