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

reduction_nest take_apart(const computation &c) {
    const size_t last = c.space.rank() - 1;
    const operand &src = c.src[0];
    reduction_nest n{{}, {}, c.space.sizes[last], src.strides[last], c.dst.strides[last]};
    for (size_t d = 0; d < last; ++d) {
        const int64_t src_stride = src.strides[d] * size_of(src.type);
        if (c.space.reduced[d])
            n.reduced.push_back(c.space.sizes[d], {src_stride});
        else
            n.kept.push_back(c.space.sizes[d], {src_stride, c.dst.strides[d] * size_of(c.dst.type)});
    }
    return n;
}

} // namespace

reduction_step::reduction_step(const computation &c)
    : kernels_(kernels()),
      nest_(take_apart(c)),
      src_(c.src[0].buffer),
      dst_(c.dst.buffer),
      src_size_(size_of(c.src[0].type)),
      dst_size_(size_of(c.dst.type)),
      load_(load_of(kernels_, c.src[0].type)),
      store_(store_of(kernels_, c.dst.type)),
      reduce_(kernels_of(reductions_of(kernels_, c.src[0].type), c.op)),
      reduce_f32_(kernels_of(kernels_.of_f32, c.op)),
      reduced_count_(nest_.reduced.count()),
      op_(c.op),
      identity_(identity_of(c.op)) {}

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
    constexpr int64_t tile = 1024;
    double total = identity_;
    odometer<1> at(nest_.reduced, 0);
    for (int64_t r = 0; r < reduced_count_; ++r, at.next())
        for (int64_t i = 0; i < length; i += tile) {
            alignas(64) float values[tile];
            const int64_t part = std::min(tile, length - i);
            load_(src + at.offsets[0] + i * stride * src_size_, stride, values, static_cast<size_t>(part));
            for (int64_t k = 0; k < part; ++k)
                total += map_in_f64(op_, static_cast<double>(values[k]));
        }
    return total;
}

} // namespace onefold::impl::simd
