#include <algorithm>
#include <cmath>
#include <optional>

#include "graph/error.hpp"
#include "tests/driver/reference_ops.hpp"

// Integers are exact: everything is computed in 128 bits, or modulo 2^128, and wrapped to the type at the end.
namespace onefold::driver {

namespace {

wide_integer add(wide_integer a, wide_integer b) {
    return static_cast<wide_integer>(static_cast<wide_bits>(a) + static_cast<wide_bits>(b));
}
wide_integer multiply(wide_integer a, wide_integer b) {
    return static_cast<wide_integer>(static_cast<wide_bits>(a) * static_cast<wide_bits>(b));
}
wide_integer magnitude_of(wide_integer a) { return a < 0 ? -a : a; }

struct binary_row {
    impl::op_kind kind;
    wide_integer (*f)(wide_integer a, wide_integer b);
};

// clang-format off
constexpr binary_row binary_rows[] = {
    {onefold_op_add, add},
    {onefold_op_divide, [](wide_integer a, wide_integer b) { return b == 0 ? 0 : a / b; }},
    {onefold_op_maximum, [](wide_integer a, wide_integer b) { return std::max(a, b); }},
    {onefold_op_minimum, [](wide_integer a, wide_integer b) { return std::min(a, b); }},
    {onefold_op_multiply, multiply},
    {onefold_op_squared_difference, [](wide_integer a, wide_integer b) { return multiply(a - b, a - b); }},
    {onefold_op_subtract, [](wide_integer a, wide_integer b) { return a - b; }},
};
// clang-format on

/// A number that was computed in f64, as an integer of the type: truncated toward zero, the type's end beyond its range.
wide_integer from_f64(double x, impl::data_type type) {
    if (std::isnan(x)) return 0;
    if (x <= static_cast<double>(lowest_integer(type))) return lowest_integer(type);
    if (x >= static_cast<double>(highest_integer(type))) return highest_integer(type);
    return static_cast<wide_integer>(x);
}

/// To the whole numbers between the bounds; where there is none, the upper one.
wide_integer clamp(const impl::op &o, wide_integer x) {
    const impl::data_type type = o.outputs[0].type;
    const auto least = from_f64(std::ceil(attribute_or(o, onefold_op_attr_min, 0.0F)), type);
    const auto most = from_f64(std::floor(attribute_or(o, onefold_op_attr_max, 0.0F)), type);
    return std::min(std::max(x, least), most);
}

wide_integer pow(const impl::op &o, wide_integer x) {
    const double exponent = attribute_or(o, onefold_op_attr_beta, 0.0F);
    if (exponent < 0 || exponent != std::floor(exponent))
        return from_f64(std::pow(static_cast<double>(x), exponent), o.outputs[0].type);
    wide_integer power = 1;
    for (double k = 0; k < exponent; ++k)
        power = multiply(power, x);
    return power;
}

struct unary_row {
    impl::op_kind kind;
    wide_integer (*f)(const impl::op &o, wide_integer x);
};

// clang-format off
constexpr unary_row unary_rows[] = {
    {onefold_op_abs, [](const impl::op &, wide_integer x) { return magnitude_of(x); }},
    {onefold_op_clamp, clamp},
    {onefold_op_neg, [](const impl::op &, wide_integer x) { return -x; }},
    {onefold_op_pow, pow},
    {onefold_op_relu, [](const impl::op &, wide_integer x) { return std::max<wide_integer>(x, 0); }},
    {onefold_op_reorder, [](const impl::op &, wide_integer x) { return x; }},
    {onefold_op_square, [](const impl::op &, wide_integer x) { return multiply(x, x); }},
};
// clang-format on

/// An exact sum of squares of 64-bit integers: 192 bits.
struct square_sum {
    wide_bits low = 0;
    uint64_t high = 0;

    void add(wide_bits x) {
        low += x;
        if (low < x) ++high;
    }
    bool operator<=(const square_sum &other) const { return high != other.high ? high < other.high : low <= other.low; }
};

/// The square of a number of at most 96 bits.
square_sum square_of(wide_bits root) {
    const wide_bits high = root >> 64;
    const wide_bits low = static_cast<uint64_t>(root);
    const wide_bits middle = 2 * high * low;
    square_sum square{low * low, static_cast<uint64_t>(high * high + (middle >> 64))};
    square.add(middle << 64);
    return square;
}

/// The largest number whose square is no larger.
wide_bits root_of(const square_sum &sum) {
    wide_bits root = 0;
    for (int bit = 95; bit >= 0; --bit) {
        const wide_bits larger = root | wide_bits{1} << bit;
        if (square_of(larger) <= sum) root = larger;
    }
    return root;
}

/// What one output has gathered.
struct accumulation {
    wide_integer value = 0;
    square_sum squares;
    bool is_known = true;
    std::vector<wide_integer> elements = {}; // only of a reduction that needs them all at its end
};

struct reduction_row {
    impl::op_kind kind;
    wide_integer (*start)(impl::data_type type);
    void (*take)(accumulation &sum, wide_integer x);
    /// Nothing where it may be one of two.
    std::optional<wide_integer> (*finish)(const accumulation &sum, int64_t count, impl::data_type type);
};

wide_integer zero(impl::data_type) { return 0; }
wide_integer one(impl::data_type) { return 1; }

using result = std::optional<wide_integer>;

result as_it_is(const accumulation &sum, int64_t, impl::data_type) { return sum.value; }
result mean(const accumulation &sum, int64_t count, impl::data_type) { return count == 0 ? 0 : sum.value / count; }
result root(const accumulation &sum, int64_t, impl::data_type) { return static_cast<wide_integer>(root_of(sum.squares)); }
result logarithm(const accumulation &sum, int64_t, impl::data_type type) {
    return from_f64(std::log(static_cast<double>(sum.value)), type);
}

/// integer + rest, truncated toward zero; the rest is not negative.
wide_integer truncated_sum(wide_integer integer, long double rest) {
    const auto whole = static_cast<wide_integer>(rest);
    const bool has_fraction = rest > static_cast<long double>(whole);
    return integer + whole + (integer + whole < 0 && has_fraction ? 1 : 0);
}

/// max + log(the sum of exp(x - max)); max stays an integer. How near to an integer the logarithm is, f64 may not tell.
result log_sum_exp(const accumulation &sum, int64_t, impl::data_type type) {
    if (sum.elements.empty()) return lowest_integer(type);
    const wide_integer max = *std::max_element(sum.elements.begin(), sum.elements.end());
    long double exponentials = 0;
    for (const wide_integer x : sum.elements)
        exponentials += std::exp(static_cast<long double>(x - max));
    const long double rest = std::log(exponentials);
    constexpr long double margin = 1e-9L;
    const bool is_clear = rest == 0 || truncated_sum(max, std::max(rest - margin, 0.0L)) == truncated_sum(max, rest + margin);
    return is_clear ? result(std::min(truncated_sum(max, rest), highest_integer(type))) : std::nullopt;
}

void take_sum(accumulation &sum, wide_integer x) { sum.value = add(sum.value, x); }
void take_magnitude(accumulation &sum, wide_integer x) { sum.value = add(sum.value, magnitude_of(x)); }
void take_square(accumulation &sum, wide_integer x) { sum.value = add(sum.value, multiply(x, x)); }
void take_product(accumulation &sum, wide_integer x) { sum.value = multiply(sum.value, x); }
void take_maximum(accumulation &sum, wide_integer x) { sum.value = std::max(sum.value, x); }
void take_minimum(accumulation &sum, wide_integer x) { sum.value = std::min(sum.value, x); }
void take_element(accumulation &sum, wide_integer x) { sum.elements.push_back(x); }
void take_exact_square(accumulation &sum, wide_integer x) {
    const auto magnitude = static_cast<wide_bits>(magnitude_of(x));
    sum.squares.add(magnitude * magnitude);
}

// clang-format off
constexpr reduction_row reduction_rows[] = {
    {onefold_op_reduce_l1, zero, take_magnitude, as_it_is},
    {onefold_op_reduce_l2, zero, take_exact_square, root},
    {onefold_op_reduce_log_sum, zero, take_sum, logarithm},
    {onefold_op_reduce_log_sum_exp, zero, take_element, log_sum_exp},
    {onefold_op_reduce_max, lowest_integer, take_maximum, as_it_is},
    {onefold_op_reduce_mean, zero, take_sum, mean},
    {onefold_op_reduce_min, highest_integer, take_minimum, as_it_is},
    {onefold_op_reduce_prod, one, take_product, as_it_is},
    {onefold_op_reduce_sum, zero, take_sum, as_it_is},
    {onefold_op_reduce_sum_square, zero, take_square, as_it_is},
};
// clang-format on

template <typename Row, size_t Count>
const Row &find_row(const Row (&rows)[Count], const impl::op &o, impl::op_kind kind) {
    const auto *found = std::find_if(std::begin(rows), std::end(rows), [&](const Row &r) { return r.kind == kind; });
    if (found == std::end(rows)) impl::fail(onefold_unimplemented, "reference: {} has none for integers", impl::to_string(o));
    return *found;
}

reference_tensor integer_unary(const impl::op &o, const reference_tensor &src) {
    const unary_row &row = find_row(unary_rows, o, o.kind);
    reference_tensor dst = src;
    for (wide_integer &x : dst.integer)
        x = wrap_to(o.outputs[0].type, row.f(o, x));
    return dst;
}

reference_tensor integer_binary(const impl::op &o, std::span<const reference_tensor *const> srcs) {
    const binary_row &row = find_row(binary_rows, o, o.kind);
    reference_tensor dst;
    dst.dims = broadcast_dims(o, srcs);
    const auto visit = [&](size_t, size_t i, size_t k) {
        const wide_integer a = srcs[0]->integer[i];
        const wide_integer b = srcs[1]->integer[k];
        const bool is_anything = o.kind == onefold_op_divide && b == 0;
        dst.integer.push_back(wrap_to(o.outputs[0].type, row.f(a, b)));
        dst.error.push_back(is_anything ? INFINITY : std::max(srcs[0]->error[i], srcs[1]->error[k]));
    };
    walk(dst.dims, broadcast_strides(srcs[0]->dims, dst.dims), broadcast_strides(srcs[1]->dims, dst.dims), visit);
    return dst;
}

void take(const reduction_row &row, accumulation &sum, const reference_tensor &src, size_t i) {
    row.take(sum, src.integer[i]);
    sum.is_known = sum.is_known && src.error[i] == 0;
}

void finish(const reduction_row &row, std::span<const accumulation> sums, int64_t count, impl::data_type type,
            reference_tensor &dst) {
    for (const accumulation &sum : sums) {
        const result finished = row.finish(sum, count, type);
        dst.integer.push_back(wrap_to(type, finished.value_or(0)));
        dst.error.push_back(sum.is_known && finished ? 0 : INFINITY);
    }
}

reference_tensor integer_reduction(const impl::op &o, const reference_tensor &src, const std::vector<int64_t> &axes) {
    if (is_identity(o, axes)) return src;
    const reduction_row &row = find_row(reduction_rows, o, o.kind);
    const reduction_shape shape = shape_of_reduction(o, src.dims, axes);
    std::vector<accumulation> sums(shape.outputs, accumulation{row.start(o.outputs[0].type), {}, true});
    walk(src.dims, shape.strides, shape.strides, [&](size_t i, size_t to, size_t) { take(row, sums[to], src, i); });
    reference_tensor dst;
    dst.dims = shape.dst;
    finish(row, sums, shape.count, o.outputs[0].type, dst);
    return dst;
}

reference_tensor integer_nary(const impl::op &o, std::span<const reference_tensor *const> srcs) {
    const reduction_row &row = find_row(reduction_rows, o, reduction_of(o.kind));
    reference_tensor dst;
    dst.dims = broadcast_dims(o, srcs);
    const auto outputs = static_cast<size_t>(impl::element_count(dst.dims));
    std::vector<accumulation> sums(outputs, accumulation{row.start(o.outputs[0].type), {}, true});
    for (const reference_tensor *src : srcs) {
        const impl::dims strides = broadcast_strides(src->dims, dst.dims);
        walk(dst.dims, strides, strides, [&](size_t to, size_t i, size_t) { take(row, sums[to], *src, i); });
    }
    finish(row, sums, static_cast<int64_t>(srcs.size()), o.outputs[0].type, dst);
    return dst;
}

} // namespace

reference_tensor compute_integers(const impl::op &o, std::span<const reference_tensor *const> srcs,
                                  const std::vector<int64_t> &axes) {
    if (is_reduction(o.kind)) return integer_reduction(o, *srcs[0], axes);
    if (is_unary(o.kind)) return integer_unary(o, *srcs[0]);
    return is_nary(o.kind) ? integer_nary(o, srcs) : integer_binary(o, srcs);
}

} // namespace onefold::driver
