#include <fmt/format.h>

#include "simd/parallel.hpp"
#include "simd/reduction.hpp"
#include "simd/reduction_step.hpp"

namespace onefold::impl::simd {

namespace {

constexpr int64_t widest_batch = 256; // results that one call of a kernel gives

/// The innermost kept dim: along it results lie at one distance. The reduced row itself where nothing is kept.
size_t batch_dim(const computation &c) {
    for (size_t d = c.space.rank(); d-- > 0;)
        if (!c.space.reduced[d]) return d;
    return c.space.rank() - 1;
}

/// Work is split into batches of results and, where each has many elements, into blocks of one result's elements.
class reduce_rows_step : public reduction_step {
public:
    explicit reduce_rows_step(const computation &c) : reduction_step(c, batch_dim(c)) {
        count_ = reduced_count_ * length_;
        pieces_ = (length_ + block_size - 1) / block_size;
        rows_a_block_ = pieces_ > 1 ? 1 : std::max<int64_t>(1, block_size / length_);
        blocks_ = pieces_ > 1 ? reduced_count_ * pieces_ : (reduced_count_ + rows_a_block_ - 1) / rows_a_block_;
        if (!kept_.sizes.empty()) {
            batch_length_ = kept_.sizes.back();
            src_distance_ = kept_.strides[src_operand].back();
            kept_.remove_innermost();
        }
        width_ = std::clamp<int64_t>(block_size / 4 / count_, 1, std::min(widest_batch, batch_length_));
        batches_ = (batch_length_ + width_ - 1) / width_;
    }

    std::string name() const override { return fmt::format("simd:reduce_rows:{}", kernels_.isa); }

    size_t scratch_bytes() const override {
        return blocks_ == 1 ? 0 : static_cast<size_t>(kept_.count() * batch_length_ * blocks_) * sizeof(double);
    }

    void run(std::span<std::byte *const> buffers, std::byte *scratch) const override {
        auto *partial = reinterpret_cast<double *>(scratch);
        if (blocks_ > 1) reduce_blocks(buffers[src_.buffer], partial);
        for_each_unit(kept_.count() * batches_, width_ * (blocks_ == 1 ? count_ : blocks_), [&](int64_t begin, int64_t end) {
            odometer at(kept_, begin / batches_);
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t first = unit % batches_ * width_;
                double totals[widest_batch];
                if (blocks_ == 1)
                    reduce_batch(buffers[src_.buffer] + at.offsets[src_operand], first, totals);
                else
                    combine_blocks(partial + (unit / batches_ * batch_length_ + first) * blocks_, first, totals);
                write(totals, buffers, at.offsets, first);
                if (unit % batches_ == batches_ - 1) at.next();
            }
        });
    }

private:
    int64_t width_of(int64_t first) const { return std::min(width_, batch_length_ - first); }

    void reduce_batch(const std::byte *src, int64_t first, double *totals) const {
        const int64_t width = width_of(first);
        std::fill_n(totals, width, identity());
        odometer at(reduced_, 0);
        for (int64_t row = 0; row < reduced_count_; ++row, at.next())
            reduce_rows(src + first * src_distance_ + at.offsets[0], src_distance_, width, length_, totals);
    }

    void combine_blocks(const double *partial, int64_t first, double *totals) const {
        for (int64_t k = 0; k < width_of(first); ++k, partial += blocks_) {
            totals[k] = partial[0];
            for (int64_t b = 1; b < blocks_; ++b)
                totals[k] = combine(totals[k], partial[b]);
        }
    }

    void reduce_blocks(const std::byte *src, double *partial) const {
        const int64_t results = kept_.count() * batch_length_;
        for_each_unit(results * blocks_, std::min(count_, block_size), [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t result = unit / blocks_;
                const odometer at(kept_, result / batch_length_);
                const std::byte *from = src + at.offsets[src_operand] + result % batch_length_ * src_distance_;
                partial[unit] = reduce_block(from, unit % blocks_);
            }
        });
    }

    double reduce_block(const std::byte *src, int64_t which) const {
        double total = identity();
        if (pieces_ > 1) {
            const odometer at(reduced_, which / pieces_);
            const int64_t first = which % pieces_ * block_size;
            reduce_rows(src_.at(src + at.offsets[0], first), 0, 1, std::min(block_size, length_ - first), &total);
            return total;
        }
        const int64_t begin = which * rows_a_block_;
        const int64_t end = std::min(reduced_count_, begin + rows_a_block_);
        odometer at(reduced_, begin);
        for (int64_t row = begin; row < end; ++row, at.next())
            reduce_rows(src + at.offsets[0], 0, 1, length_, &total);
        return total;
    }

    /// A row into each total; elements that do not lie side by side are gathered first.
    void reduce_rows(const std::byte *src, int64_t distance, int64_t rows, int64_t length, double *totals) const {
        if (src_.stride == 1 || length == 1)
            return reduce_.rows(src, distance, static_cast<size_t>(rows), static_cast<size_t>(length), totals);
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t i = 0; i < length; i += tile_size) {
                alignas(64) float values[tile_size];
                const auto part = static_cast<size_t>(std::min(tile_size, length - i));
                src_.load(src_.at(src + row * distance, i), src_.stride, values, part);
                reduce_f32_.rows(values, 0, 1, part, totals + row);
            }
    }

    void write(const double *totals, std::span<std::byte *const> buffers, const operand_offsets &offsets, int64_t first) const {
        float results[widest_batch];
        const int64_t width = width_of(first);
        for (int64_t k = 0; k < width; ++k)
            results[k] = finish(totals[k], count_, [&] {
                const std::byte *row = buffers[src_.buffer] + offsets[src_operand] + (first + k) * src_distance_;
                return total_in_f64(row, length_, src_.stride);
            });
        store_results(results, width, buffers, offsets, first);
    }

    int64_t count_;            // elements reduced into one result
    int64_t pieces_;           // of a long row
    int64_t rows_a_block_;     // of short ones
    int64_t blocks_;           // of each result
    int64_t batch_length_ = 1; // of the innermost kept dim, which kept_ is without
    int64_t src_distance_ = 0; // along it, in bytes
    int64_t width_;            // results in a batch
    int64_t batches_;          // along the innermost kept dim
};

} // namespace

std::unique_ptr<step> make_reduce_rows(const computation &c) { return std::make_unique<reduce_rows_step>(c); }

} // namespace onefold::impl::simd
