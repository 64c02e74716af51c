#include "simd/reduction_step.hpp"

#include <cmath>
#include <limits>

namespace onefold::impl::simd {

namespace {

enum class family { sum, product, extreme };

family family_of(op_kind op) {
    switch (op) {
    case onefold_op_reduce_prod:
        return family::product;
    case onefold_op_reduce_max:
    case onefold_op_reduce_min:
        return family::extreme;
    default:
        return family::sum;
    }
}

double identity_of(op_kind op) {
    switch (op) {
    case onefold_op_reduce_prod:
        return 1;
    case onefold_op_reduce_max:
        return -std::numeric_limits<double>::infinity();
    case onefold_op_reduce_min:
        return std::numeric_limits<double>::infinity();
    default:
        return 0;
    }
}

row_kernels::reduction kernels_of(const row_kernels::reductions &all, op_kind op) {
    switch (op) {
    case onefold_op_reduce_l1:
        return all.sum_of_magnitudes;
    case onefold_op_reduce_l2:
        return all.sum_of_squares;
    case onefold_op_reduce_prod:
        return all.product;
    case onefold_op_reduce_max:
        return all.maximum;
    case onefold_op_reduce_min:
        return all.minimum;
    default:
        return all.sum;
    }
}

double map_in_f64(op_kind op, double x) {
    switch (op) {
    case onefold_op_reduce_l1:
        return std::fabs(x);
    case onefold_op_reduce_l2:
        return x * x;
    default:
        return x;
    }
}

/// The dims around the innermost one that are kept, or reduced.
nest outer_dims(const computation &c, bool reduced, const std::vector<const operand *> &operands) {
    nest n(operands.size());
    for (size_t d = 0; d + 1 < c.space.rank(); ++d)
        if (c.space.reduced[d] == reduced) n.add_dim(c.space, d, operands);
    return n;
}

} // namespace

reduction_step::reduction_step(const computation &c, size_t epilogue_dim)
    : kernels_(kernels()),
      kept_(outer_dims(c, false, operands_of(c))),
      reduced_(outer_dims(c, true, {c.src.data()})),
      length_(c.space.sizes.back()),
      src_(kernels_, c.src[0], c.space.rank() - 1),
      dst_(kernels_, c.dst, epilogue_dim),
      reduce_(kernels_of(reductions_of(kernels_, c.src[0].type), c.op)),
      reduce_f32_(kernels_of(kernels_.of_f32, c.op)),
      reduced_count_(reduced_.count()),
      op_(c.op),
      identity_(identity_of(c.op)),
      store_(store_of(kernels_, c.dst.type)),
      epilogue_(kernels_, c, epilogue_dim, dst_operand + 1) {}

void reduction_step::store_results(float *results, int64_t count, std::span<std::byte *const> buffers,
                                   const operand_offsets &offsets, int64_t begin) const {
    for (int64_t i = 0; i < count; i += tile_size) {
        const int64_t part = std::min(tile_size, count - i);
        epilogue_.apply(results + i, part, buffers, offsets, begin + i);
        std::byte *row = buffers[dst_.buffer] + offsets[dst_operand];
        store_(results + i, dst_.at(row, begin + i), dst_.stride, static_cast<size_t>(part));
    }
}

double reduction_step::combine(double a, double b) const {
    switch (family_of(op_)) {
    case family::sum:
        return a + b;
    case family::product:
        return a * b;
    case family::extreme:
        break;
    }
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
    const bool maximum = op_ == onefold_op_reduce_max;
    if (a == b) return std::signbit(a) == maximum ? b : a; // zeros of both signs
    return (a > b) == maximum ? a : b;
}

bool reduction_step::needs_care(double total) const {
    if (family_of(op_) != family::sum) return false;
    // Squares below this have lost bits in f32, where the least normal number is 1.2e-38.
    constexpr double tiny_square = 1e-30;
    return !std::isfinite(total) || (op_ == onefold_op_reduce_l2 && total < tiny_square && total >= 0);
}

float reduction_step::round(double total, int64_t count) const {
    if (op_ == onefold_op_reduce_mean) total /= static_cast<double>(count);
    if (op_ == onefold_op_reduce_l2) total = std::sqrt(total);
    return static_cast<float>(total);
}

double reduction_step::total_in_f64(const std::byte *src, int64_t length, int64_t stride) const {
    double total = identity_;
    odometer at(reduced_, 0);
    for (int64_t r = 0; r < reduced_count_; ++r, at.next())
        for (int64_t i = 0; i < length; i += tile_size) {
            alignas(64) float values[tile_size];
            const int64_t part = std::min(tile_size, length - i);
            src_.load(src + at.offsets[0] + i * stride * src_.size, stride, values, static_cast<size_t>(part));
            for (int64_t k = 0; k < part; ++k)
                total += map_in_f64(op_, static_cast<double>(values[k]));
        }
    return total;
}

} // namespace onefold::impl::simd
