#include "simd/reduction.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "graph/error.hpp"
#include "simd/nest.hpp"
#include "simd/parallel.hpp"
#include "simd/rows.hpp"

namespace onefold::impl::simd {

namespace {

constexpr int64_t tile = 1024;          // elements converted at a time
constexpr int64_t block = 64 * 1024;    // elements that become one partial result
constexpr int64_t widest_columns = 2048; // columns whose totals stay in L1

enum class family { sum, product, extreme };

/// What one of the reductions is made of.
struct arithmetic {
    family kind;
    row_kernels::reduction kernels;
    double identity;
    double (*map)(double); // of one element, in f64
};

arithmetic arithmetic_of(const row_kernels &k, op_kind op) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto same = [](double x) { return x; };
    switch (op) {
    case onefold_op_reduce_l1:
        return {family::sum, k.sum_of_magnitudes, 0, [](double x) { return std::fabs(x); }};
    case onefold_op_reduce_l2:
        return {family::sum, k.sum_of_squares, 0, [](double x) { return x * x; }};
    case onefold_op_reduce_prod:
        return {family::product, k.product, 1, same};
    case onefold_op_reduce_max:
        return {family::extreme, k.maximum_of, -infinity, same};
    case onefold_op_reduce_min:
        return {family::extreme, k.minimum_of, infinity, same};
    default: // sum, mean
        return {family::sum, k.sum, 0, same};
    }
}

/// The space taken apart: rows or columns innermost, and the dims around them.
struct reduction_nest {
    nest<2> kept;    // src, dst; without the columns
    nest<1> reduced; // src; without the rows
    bool is_columns; // the innermost dim is kept
    int64_t length;  // of a row, or the number of columns
    int64_t src_stride; // along them, in elements
    int64_t dst_stride; // along columns
};

reduction_nest take_apart(const computation &c) {
    const size_t last = c.space.rank() - 1;
    reduction_nest n{{}, {}, !c.space.reduced[last], c.space.sizes[last], c.src[0].strides[last], c.dst.strides[last]};
    for (size_t d = 0; d < last; ++d) {
        const int64_t src_stride = c.src[0].strides[d] * size_of(c.src[0].type);
        if (c.space.reduced[d])
            n.reduced.push_back(c.space.sizes[d], {src_stride});
        else
            n.kept.push_back(c.space.sizes[d], {src_stride, c.dst.strides[d] * size_of(c.dst.type)});
    }
    return n;
}

class reduction_step : public step {
public:
    explicit reduction_step(const computation &c)
        : kernels_(kernels()), op_(c.op), arithmetic_(arithmetic_of(kernels_, c.op)), nest_(take_apart(c)),
          src_(c.src[0].buffer), dst_(c.dst.buffer), src_type_(c.src[0].type), src_size_(size_of(src_type_)),
          dst_size_(size_of(c.dst.type)), load_(load_of(kernels_, src_type_)), store_(store_of(kernels_, c.dst.type)) {
        reduced_ = nest_.reduced.count();
        count_ = nest_.is_columns ? reduced_ : reduced_ * nest_.length;
    }

protected:
    /// Rounds a total to the result's f32. Where the fast path overflowed or nearly vanished on the way, `again` computes the
    /// total in f64 alone.
    template <typename Again>
    float finish(double total, const Again &again) const {
        if (arithmetic_.kind == family::sum) {
            const bool vanished = op_ == onefold_op_reduce_l2 && total < 1e-30;
            if (!std::isfinite(total) || vanished) total = again();
        }
        if (op_ == onefold_op_reduce_mean) total /= static_cast<double>(count_);
        if (op_ == onefold_op_reduce_l2) total = std::sqrt(total);
        return static_cast<float>(total);
    }

    double combine(double a, double b) const {
        switch (arithmetic_.kind) {
        case family::sum:
            return a + b;
        case family::product:
            return a * b;
        case family::extreme:
            break;
        }
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
        const bool maximum = op_ == onefold_op_reduce_max;
        if (a == b) return std::signbit(a) == maximum ? b : a;
        return (a > b) == maximum ? a : b;
    }

    /// The total over the elements at `src + offsets of the reduced dims`, `length` apart by `stride`, one by one in f64.
    double total_in_f64(const std::byte *src, int64_t length, int64_t stride) const {
        double total = arithmetic_.identity;
        odometer<1> at(nest_.reduced, 0);
        for (int64_t r = 0; r < reduced_; ++r, at.next())
            for (int64_t i = 0; i < length; i += tile) {
                alignas(64) float values[tile];
                const int64_t part = std::min(tile, length - i);
                load_(src + at.offsets[0] + i * stride * src_size_, stride, values, static_cast<size_t>(part));
                for (int64_t k = 0; k < part; ++k)
                    total += arithmetic_.map(static_cast<double>(values[k]));
            }
        return total;
    }

    bool is_plain_f32() const { return src_type_ == onefold_f32 && (nest_.src_stride == 1 || nest_.length == 1); }

    const row_kernels &kernels_;
    op_kind op_;
    arithmetic arithmetic_;
    reduction_nest nest_;
    size_t src_, dst_;
    data_type src_type_;
    int64_t src_size_, dst_size_;
    row_kernels::load load_;
    row_kernels::store store_;
    int64_t reduced_; // rows reduced into one result
    int64_t count_;   // elements reduced into one result
};

/// The innermost dim is reduced. Work is split into kept results and, where those have many elements, blocks of them.
class rows_step : public reduction_step {
public:
    explicit rows_step(const computation &c) : reduction_step(c) {
        pieces_ = (nest_.length + block - 1) / block;
        rows_a_block_ = pieces_ > 1 ? 1 : std::max<int64_t>(1, block / nest_.length);
        blocks_ = pieces_ > 1 ? reduced_ * pieces_ : (reduced_ + rows_a_block_ - 1) / rows_a_block_;
        kept_ = nest_.kept.count();
    }

    std::string name() const override { return fmt::format("simd:reduce_rows:{}", kernels_.isa); }

    size_t scratch_bytes() const override {
        return blocks_ == 1 ? 0 : static_cast<size_t>(kept_ * blocks_) * sizeof(double);
    }

    void run(std::span<std::byte *const> buffers, std::byte *scratch) const override {
        const std::byte *src = buffers[src_];
        std::byte *dst = buffers[dst_];
        if (blocks_ == 1) {
            for_each_unit(kept_, count_, [&](int64_t begin, int64_t end) {
                odometer<2> at(nest_.kept, begin);
                for (int64_t k = begin; k < end; ++k, at.next())
                    write(reduce_block(src + at.offsets[0], 0), src + at.offsets[0], dst + at.offsets[1]);
            });
            return;
        }
        auto *partial = reinterpret_cast<double *>(scratch);
        for_each_unit(kept_ * blocks_, std::min(count_, block), [&](int64_t begin, int64_t end) {
            odometer<2> at(nest_.kept, begin / blocks_);
            for (int64_t unit = begin; unit < end; ++unit) {
                partial[unit] = reduce_block(src + at.offsets[0], unit % blocks_);
                if (unit % blocks_ == blocks_ - 1) at.next();
            }
        });
        odometer<2> at(nest_.kept, 0);
        for (int64_t k = 0; k < kept_; ++k, at.next()) {
            double total = partial[k * blocks_];
            for (int64_t b = 1; b < blocks_; ++b)
                total = combine(total, partial[k * blocks_ + b]);
            write(total, src + at.offsets[0], dst + at.offsets[1]);
        }
    }

private:
    void write(double total, const std::byte *src, std::byte *dst) const {
        const float result = finish(total, [&] { return total_in_f64(src, nest_.length, nest_.src_stride); });
        store_(&result, dst, 1, 1);
    }

    double reduce_block(const std::byte *src, int64_t which) const {
        if (pieces_ > 1) {
            const odometer<1> at(nest_.reduced, which / pieces_);
            const int64_t first = which % pieces_ * block;
            return reduce_row(src + at.offsets[0] + first * nest_.src_stride * src_size_, std::min(block, nest_.length - first));
        }
        const int64_t begin = which * rows_a_block_;
        const int64_t end = std::min(reduced_, begin + rows_a_block_);
        odometer<1> at(nest_.reduced, begin);
        double total = reduce_row(src + at.offsets[0], nest_.length);
        for (int64_t row = begin + 1; row < end; ++row) {
            at.next();
            total = combine(total, reduce_row(src + at.offsets[0], nest_.length));
        }
        return total;
    }

    double reduce_row(const std::byte *src, int64_t length) const {
        if (is_plain_f32()) return arithmetic_.kernels.row(reinterpret_cast<const float *>(src), static_cast<size_t>(length));
        double total = arithmetic_.identity;
        for (int64_t i = 0; i < length; i += tile) {
            alignas(64) float values[tile];
            const auto part = static_cast<size_t>(std::min(tile, length - i));
            load_(src + i * nest_.src_stride * src_size_, nest_.src_stride, values, part);
            const double of_tile = arithmetic_.kernels.row(values, part);
            total = i == 0 ? of_tile : combine(total, of_tile);
        }
        return total;
    }

    int64_t pieces_;       // of a long row
    int64_t rows_a_block_; // of short ones
    int64_t blocks_;       // of each kept result
    int64_t kept_;
};

/// The innermost dim is kept. Work is split into strips of columns and, where those are few, blocks of reduced rows.
class columns_step : public reduction_step {
public:
    explicit columns_step(const computation &c) : reduction_step(c) {
        strip_ = std::min(nest_.length, is_plain_f32() ? widest_columns : tile / 2);
        strips_ = (nest_.length + strip_ - 1) / strip_;
        kept_ = nest_.kept.count();
        constexpr int64_t enough_units = 16;
        const int64_t rows_for_a_block = std::max<int64_t>(most_rows, block / strip_ / most_rows * most_rows);
        rows_a_block_ = kept_ * strips_ >= enough_units ? reduced_ : std::min(reduced_, rows_for_a_block);
        blocks_ = (reduced_ + rows_a_block_ - 1) / rows_a_block_;
    }

    std::string name() const override { return fmt::format("simd:reduce_columns:{}", kernels_.isa); }

    size_t scratch_bytes() const override {
        return blocks_ == 1 ? 0 : static_cast<size_t>(kept_ * strips_ * blocks_ * strip_) * sizeof(double);
    }

    void run(std::span<std::byte *const> buffers, std::byte *scratch) const override {
        const std::byte *src = buffers[src_];
        std::byte *dst = buffers[dst_];
        auto *partial = reinterpret_cast<double *>(scratch);
        const int64_t strips = kept_ * strips_;
        for_each_unit(strips * blocks_, rows_a_block_ * strip_, [&](int64_t begin, int64_t end) {
            for (int64_t unit = begin; unit < end; ++unit) {
                alignas(64) double here[widest_columns];
                double *totals = blocks_ == 1 ? here : partial + unit * strip_;
                reduce_block(src, unit / blocks_, unit % blocks_, totals);
                if (blocks_ == 1) write(totals, unit, src, dst);
            }
        });
        if (blocks_ == 1) return;
        for_each_unit(strips, blocks_ * strip_, [&](int64_t begin, int64_t end) {
            for (int64_t s = begin; s < end; ++s) {
                double *totals = partial + s * blocks_ * strip_;
                for (int64_t b = 1; b < blocks_; ++b)
                    for (int64_t i = 0; i < width(s); ++i)
                        totals[i] = combine(totals[i], totals[b * strip_ + i]);
                write(totals, s, src, dst);
            }
        });
    }

private:
    int64_t first_column(int64_t strip) const { return strip % strips_ * strip_; }
    int64_t width(int64_t strip) const { return std::min(strip_, nest_.length - first_column(strip)); }

    void reduce_block(const std::byte *src, int64_t strip, int64_t which, double *totals) const {
        const odometer<2> kept(nest_.kept, strip / strips_);
        src += kept.offsets[0] + first_column(strip) * nest_.src_stride * src_size_;
        const auto columns = static_cast<size_t>(width(strip));
        std::fill_n(totals, columns, arithmetic_.identity);
        const int64_t begin = which * rows_a_block_;
        const int64_t end = std::min(reduced_, begin + rows_a_block_);
        odometer<1> at(nest_.reduced, begin);
        for (int64_t row = begin; row < end; row += most_rows) {
            const auto rows = static_cast<size_t>(std::min(most_rows, end - row));
            reduce_rows(src, at, rows, columns, totals);
        }
    }

    /// Up to 8 rows, `at` being moved past them.
    void reduce_rows(const std::byte *src, odometer<1> &at, size_t rows, size_t columns, double *totals) const {
        alignas(64) float values[most_rows][tile / 2];
        const float *row[most_rows];
        for (size_t r = 0; r < rows; ++r, at.next()) {
            const std::byte *from = src + at.offsets[0];
            if (is_plain_f32())
                row[r] = reinterpret_cast<const float *>(from);
            else {
                load_(from, nest_.src_stride, values[r], columns);
                row[r] = values[r];
            }
        }
        arithmetic_.kernels.columns(row, rows, totals, columns);
    }

    void write(const double *totals, int64_t strip, const std::byte *src, std::byte *dst) const {
        const odometer<2> kept(nest_.kept, strip / strips_);
        const int64_t first = first_column(strip);
        const int64_t columns = width(strip);
        for (int64_t i = 0; i < columns; i += tile) {
            alignas(64) float results[tile];
            const int64_t part = std::min(tile, columns - i);
            for (int64_t k = 0; k < part; ++k) {
                const std::byte *column = src + kept.offsets[0] + (first + i + k) * nest_.src_stride * src_size_;
                results[k] = finish(totals[i + k], [&] { return total_in_f64(column, 1, 1); });
            }
            store_(results, dst + kept.offsets[1] + (first + i) * nest_.dst_stride * dst_size_, nest_.dst_stride,
                   static_cast<size_t>(part));
        }
    }

    int64_t strip_;  // columns in a strip
    int64_t strips_; // of each kept index
    int64_t kept_;
    int64_t rows_a_block_;
    int64_t blocks_; // of each strip
};

} // namespace

std::unique_ptr<step> make_reduction(const computation &c) {
    if (c.space.reduced.back()) return std::make_unique<rows_step>(c);
    return std::make_unique<columns_step>(c);
}

} // namespace onefold::impl::simd
