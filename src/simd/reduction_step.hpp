#pragma once

#include <algorithm>
#include <string>

#include "runtime/step.hpp"
#include "simd/careful_sum.hpp"
#include "simd/fused_ops.hpp"

namespace onefold::impl::simd {

/// Elements that become one partial result where there are many: how work is split depends on this and on sizes alone.
inline constexpr int64_t block_size = 64 * 1024;

/// What reductions of rows and of columns share. The innermost loop dim is a row that is reduced, or columns that are kept;
/// the others make two nests.
class reduction_step : public step {
public:
    std::string name() const override { return name_; }

protected:
    /// `epilogue_dim` is the loop dim along which results lie side by side.
    reduction_step(const computation &c, const isa &on, std::string_view family, size_t epilogue_dim);

    /// `count` elements (at most a tile) from `begin` on along the innermost dim, as reduce_ reads them.
    const std::byte *elements(buffer_list buffers, const position &where, int64_t begin, int64_t count, std::byte *room) const;

    /// Turns totals into results, applies the post-ops and stores them: `count` from `begin` on, along the dim of results.
    void write(const std::byte *totals, int64_t begin, int64_t count, buffer_list buffers, const odometer &kept) const;

    /// The results of `rows` rows (8 at most) of columns that are read where they are, applied and stored likewise. False if
    /// it is to be done by way of totals.
    bool try_write_few(const void *const *src, int64_t rows, int64_t begin, int64_t count, buffer_list buffers,
                       const odometer &kept) const;

    /// The sum for one result, in place of a doubtful total: over everything that is reduced into it.
    virtual double compute_carefully(buffer_list buffers, const odometer &kept, int64_t which) const = 0;

    /// Adds elements as elements() gives them.
    void add_carefully(buffer_list buffers, const position &where, int64_t begin, int64_t count, careful_sum &sum) const;

    std::byte *total_at(std::byte *totals, int64_t i) const { return totals + i * total_size_; }
    const std::byte *total_at(const std::byte *totals, int64_t i) const { return totals + i * total_size_; }

    /// Combines `blocks` runs of `count` totals, `distance` totals apart, into the first: in pairs, those in pairs, ...
    void combine_blocks(std::byte *totals, int64_t blocks, int64_t distance, int64_t count) const;

    static constexpr size_t src_number = 0;

    const op_kind op_;
    const data_type arithmetic_;
    nest kept_;             // without the innermost dim
    nest reduced_;          // likewise
    const int64_t length_;  // of the innermost dim
    const operand_row src_; // along it
    const fused_ops prologue_;
    const bool reads_memory_; // rows as they are, not tiles that were made from them
    const reduction reduce_;
    const int64_t total_size_;
    const int64_t longest_sequence_; // of additions to a total, one after the other

private:
    /// Calls make(i, part, results), which is true if it could, for tiles of `count` results.
    template <typename Make>
    bool store_results(int64_t begin, int64_t count, buffer_list buffers, const odometer &kept, const Make &make) const;

    const std::byte *arithmetic_elements(buffer_list buffers, const position &where, int64_t begin, int64_t count,
                                         std::byte *room) const;

    std::string name_;
    operand_row dst_; // along the dim on which results lie
    fused_ops epilogue_;
    int64_t elements_a_result_;
};

} // namespace onefold::impl::simd
