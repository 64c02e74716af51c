#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/attributes.hpp"
#include "simd/isa.hpp"

namespace onefold::impl::simd {

// Tables of kernels. A kernel works on rows: runs of elements at a stride. Counts and strides are in elements, distances in
// bytes, and every address may be unaligned. Arithmetic is done in the arithmetic type of the elements' data type: see
// arithmetic_type().

/// Elements of one data type into its arithmetic type and back: floats rounded to nearest even, a NaN stays one.
struct conversion {
    void (*load)(const void *src, int64_t stride, void *dst, size_t count); // stride 0 repeats one element
    void (*store)(const void *src, void *dst, int64_t stride, size_t count);
};
conversion conversion_of(const isa &on, data_type type);

/// `count` elements side by side.
using cast_kernel = void (*)(const void *src, void *dst, size_t count);
/// A cast between types whose arithmetic types differ goes by way of a type that holds all values of the first: its arithmetic
/// type is widened to that, that is narrowed to the second type as it is in memory. Integers wrap. Floats are truncated to
/// integers; beyond the range they become its end, a NaN 0. Whatever becomes a float is rounded once, to nearest even. boolean:
/// what is not 0 is 1.
struct cast_kernels {
    cast_kernel widen;
    cast_kernel narrow;
};
cast_kernels cast_of(const isa &on, data_type from, data_type to);

/// dst may be src_0 or src_1; all are of the arithmetic type.
using binary_kernel = void (*)(const void *src_0, const void *src_1, void *dst, size_t count);
/// nullptr where there is none.
binary_kernel binary_of(const isa &on, op_kind op, data_type arithmetic);

/// dst may be src; both are of the arithmetic type. What alpha and beta are is the op's own; a NaN gives a NaN.
using unary_kernel = void (*)(const void *src, void *dst, size_t count, float alpha, float beta);
/// nullptr where there is none.
unary_kernel unary_of(const isa &on, op_kind op, const unary_attributes &attributes, data_type arithmetic);

/// One reduction of one data type, by way of totals, whose form is the reduction's own. Every function takes any counts.
struct reduction {
    size_t total_size = 0; // bytes; totals are aligned to 16
    /// Sets totals to those of no elements.
    void (*clear)(void *totals, size_t count) = nullptr;
    /// Adds each of `rows` rows of `length` elements, `distance` bytes apart, to one total.
    void (*rows)(const void *src, int64_t distance, size_t rows, size_t length, void *totals) = nullptr;
    /// Adds all rows to `length` totals.
    void (*columns)(const void *const *rows, size_t count, size_t length, void *totals) = nullptr;
    /// Adds others to totals.
    void (*combine)(void *totals, const void *others, size_t count) = nullptr;
    /// The results of totals over `elements` elements each. True if they hold f64 sums, and one of
    /// them is not finite or so near 0 that it may have lost bits on the way: it is to be computed again by other means.
    bool (*finish)(const void *totals, size_t count, int64_t elements, void *results) = nullptr;
    /// May be nullptr: the results of 1 to 8 rows' columns at once. True if a result is not finite: the way by totals is to be
    /// taken then.
    bool (*few_columns)(const void *const *rows, size_t count, size_t length, int64_t elements, void *results) = nullptr;
};
/// Room for a total of any reduction, and the rows that few_columns takes at the most.
inline constexpr int64_t largest_total = 32;
inline constexpr int64_t most_few = 8;

/// `op` is a reduction's kind. Results are in the arithmetic type; those of maxima and minima may be in the type itself.
/// total_size is 0 where there is none.
reduction reduction_of(const isa &on, op_kind op, data_type type, data_type results);

} // namespace onefold::impl::simd
