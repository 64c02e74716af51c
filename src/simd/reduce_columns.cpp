#include <numeric>

#include "simd/parallel.hpp"
#include "simd/reduction.hpp"
#include "simd/reduction_step.hpp"

namespace onefold::impl::simd {

namespace {

constexpr int64_t widest_strip = 2048; // columns whose totals stay in L1
constexpr int64_t narrow = 512;        // rows of fewer columns are put together, where they lie so
constexpr int64_t tile_columns = 512;  // of rows that are not read where they are: a group of tiles fits L1
constexpr int64_t tile_rows = 8;       // of them
constexpr int64_t most_rows = 64;      // of others, that are handed on together
constexpr int64_t enough_units = 64;
constexpr int64_t unit_size = 2 * block_size; // elements

/// Work is split into strips of columns and, where those are few, into blocks of reduced rows.
class reduce_columns_step : public reduction_step {
public:
    reduce_columns_step(const computation &c, const isa &on) : reduction_step(c, on, "reduce_columns", c.space.rank() - 1) {
        join_narrow_rows();
        strip_ = std::min(columns_, reads_memory_ ? widest_strip : tile_columns);
        strips_ = (columns_ + strip_ - 1) / strip_;
        all_strips_ = kept_.count() * strips_;
        rows_ = reduced_.count();
        rows_are_few_ = reads_memory_ && joined_ == 1 && rows_ <= most_few && reduce_.few_columns;
        split_into_blocks();
    }

    size_t scratch_bytes() const override {
        return blocks_ == 1 ? 0 : static_cast<size_t>(all_strips_ * blocks_ * strip_ * total_size_);
    }

    void run(buffer_list buffers, std::byte *partial, const executor &threads) const override {
        if (rows_are_few_) return reduce_few(buffers, threads);
        for_each_unit(threads, all_strips_ * blocks_, rows_a_block_ * strip_, [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
                alignas(64) std::byte here[widest_strip * largest_total];
                std::byte *totals = blocks_ == 1 ? here : total_at(partial, unit * strip_);
                reduce_block(buffers, unit / blocks_, unit % blocks_, totals);
                if (blocks_ == 1) write_strip(totals, unit, buffers);
            }
        });
        if (blocks_ == 1) return;
        for_each_unit(threads, all_strips_, blocks_ * strip_, [&](int64_t begin, int64_t end) {
            for (int64_t strip = begin; strip < end; ++strip) {
                std::byte *totals = total_at(partial, strip * blocks_ * strip_);
                combine_blocks(totals, blocks_, strip_, width(strip));
                write_strip(totals, strip, buffers);
            }
        });
    }

private:
    /// Narrow rows one behind the other are the same as wider ones, whose totals are folded at the end.
    void join_narrow_rows() {
        columns_ = length_;
        if (!reads_memory_ || length_ >= narrow / 2 || reduced_.sizes.empty()) return;
        const bool is_dense = reduced_.strides[src_number].back() == length_ * src_.size;
        const int64_t vector = 16 / std::gcd(length_, int64_t{16}); // so many rows are a multiple of 16 columns
        int64_t together = (narrow + vector * length_ - 1) / (vector * length_) * vector;
        while (together * length_ > widest_strip) // there is one strip, whose totals are folded
            together /= 2;
        int64_t &rows = reduced_.sizes.back();
        if (!is_dense || rows < 2 * together) return;
        joined_ = together;
        joined_rows_ = (rows + together - 1) / together;
        columns_of_last_ = (rows - (joined_rows_ - 1) * together) * length_;
        columns_ = together * length_;
        rows = joined_rows_;
        for (dims &strides : reduced_.strides)
            strides.back() *= together;
    }

    void split_into_blocks() {
        rows_a_block_ = rows_;
        blocks_ = 1;
        if (rows_are_few_) return;
        if (all_strips_ < enough_units) {
            const int64_t elements = std::max(unit_size, all_strips_ * strip_ * rows_ / enough_units);
            rows_a_block_ = (elements / strip_ + tile_rows - 1) / tile_rows * tile_rows;
        }
        rows_a_block_ = std::clamp<int64_t>(rows_a_block_, 1, std::min(rows_, longest_sequence_ * tile_rows));
        blocks_ = (rows_ + rows_a_block_ - 1) / rows_a_block_;
    }

    int64_t first_column(int64_t strip) const { return strip % strips_ * strip_; }
    int64_t width(int64_t strip) const { return std::min(strip_, columns_ - first_column(strip)); }

    void reduce_block(buffer_list buffers, int64_t strip, int64_t which, std::byte *totals) const {
        const odometer kept(kept_, strip / strips_);
        const int64_t first = first_column(strip);
        const auto columns = static_cast<size_t>(width(strip));
        reduce_.clear(totals, columns);
        const int64_t begin = which * rows_a_block_;
        const int64_t end = std::min(rows_, begin + rows_a_block_);
        odometer at(reduced_, begin);
        row_group group(*this, columns, totals);
        for (int64_t row = begin; row < end; ++row, at.next()) {
            const std::byte *src = elements(buffers, position(kept, at), first, static_cast<int64_t>(columns), group.room());
            if (joined_ > 1 && row % joined_rows_ == joined_rows_ - 1)
                reduce_one(src, static_cast<size_t>(columns_of_last_), totals);
            else
                group.add(src);
        }
        group.flush();
    }

    void reduce_few(buffer_list buffers, const executor &threads) const {
        for_each_unit(threads, all_strips_, rows_ * strip_, [&](int64_t begin, int64_t end) {
            for (int64_t strip = begin; strip < end; ++strip) {
                const odometer kept(kept_, strip / strips_);
                const int64_t first = first_column(strip);
                const void *rows[most_few];
                odometer at(reduced_, 0);
                for (int64_t r = 0; r < rows_; ++r, at.next())
                    rows[r] = src_.at(buffers, position(kept, at), first);
                if (try_write_few(rows, rows_, first, width(strip), buffers, kept)) continue;
                alignas(64) std::byte totals[widest_strip * largest_total];
                reduce_block(buffers, strip, 0, totals);
                write_strip(totals, strip, buffers);
            }
        });
    }

    void reduce_one(const std::byte *row, size_t columns, std::byte *totals) const {
        const void *rows[] = {row};
        reduce_.columns(rows, 1, columns, totals);
    }

    /// Rows that are reduced together.
    class row_group {
    public:
        row_group(const reduce_columns_step &step, size_t columns, std::byte *totals)
            : step_(step), columns_(columns), totals_(totals) {}

        /// For the next row, where it has to be made.
        std::byte *room() { return rooms_[count_ % tile_rows].bytes; }
        void add(const std::byte *row) {
            rows_[count_++] = row;
            if (count_ == (step_.reads_memory_ ? most_rows : tile_rows)) flush();
        }
        void flush() {
            step_.reduce_.columns(rows_, static_cast<size_t>(count_), columns_, totals_);
            count_ = 0;
        }

    private:
        struct tile_row {
            alignas(64) std::byte bytes[tile_columns * sizeof(double)];
        };

        const reduce_columns_step &step_;
        size_t columns_;
        std::byte *totals_;
        const void *rows_[most_rows];
        int64_t count_ = 0;
        tile_row rooms_[tile_rows];
    };

    void write_strip(std::byte *totals, int64_t strip, buffer_list buffers) const {
        combine_blocks(totals, joined_, length_, length_);
        const odometer kept(kept_, strip / strips_);
        write(totals, first_column(strip), joined_ > 1 ? length_ : width(strip), buffers, kept);
    }

    double compute_carefully(buffer_list buffers, const odometer &kept, int64_t which) const override {
        careful_sum sum(op_);
        int64_t elements = 0;
        odometer at(reduced_, 0);
        for (int64_t row = 0; row < rows_; ++row, at.next()) {
            const bool is_last = joined_ > 1 && row % joined_rows_ == joined_rows_ - 1;
            const int64_t end = is_last ? columns_of_last_ : joined_ * length_;
            for (int64_t column = which; column<end; column += joined_> 1 ? length_ : end, ++elements)
                add_carefully(buffers, position(kept, at), column, 1, sum);
        }
        return sum.result(elements);
    }

    int64_t columns_;             // length_, or that of rows that are put together
    int64_t joined_ = 1;          // rows in one
    int64_t joined_rows_ = 0;     // along the innermost reduced dim
    int64_t columns_of_last_ = 0; // of them
    int64_t strip_;               // columns in a strip
    int64_t strips_;              // of each kept index
    int64_t all_strips_;          // of all
    int64_t rows_;
    bool rows_are_few_; // results need no totals
    int64_t rows_a_block_;
    int64_t blocks_; // of each strip
};

} // namespace

std::unique_ptr<step> make_reduce_columns(const computation &c, const isa &on) {
    return std::make_unique<reduce_columns_step>(c, on);
}

} // namespace onefold::impl::simd
