#include <fmt/format.h>

#include "simd/parallel.hpp"
#include "simd/reduction.hpp"
#include "simd/reduction_step.hpp"

namespace onefold::impl::simd {

namespace {

constexpr int64_t widest_strip = 2048; // columns whose totals stay in L1
constexpr int64_t gathered_columns = 512;
constexpr int64_t gathered_rows = 8;

/// Work is split into strips of columns and, where those are few, into blocks of reduced rows.
class reduce_columns_step : public reduction_step {
public:
    explicit reduce_columns_step(const computation &c) : reduction_step(c, c.space.rank() - 1) {
        strip_ = std::min(length_, src_.stride == 1 ? widest_strip : gathered_columns);
        strips_ = (length_ + strip_ - 1) / strip_;
        all_strips_ = kept_.count() * strips_;
        constexpr int64_t enough_units = 16;
        const int64_t rows_for_a_block = std::max(gathered_rows, block_size / strip_ / gathered_rows * gathered_rows);
        rows_a_block_ = all_strips_ >= enough_units ? reduced_count_ : std::min(reduced_count_, rows_for_a_block);
        blocks_ = (reduced_count_ + rows_a_block_ - 1) / rows_a_block_;
    }

    std::string name() const override { return fmt::format("simd:reduce_columns:{}", kernels_.isa); }

    size_t scratch_bytes() const override {
        return blocks_ == 1 ? 0 : static_cast<size_t>(all_strips_ * blocks_ * strip_) * sizeof(double);
    }

    void run(std::span<std::byte *const> buffers, std::byte *scratch) const override {
        const std::byte *src = buffers[src_.buffer];
        auto *partial = reinterpret_cast<double *>(scratch);
        for_each_unit(all_strips_ * blocks_, rows_a_block_ * strip_, [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
                alignas(64) double here[widest_strip];
                double *totals = blocks_ == 1 ? here : partial + unit * strip_;
                reduce_block(src, unit / blocks_, unit % blocks_, totals);
                if (blocks_ == 1) write(totals, unit, buffers);
            }
        });
        if (blocks_ > 1) combine_blocks(partial, buffers);
    }

private:
    int64_t first_column(int64_t strip) const { return strip % strips_ * strip_; }
    int64_t width(int64_t strip) const { return std::min(strip_, length_ - first_column(strip)); }

    void combine_blocks(double *partial, std::span<std::byte *const> buffers) const {
        for_each_unit(all_strips_, blocks_ * strip_, [&](int64_t begin, int64_t end) {
            for (int64_t strip = begin; strip < end; ++strip) {
                double *totals = partial + strip * blocks_ * strip_;
                for (int64_t b = 1; b < blocks_; ++b)
                    for (int64_t i = 0; i < width(strip); ++i)
                        totals[i] = combine(totals[i], totals[b * strip_ + i]);
                write(totals, strip, buffers);
            }
        });
    }

    void reduce_block(const std::byte *src, int64_t strip, int64_t which, double *totals) const {
        const odometer at(kept_, strip / strips_);
        src += at.offsets[src_operand] + first_column(strip) * src_.stride * src_.size;
        const auto columns = static_cast<size_t>(width(strip));
        std::fill_n(totals, columns, identity());
        const int64_t begin = which * rows_a_block_;
        for_each_run(src, begin, std::min(reduced_count_, begin + rows_a_block_),
                     [&](const std::byte *first, int64_t rows, int64_t distance) {
                         if (src_.stride == 1 || columns == 1)
                             reduce_.columns(first, distance, static_cast<size_t>(rows), columns, totals);
                         else
                             reduce_gathered(first, distance, rows, columns, totals);
                     });
    }

    void reduce_gathered(const std::byte *src, int64_t distance, int64_t rows, size_t columns, double *totals) const {
        for (int64_t first = 0; first < rows; first += gathered_rows) {
            alignas(64) float values[gathered_rows][gathered_columns];
            const int64_t count = std::min(gathered_rows, rows - first);
            for (int64_t r = 0; r < count; ++r)
                src_.load(src + (first + r) * distance, src_.stride, values[r], columns);
            reduce_f32_.columns(values, static_cast<int64_t>(sizeof(values[0])), static_cast<size_t>(count), columns, totals);
        }
    }

    void write(const double *totals, int64_t strip, std::span<std::byte *const> buffers) const {
        const odometer at(kept_, strip / strips_);
        const std::byte *row = buffers[src_.buffer] + at.offsets[src_operand];
        const int64_t first = first_column(strip);
        alignas(64) float results[widest_strip];
        for (int64_t i = 0; i < width(strip); ++i)
            results[i] = finish(totals[i], reduced_count_, [&] { return total_in_f64(src_.at(row, first + i), 1, 1); });
        store_results(results, width(strip), buffers, at.offsets, first);
    }

    int64_t strip_;      // columns in a strip
    int64_t strips_;     // of each kept index
    int64_t all_strips_; // of all
    int64_t rows_a_block_;
    int64_t blocks_; // of each strip
};

} // namespace

std::unique_ptr<step> make_reduce_columns(const computation &c) { return std::make_unique<reduce_columns_step>(c); }

} // namespace onefold::impl::simd
