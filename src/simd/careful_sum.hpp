#pragma once

#include <cmath>

#include "graph/types.hpp"

namespace onefold::impl::simd {

/// A sum of squares below this has lost bits, as a subnormal number or by underflow. 0 has not: see square_map.
constexpr double least_exact_square(data_type arithmetic) { return arithmetic == onefold_f32 ? 1e-30 : 1e-280; }

/// True if the fast path's f64 total may have overflowed or lost bits on the way.
inline bool is_doubtful(op_kind op, data_type arithmetic, double total) {
    const bool squares = op == onefold_op_reduce_l2 || op == onefold_op_reduce_sum_square;
    return !std::isfinite(total) || (squares && total > 0 && total < least_exact_square(arithmetic));
}

/// A sum of floats, their magnitudes or squares, in a type whose range holds the squares of all f64. What each addition loses
/// is kept beside it (Neumaier's summation), so that a mean of values near the largest does not round past it.
class careful_sum {
public:
    explicit careful_sum(op_kind op) : op_(op) {}

    template <typename T>
    void add(const T *values, int64_t count) {
        for (int64_t i = 0; i < count; ++i)
            add_term(term(static_cast<long double>(values[i])));
    }

    double result(int64_t elements) const {
        const long double sum = std::isfinite(total_) ? total_ + lost_ : total_;
        if (op_ == onefold_op_reduce_mean) return static_cast<double>(sum / static_cast<long double>(elements));
        if (op_ == onefold_op_reduce_log_sum) return static_cast<double>(std::log(sum));
        return static_cast<double>(op_ == onefold_op_reduce_l2 ? std::sqrt(sum) : sum);
    }

private:
    void add_term(long double x) {
        const long double sum = total_ + x;
        lost_ += std::fabs(total_) >= std::fabs(x) ? total_ - sum + x : x - sum + total_;
        total_ = sum;
    }

    long double term(long double x) const {
        switch (op_) {
        case onefold_op_reduce_l1:
            return std::fabs(x);
        case onefold_op_reduce_l2:
        case onefold_op_reduce_sum_square:
            return x * x;
        default:
            return x;
        }
    }

    op_kind op_;
    long double total_ = 0;
    long double lost_ = 0;
};

/// Stores the result, and adds elements, in an arithmetic type: f32 or f64.
inline void put_float(data_type arithmetic, double value, std::byte *results, int64_t i) {
    if (arithmetic == onefold_f32)
        reinterpret_cast<float *>(results)[i] = static_cast<float>(value);
    else
        reinterpret_cast<double *>(results)[i] = value;
}
inline void add_floats(data_type arithmetic, const std::byte *values, int64_t count, careful_sum &sum) {
    if (arithmetic == onefold_f32)
        sum.add(reinterpret_cast<const float *>(values), count);
    else
        sum.add(reinterpret_cast<const double *>(values), count);
}

} // namespace onefold::impl::simd
