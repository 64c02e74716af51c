#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/types.hpp"

namespace onefold::impl::simd {

/// The kernels of one ISA. A row is a run of elements at a stride; arithmetic is in f32, totals are in f64. Counts and strides
/// are in elements.
struct row_kernels {
    const char *isa; // Highway's name

    /// f32 out of f32, bf16 or f16; stride 0 repeats one element.
    using load = void (*)(const void *src, int64_t stride, float *dst, size_t count);
    /// f32 into f32, bf16 or f16, rounded to nearest even; a NaN stays one.
    using store = void (*)(const float *src, void *dst, int64_t stride, size_t count);
    /// dst may be src_0 or src_1.
    using binary = void (*)(const float *src_0, const float *src_1, float *dst, size_t count);
    /// One value out of a row: f32 added in trees of 8 vectors, those in f64; products in f64; extremes by IEEE 754-2019's
    /// maximum and minimum (NaN wins, -0 < +0).
    using reduce_row = double (*)(const float *src, size_t count);
    /// Up to 8 rows, element by element, into totals; by the same arithmetic.
    using reduce_columns = void (*)(const float *const *rows, size_t row_count, double *totals, size_t count);

    load load_f32, load_bf16, load_f16;
    store store_f32, store_bf16, store_f16;
    binary add, subtract, multiply, divide, maximum, minimum, squared_difference;

    struct reduction {
        reduce_row row;
        reduce_columns columns;
    };
    reduction sum, sum_of_magnitudes, sum_of_squares, product, maximum_of, minimum_of;
};

/// The kernels for the best ISA of this machine.
const row_kernels &kernels();

row_kernels::load load_of(const row_kernels &k, data_type type);
row_kernels::store store_of(const row_kernels &k, data_type type);

inline constexpr int64_t most_rows = 8; // of reduce_columns

} // namespace onefold::impl::simd
