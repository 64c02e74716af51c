#pragma once

#include <algorithm>

#include "compile/computation.hpp"
#include "runtime/step.hpp"
#include "simd/epilogue.hpp"

namespace onefold::impl::simd {

/// Elements that become one partial result where there are many: how work is split depends on this and on sizes alone.
inline constexpr int64_t block_size = 64 * 1024;

/// What reductions of rows and of columns share. The innermost loop dim is a row that is reduced, or columns that are kept;
/// the others make two nests.
class reduction_step : public step {
protected:
    /// `epilogue_dim` is the loop dim along which results lie side by side.
    reduction_step(const computation &c, size_t epilogue_dim);

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
        const bool has_dims = !reduced_.sizes.empty();
        const int64_t inner = has_dims ? reduced_.sizes.back() : 1;
        const int64_t distance = has_dims ? reduced_.strides[0].back() : 0;
        for (int64_t row = begin; row < end;) {
            const int64_t rows = std::min(end - row, inner - row % inner);
            run(src + odometer(reduced_, row).offsets[0], rows, distance);
            row += rows;
        }
    }

    /// Applies the post-ops to `count` results from `begin` on of the row of results at `offsets`, and stores them.
    void store_results(float *results, int64_t count, std::span<std::byte *const> buffers, const operand_offsets &offsets,
                       int64_t begin) const;

    static constexpr size_t src_operand = 0; // in kept_
    static constexpr size_t dst_operand = 1;

    const row_kernels &kernels_;
    nest kept_;                         // src, dst, the post-ops' operands; without the innermost dim
    nest reduced_;                      // src; likewise
    int64_t length_;                    // of the innermost dim
    row_operand src_;                   // along it
    row_operand dst_;                   // along the dim on which results lie
    row_kernels::reduction reduce_;     // of elements as they are in memory
    row_kernels::reduction reduce_f32_; // of elements converted before
    int64_t reduced_count_;             // indices of the reduced dims

private:
    bool needs_care(double total) const;
    float round(double total, int64_t count) const;

    op_kind op_;
    double identity_;
    row_kernels::store store_;
    epilogue epilogue_;
};

} // namespace onefold::impl::simd
