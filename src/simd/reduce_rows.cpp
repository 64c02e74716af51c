#include "simd/parallel.hpp"
#include "simd/reduction.hpp"
#include "simd/reduction_step.hpp"

namespace onefold::impl::simd {

namespace {

constexpr int64_t widest_batch = 512; // results that are made at a time

/// The innermost kept dim: along it results lie at one distance. The reduced row itself where nothing is kept.
size_t batch_dim(const computation &c) {
    for (size_t d = c.space.rank(); d-- > 0;)
        if (!c.space.reduced[d]) return d;
    return c.space.rank() - 1;
}

/// Work is split into batches of results and, where each has many elements, into blocks of one result's elements.
class reduce_rows_step : public reduction_step {
public:
    reduce_rows_step(const computation &c, const isa &on) : reduction_step(c, on, "reduce_rows", batch_dim(c)) {
        rows_ = reduced_.count();
        const int64_t elements = rows_ * length_;
        pieces_ = (length_ + block_size - 1) / block_size;
        rows_a_block_ = pieces_ > 1 ? 1 : std::max<int64_t>(1, block_size / length_);
        blocks_ = pieces_ > 1 ? rows_ * pieces_ : (rows_ + rows_a_block_ - 1) / rows_a_block_;
        whole_kept_ = kept_;
        if (!kept_.sizes.empty()) {
            batch_length_ = kept_.sizes.back();
            distance_ = kept_.strides[src_number].back();
            kept_.remove_innermost();
        }
        width_ = std::clamp<int64_t>(block_size / 4 / elements, 1, std::min(widest_batch, batch_length_));
        elements_a_unit_ = width_ * (blocks_ == 1 ? elements : blocks_);
    }

    size_t scratch_bytes() const override {
        return blocks_ == 1 ? 0 : static_cast<size_t>(kept_.count() * batch_length_ * blocks_ * total_size_);
    }

    void run(buffer_list buffers, std::byte *partial, const executor &threads) const override {
        if (blocks_ > 1) reduce_blocks(buffers, partial, threads);
        for_each_part(threads, kept_, batch_length_, width_, elements_a_unit_,
                      [&](const odometer &at, int64_t first, int64_t width) {
                          alignas(64) std::byte totals[widest_batch * largest_total];
                          if (blocks_ == 1)
                              reduce_batch(buffers, at, first, width, totals);
                          else
                              gather_blocks(partial, kept_index(at, first), width, totals);
                          write(totals, first, width, buffers, at);
                      });
    }

private:
    void reduce_batch(buffer_list buffers, const odometer &kept, int64_t first, int64_t width, std::byte *totals) const {
        reduce_.clear(totals, static_cast<size_t>(width));
        if (!reads_memory_) {
            for (int64_t k = 0; k < width; ++k) {
                const odometer at(whole_kept_, kept_index(kept, first + k));
                reduce_rows_of(buffers, at, 0, rows_, total_at(totals, k));
            }
            return;
        }
        for_each_sequence(0, rows_, totals, width, [&](int64_t begin, int64_t end, std::byte *to) {
            odometer at(reduced_, begin);
            for (int64_t row = begin; row < end; ++row, at.next()) {
                const std::byte *src = src_.at(buffers, position(kept, at), 0) + first * distance_;
                reduce_.rows(src, distance_, static_cast<size_t>(width), static_cast<size_t>(length_), to);
            }
        });
    }

    /// Calls add(first, last, totals) for the rows from `begin` to `end`, halved until there are no more than may be added one
    /// after the other.
    template <typename Add>
    void for_each_sequence(int64_t begin, int64_t end, std::byte *totals, int64_t count, const Add &add) const {
        if (end - begin <= longest_sequence_) return add(begin, end, totals);
        const int64_t middle = begin + (end - begin) / 2;
        alignas(64) std::byte here[widest_batch * sizeof(double)]; // only in f64 are sequences short
        reduce_.clear(here, static_cast<size_t>(count));
        for_each_sequence(begin, middle, totals, count, add);
        for_each_sequence(middle, end, here, count, add);
        reduce_.combine(totals, here, static_cast<size_t>(count));
    }

    /// Of a result, in whole_kept_.
    int64_t kept_index(const odometer &kept, int64_t in_batch_dim) const {
        return kept.number() * batch_length_ + in_batch_dim;
    }

    /// Rows `begin` to `end` of one result into one total.
    void reduce_rows_of(buffer_list buffers, const odometer &kept, int64_t begin, int64_t end, std::byte *total) const {
        for_each_sequence(begin, end, total, 1, [&](int64_t first, int64_t last, std::byte *to) {
            odometer at(reduced_, first);
            for (int64_t row = first; row < last; ++row, at.next())
                reduce_piece(buffers, position(kept, at), 0, length_, to);
        });
    }

    void reduce_piece(buffer_list buffers, const position &where, int64_t begin, int64_t count, std::byte *total) const {
        const int64_t most = reads_memory_ ? count : tile_size;
        for (int64_t i = 0; i < count; i += most) {
            tile room;
            const int64_t part = std::min(most, count - i);
            reduce_.rows(elements(buffers, where, begin + i, part, room.bytes), 0, 1, static_cast<size_t>(part), total);
        }
    }

    void reduce_blocks(buffer_list buffers, std::byte *partial, const executor &threads) const {
        const int64_t results = kept_.count() * batch_length_;
        for_each_unit(threads, results * blocks_, std::min(rows_ * length_, block_size), [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
                const odometer kept(whole_kept_, unit / blocks_);
                reduce_block(buffers, kept, unit % blocks_, total_at(partial, unit));
            }
        });
    }

    void reduce_block(buffer_list buffers, const odometer &kept, int64_t which, std::byte *total) const {
        alignas(64) std::byte here[largest_total]; // neighbours are other threads'
        reduce_.clear(here, 1);
        if (pieces_ > 1) {
            const odometer at(reduced_, which / pieces_);
            const int64_t first = which % pieces_ * block_size;
            reduce_piece(buffers, position(kept, at), first, std::min(block_size, length_ - first), here);
        } else {
            const int64_t begin = which * rows_a_block_;
            reduce_rows_of(buffers, kept, begin, std::min(rows_, begin + rows_a_block_), here);
        }
        std::copy_n(here, total_size_, total);
    }

    void gather_blocks(std::byte *partial, int64_t first, int64_t width, std::byte *totals) const {
        for (int64_t k = 0; k < width; ++k) {
            std::byte *blocks = total_at(partial, (first + k) * blocks_);
            combine_blocks(blocks, blocks_, 1, 1);
            std::copy_n(blocks, total_size_, total_at(totals, k));
        }
    }

    double compute_carefully(buffer_list buffers, const odometer &kept, int64_t which) const override {
        careful_sum sum(op_);
        const odometer result(whole_kept_, kept_index(kept, which));
        odometer at(reduced_, 0);
        for (int64_t row = 0; row < rows_; ++row, at.next())
            add_carefully(buffers, position(result, at), 0, length_, sum);
        return sum.result(rows_ * length_);
    }

    nest whole_kept_;          // with the batch dim, which kept_ is without
    int64_t rows_;             // reduced into one result
    int64_t pieces_;           // of a long row
    int64_t rows_a_block_;     // of short ones
    int64_t blocks_;           // of each result
    int64_t batch_length_ = 1; // of the innermost kept dim
    int64_t distance_ = 0;     // along it, in bytes
    int64_t width_;            // results in a batch
    int64_t elements_a_unit_;
};

} // namespace

std::unique_ptr<step> make_reduce_rows(const computation &c, const isa &on) {
    return std::make_unique<reduce_rows_step>(c, on);
}

} // namespace onefold::impl::simd
