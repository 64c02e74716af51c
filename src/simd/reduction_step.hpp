#pragma once

#include <algorithm>

#include "compile/computation.hpp"
#include "runtime/step.hpp"
#include "simd/nest.hpp"
#include "simd/rows.hpp"

namespace onefold::impl::simd {

/// Elements that become one partial result where there are many: how work is split depends on this and on sizes alone.
inline constexpr int64_t block_size = 64 * 1024;

/// The space of a reduction taken apart: rows or columns innermost, and the dims around them. Strides of nests are in bytes.
struct reduction_nest {
    nest<2> kept;       // src, dst; without the columns
    nest<1> reduced;    // src; without the rows
    int64_t length;     // of a row, or the number of columns
    int64_t src_stride; // along them, in elements
    int64_t dst_stride; // along columns, in elements
};

/// What reductions of rows and of columns share.
class reduction_step : public step {
protected:
    explicit reduction_step(const computation &c);

    double identity() const { return identity_; }
    double combine(double a, double b) const;

    /// Rounds a total over `count` elements to the result. Where the fast path overflowed or nearly vanished on the way,
    /// `again` computes the total in f64 alone.
    template <typename Again>
    float finish(double total, int64_t count, const Again &again) const {
        if (needs_care(total)) total = again();
        return round(total, count);
    }

    /// The total over `length` elements at each index of the reduced dims, one by one in f64.
    double total_in_f64(const std::byte *src, int64_t length, int64_t stride) const;

    /// The reduced dims' indices from `begin` to `end`, in runs of rows at one distance: run(first row, rows, distance).
    template <typename Run>
    void for_each_run(const std::byte *src, int64_t begin, int64_t end, const Run &run) const {
        const int64_t inner = nest_.reduced.sizes.empty() ? 1 : nest_.reduced.sizes.back();
        const int64_t distance = nest_.reduced.sizes.empty() ? 0 : nest_.reduced.strides[0].back();
        for (int64_t row = begin; row < end;) {
            const int64_t rows = std::min(end - row, inner - row % inner);
            run(src + odometer<1>(nest_.reduced, row).offsets[0], rows, distance);
            row += rows;
        }
    }

    const row_kernels &kernels_;
    reduction_nest nest_;
    size_t src_, dst_;            // buffers
    int64_t src_size_, dst_size_; // of an element
    row_kernels::load load_;
    row_kernels::store store_;
    row_kernels::reduction reduce_;     // of elements as they are in memory
    row_kernels::reduction reduce_f32_; // of elements converted before
    int64_t reduced_count_;             // indices of the reduced dims

private:
    bool needs_care(double total) const;
    float round(double total, int64_t count) const;

    op_kind op_;
    double identity_;
};

} // namespace onefold::impl::simd
