#include <fmt/format.h>

#include "simd/parallel.hpp"
#include "simd/reduction.hpp"
#include "simd/reduction_step.hpp"

namespace onefold::impl::simd {

namespace {

constexpr int64_t tile = 1024;        // elements gathered at a time
constexpr int64_t widest_batch = 256; // results that one call of a kernel gives

/// Work is split into batches of results and, where each has many elements, into blocks of one result's elements.
class reduce_rows_step : public reduction_step {
public:
    explicit reduce_rows_step(const computation &c) : reduction_step(c) {
        count_ = reduced_count_ * nest_.length;
        pieces_ = (nest_.length + block_size - 1) / block_size;
        rows_a_block_ = pieces_ > 1 ? 1 : std::max<int64_t>(1, block_size / nest_.length);
        blocks_ = pieces_ > 1 ? reduced_count_ * pieces_ : (reduced_count_ + rows_a_block_ - 1) / rows_a_block_;
        results_ = nest_.kept.count();
        take_batch_dim();
    }

    std::string name() const override { return fmt::format("simd:reduce_rows:{}", kernels_.isa); }

    size_t scratch_bytes() const override {
        return blocks_ == 1 ? 0 : static_cast<size_t>(results_ * blocks_) * sizeof(double);
    }

    void run(std::span<std::byte *const> buffers, std::byte *scratch) const override {
        if (blocks_ == 1)
            run_batches(buffers[src_], buffers[dst_]);
        else
            run_blocks(buffers[src_], buffers[dst_], reinterpret_cast<double *>(scratch));
    }

private:
    /// The innermost kept dim: its results lie at one distance in src and in dst.
    void take_batch_dim() {
        outer_ = nest_.kept;
        if (outer_.sizes.empty()) return;
        batch_length_ = outer_.sizes.back();
        src_distance_ = outer_.strides[0].back();
        dst_distance_ = outer_.strides[1].back();
        outer_.sizes.pop_back();
        for (dims &strides : outer_.strides)
            strides.pop_back();
    }

    void run_batches(const std::byte *src, std::byte *dst) const {
        const int64_t width = std::clamp<int64_t>(block_size / 4 / count_, 1, std::min(widest_batch, batch_length_));
        const int64_t batches = (batch_length_ + width - 1) / width;
        for_each_unit(outer_.count() * batches, width * count_, [&](int64_t begin, int64_t end) {
            odometer<2> at(outer_, begin / batches);
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t first = unit % batches * width;
                reduce_batch(src + at.offsets[0] + first * src_distance_, dst + at.offsets[1] + first * dst_distance_,
                             std::min(width, batch_length_ - first));
                if (unit % batches == batches - 1) at.next();
            }
        });
    }

    void reduce_batch(const std::byte *src, std::byte *dst, int64_t width) const {
        double totals[widest_batch];
        std::fill_n(totals, width, identity());
        odometer<1> at(nest_.reduced, 0);
        for (int64_t row = 0; row < reduced_count_; ++row, at.next())
            reduce_rows(src + at.offsets[0], src_distance_, width, nest_.length, totals);
        write(totals, width, src, dst);
    }

    void run_blocks(const std::byte *src, std::byte *dst, double *partial) const {
        for_each_unit(results_ * blocks_, std::min(count_, block_size), [&](int64_t begin, int64_t end) {
            odometer<2> at(nest_.kept, begin / blocks_);
            for (int64_t unit = begin; unit < end; ++unit) {
                partial[unit] = reduce_block(src + at.offsets[0], unit % blocks_);
                if (unit % blocks_ == blocks_ - 1) at.next();
            }
        });
        odometer<2> at(nest_.kept, 0);
        for (int64_t k = 0; k < results_; ++k, at.next()) {
            double total = partial[k * blocks_];
            for (int64_t b = 1; b < blocks_; ++b)
                total = combine(total, partial[k * blocks_ + b]);
            write(&total, 1, src + at.offsets[0], dst + at.offsets[1]);
        }
    }

    double reduce_block(const std::byte *src, int64_t which) const {
        double total = identity();
        if (pieces_ > 1) {
            const odometer<1> at(nest_.reduced, which / pieces_);
            const int64_t first = which % pieces_ * block_size;
            reduce_rows(src + at.offsets[0] + first * nest_.src_stride * src_size_, 0, 1,
                        std::min(block_size, nest_.length - first), &total);
            return total;
        }
        const int64_t begin = which * rows_a_block_;
        const int64_t end = std::min(reduced_count_, begin + rows_a_block_);
        odometer<1> at(nest_.reduced, begin);
        for (int64_t row = begin; row < end; ++row, at.next())
            reduce_rows(src + at.offsets[0], 0, 1, nest_.length, &total);
        return total;
    }

    /// A row into each total; elements that do not lie side by side are gathered first.
    void reduce_rows(const std::byte *src, int64_t distance, int64_t rows, int64_t length, double *totals) const {
        if (nest_.src_stride == 1 || length == 1)
            return reduce_.rows(src, distance, static_cast<size_t>(rows), static_cast<size_t>(length), totals);
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t i = 0; i < length; i += tile) {
                alignas(64) float values[tile];
                const auto part = static_cast<size_t>(std::min(tile, length - i));
                load_(src + row * distance + i * nest_.src_stride * src_size_, nest_.src_stride, values, part);
                reduce_f32_.rows(values, 0, 1, part, totals + row);
            }
    }

    void write(const double *totals, int64_t width, const std::byte *src, std::byte *dst) const {
        float results[widest_batch];
        for (int64_t k = 0; k < width; ++k)
            results[k] = finish(totals[k], count_,
                                [&] { return total_in_f64(src + k * src_distance_, nest_.length, nest_.src_stride); });
        store_(results, dst, dst_distance_ / dst_size_, static_cast<size_t>(width));
    }

    int64_t count_;        // elements reduced into one result
    int64_t pieces_;       // of a long row
    int64_t rows_a_block_; // of short ones
    int64_t blocks_;       // of each result
    int64_t results_;
    nest<2> outer_;            // the kept dims without the innermost
    int64_t batch_length_ = 1; // the innermost kept dim
    int64_t src_distance_ = 0; // in bytes
    int64_t dst_distance_ = 0;
};

} // namespace

std::unique_ptr<step> make_reduce_rows(const computation &c) { return std::make_unique<reduce_rows_step>(c); }

} // namespace onefold::impl::simd
