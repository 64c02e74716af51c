#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/attributes.hpp"

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
    /// dst may be src. What alpha and beta are is the op's own; a NaN gives a NaN.
    using unary = void (*)(const float *src, float *dst, size_t count, float alpha, float beta);
    /// Reduces rows of `length` elements that lie `row_stride` bytes apart, into totals that hold values already: the row form
    /// each row into one total, the column form all rows into `length` totals. f32 is added in trees of 8 vectors, those in
    /// f64; products are in f64; extremes are IEEE 754-2019's maximum and minimum (NaN wins, -0 < +0).
    using reduce = void (*)(const void *src, int64_t row_stride, size_t rows, size_t length, double *totals);

    load load_f32, load_bf16, load_f16;
    store store_f32, store_bf16, store_f16;
    binary add, subtract, multiply, divide, maximum, minimum, squared_difference;
    unary abs, clamp, elu, exp, gelu_erf, gelu_tanh, hard_sigmoid, hard_swish, leaky_relu, log, mish, reciprocal, relu, round,
        sigmoid, softplus, sqrt, square, tanh;

    struct reduction {
        reduce rows;
        reduce columns;
    };
    struct reductions {
        reduction sum, sum_of_magnitudes, sum_of_squares, product, maximum, minimum;
    };
    reductions of_f32, of_bf16, of_f16;
};

/// The kernels for the best ISA of this machine.
const row_kernels &kernels();

row_kernels::load load_of(const row_kernels &k, data_type type);
row_kernels::store store_of(const row_kernels &k, data_type type);
/// nullptr for another op.
row_kernels::binary binary_of(const row_kernels &k, op_kind op);
/// nullptr for an op without a kernel.
row_kernels::unary unary_of(const row_kernels &k, op_kind op, const unary_attributes &attributes);
const row_kernels::reductions &reductions_of(const row_kernels &k, data_type type);

} // namespace onefold::impl::simd
