#include "compile/loop_space.hpp"
#include "simd/parallel.hpp"
#include "simd/reduction.hpp"
#include "simd/reduction_step.hpp"

namespace onefold::impl::simd {

namespace {

constexpr int64_t widest = 64;          // columns
constexpr int64_t most_rows = 256;      // whose sums may be added one after the other in f64 too
constexpr int64_t largest_block = 4096; // elements that become one row of results
constexpr int64_t totals_at_once = 1024;

/// The innermost kept dim but for the columns; the rank where there is none.
size_t batch_dim(const loop_space &space) {
    for (size_t d = space.rank() - 1; d-- > 0;)
        if (!space.reduced[d]) return d;
    return space.rank();
}

/// Work is split into batches of blocks along a kept dim. A block is few rows of few columns; its results lie behind those of
/// the block before.
class reduce_narrow_step : public reduction_step {
public:
    reduce_narrow_step(const computation &c, const isa &on)
        : reduction_step(c, on, "reduce_narrow", c.space.rank() - 1),
          whole_kept_(kept_),
          blocks_(kept_.sizes.back()),
          distance_(kept_.strides[src_number].back()) {
        kept_.remove_innermost();
        odometer at(reduced_, 0);
        for (int64_t row = 0; row < reduced_.count(); ++row, at.next())
            offsets_.push_back(at.offset(src_number));
        overlaps_ = is_dense() && is_tiny();
        batch_ = std::clamp<int64_t>(totals_at_once / (overlaps_ ? block_size() : length_), 1, blocks_);
    }

    size_t scratch_bytes() const override { return 0; }

    void run(buffer_list buffers, std::byte *, const executor &threads) const override {
        for_each_part(threads, kept_, blocks_, batch_, batch_ * block_size(),
                      [&](const odometer &at, int64_t first, int64_t count) { reduce_batch(buffers, at, first, count); });
    }

private:
    int64_t row_count() const { return static_cast<int64_t>(offsets_.size()); }
    int64_t block_size() const { return row_count() * length_; } // in elements

    bool is_dense() const {
        return offsets_.back() == (row_count() - 1) * length_ * src_.size && distance_ == block_size() * src_.size;
    }
    /// True if adding the rows at every element costs less than going from block to block.
    bool is_tiny() const {
        constexpr int64_t a_block = 100;
        return block_size() * (row_count() + 4) < 8 * a_block;
    }

    void reduce_batch(buffer_list buffers, const odometer &kept, int64_t first, int64_t count) const {
        alignas(64) std::byte totals[totals_at_once * largest_total];
        reduce_.clear(totals, static_cast<size_t>(count * length_));
        const std::byte *block = src_.at(buffers, position(kept), 0) + first * distance_;
        if (overlaps_)
            add_at_every_element(block, count, totals);
        else
            for (int64_t k = 0; k < count; ++k)
                add_rows(block + k * distance_, length_, total_at(totals, k * length_));
        write(totals, first * length_, count * length_, buffers, kept);
    }

    void add_rows(const std::byte *first, int64_t columns, std::byte *totals) const {
        const void *rows[most_rows];
        for (size_t r = 0; r < offsets_.size(); ++r)
            rows[r] = first + offsets_[r];
        reduce_.columns(rows, offsets_.size(), static_cast<size_t>(columns), totals);
    }

    /// Totals at all elements of the blocks, as if rows had no end; those of the blocks' first rows are kept.
    void add_at_every_element(const std::byte *blocks, int64_t count, std::byte *totals) const {
        alignas(64) std::byte all[totals_at_once * largest_total];
        const int64_t columns = (count - 1) * block_size() + length_;
        reduce_.clear(all, static_cast<size_t>(columns));
        add_rows(blocks, columns, all);
        for (int64_t k = 0; k < count; ++k)
            std::copy_n(total_at(all, k * block_size()), length_ * total_size_, total_at(totals, k * length_));
    }

    double compute_carefully(buffer_list buffers, const odometer &kept, int64_t which) const override {
        careful_sum sum(op_);
        const odometer block(whole_kept_, kept.number() * blocks_ + which / length_);
        odometer at(reduced_, 0);
        for (size_t row = 0; row < offsets_.size(); ++row, at.next())
            add_carefully(buffers, position(block, at), which % length_, 1, sum);
        return sum.result(static_cast<int64_t>(offsets_.size()));
    }

    nest whole_kept_;              // with the dim of the blocks, which kept_ is without
    int64_t blocks_;               // along it
    int64_t distance_;             // of them, in bytes
    std::vector<int64_t> offsets_; // of a block's rows, in bytes
    bool overlaps_;
    int64_t batch_; // blocks at a time
};

} // namespace

bool is_narrow(const computation &c) {
    const size_t columns = c.space.rank() - 1;
    const size_t blocks = batch_dim(c.space);
    const int64_t length = c.space.sizes[columns];
    const int64_t rows = reduced_count(c.space);
    if (!c.pre_ops.empty() || c.space.reduced[columns] || c.src[0].strides[columns] != 1) return false;
    if (blocks > columns || length > widest || rows > most_rows || rows * length > largest_block) return false;
    const auto lies_behind = [&](const operand &o) { return o.strides[blocks] == length * o.strides[columns]; };
    return lies_behind(c.dst) && std::all_of(c.post_ops.begin(), c.post_ops.end(),
                                             [&](const post_op &p) { return !p.is_binary || lies_behind(p.other); });
}

std::unique_ptr<step> make_reduce_narrow(const computation &c, const isa &on) {
    return std::make_unique<reduce_narrow_step>(c, on);
}

} // namespace onefold::impl::simd
