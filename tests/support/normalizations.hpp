#pragma once

#include <cmath>

#include "support/expected.hpp"
#include "support/one_partition.hpp"

// Normalizations made of ops, and what they give by plain code: each step rounded to f32, so that they overflow alike.
namespace onefold_test {

/// What a row, or a column, becomes: values, and how far from them a result may be before it is rounded to its type.
struct expected_row {
    std::vector<double> value;
    std::vector<double> error;
};

inline double to_f32(double x) { return round_to(data_type::f32, x); }

struct normalization {
    const char *name;
    /// Adds the ops to a graph: from f32 to f32.
    logical_tensor (*add)(one_partition &p, const logical_tensor &src);
    expected_row (*expect)(const std::vector<double> &row);
};

inline void PrintTo(const normalization &n, std::ostream *out) { *out << n.name; }

inline logical_tensor add_layer_norm(one_partition &p, const logical_tensor &src) {
    const auto epsilon = p.add_source({data_type::f32, {1}, {1e-5}});
    const auto difference = p.add(op::kind::Subtract, {src, p.add(op::kind::ReduceMean, {src})});
    const auto variance = p.add(op::kind::ReduceMean, {p.add(op::kind::Square, {difference})});
    const auto root = p.add(op::kind::Sqrt, {p.add(op::kind::Add, {variance, epsilon})});
    return p.add(op::kind::Divide, {difference, root});
}

inline expected_row expect_layer_norm(const std::vector<double> &row) {
    const auto count = static_cast<double>(row.size());
    double sum = 0;
    double largest = 0;
    for (const double x : row) {
        sum += x;
        largest = std::max(largest, std::abs(x));
    }
    const double mean = to_f32(sum / count);
    double squares = 0;
    for (const double x : row)
        squares += to_f32(x - mean) * to_f32(x - mean);
    const double deviation = std::sqrt(to_f32(squares / count + to_f32(1e-5)));
    expected_row y;
    for (const double x : row) {
        y.value.push_back(to_f32(x - mean) / deviation);
        // The mean is within some units of the largest element, and so is a difference from it.
        y.error.push_back(4 * f32_unit * largest / deviation + 8 * f32_unit * (1 + std::abs(y.value.back())));
    }
    return y;
}

inline logical_tensor add_softmax(one_partition &p, const logical_tensor &src) {
    const auto below = p.add(op::kind::Subtract, {src, p.add(op::kind::ReduceMax, {src})});
    const auto exponentials = p.add(op::kind::Exp, {below});
    return p.add(op::kind::Divide, {exponentials, p.add(op::kind::ReduceSum, {exponentials})});
}

/// The reduction of a row as the reference for ops has it.
inline double reduced(op::kind kind, const std::vector<double> &row) {
    return expect_reduction(kind, row, {static_cast<int64_t>(row.size())}, {0}).value.at(0);
}

inline expected_row expect_softmax(const std::vector<double> &row) {
    const double most = reduced(op::kind::ReduceMax, row);
    expected_row y;
    double sum = 0;
    for (const double x : row) {
        y.value.push_back(std::exp(to_f32(x - most)));
        sum += y.value.back();
    }
    for (size_t i = 0; i < row.size(); ++i) {
        y.value[i] /= sum;
        y.error.push_back(24 * f32_unit * y.value[i] + 0x1p-146);
    }
    return y;
}

/// Of the negated row: fewer ops might be taken apart.
inline logical_tensor add_l2_norm(one_partition &p, const logical_tensor &src) {
    const auto negated = p.add(op::kind::Neg, {src});
    return p.add(op::kind::Divide, {negated, p.add(op::kind::ReduceL2, {negated})});
}

inline expected_row expect_l2_norm(const std::vector<double> &row) {
    const double norm = to_f32(reduced(op::kind::ReduceL2, row));
    expected_row y;
    for (const double x : row) {
        y.value.push_back(-x / norm);
        y.error.push_back(12 * f32_unit * std::abs(y.value.back()) + 0x1p-148);
    }
    return y;
}

inline logical_tensor add_min_max(one_partition &p, const logical_tensor &src) {
    const auto least = p.add(op::kind::ReduceMin, {src});
    const auto span = p.add(op::kind::Subtract, {p.add(op::kind::ReduceMax, {src}), least});
    return p.add(op::kind::Divide, {p.add(op::kind::Subtract, {src, least}), span});
}

inline expected_row expect_min_max(const std::vector<double> &row) {
    const double least = reduced(op::kind::ReduceMin, row);
    const double span = to_f32(reduced(op::kind::ReduceMax, row) - least);
    expected_row y;
    for (const double x : row) {
        y.value.push_back(to_f32(x - least) / span);
        y.error.push_back(3 * f32_unit * std::abs(y.value.back()) + 0x1p-148);
    }
    return y;
}

inline constexpr normalization normalizations[] = {{"layer_norm", add_layer_norm, expect_layer_norm},
                                                   {"softmax", add_softmax, expect_softmax},
                                                   {"l2_norm", add_l2_norm, expect_l2_norm},
                                                   {"min_max", add_min_max, expect_min_max}};

/// Source 0 in its type, normalized in f32 over the axes of `p`, in its type again. `strides`: of the output, dense if empty.
inline void compile_normalization(one_partition &p, const normalization &n, array src, const dims &strides = {}) {
    const data_type type = src.type();
    const auto x = p.cast(p.add_source(std::move(src)), data_type::f32);
    p.compile({p.cast(n.add(p, x), type)}, strides.empty() ? std::vector<dims>() : std::vector<dims>{strides});
}

/// What elements become whose rows lie along one axis.
inline expected_tensor expect_along(const normalization &n, const array &src, size_t axis) {
    const dims shape = src.shape();
    const auto length = static_cast<size_t>(shape.at(axis));
    size_t distance = 1;
    for (size_t i = axis + 1; i < shape.size(); ++i)
        distance *= static_cast<size_t>(shape[i]);
    const std::vector<double> values = src.values();
    expected_tensor dst{shape, std::vector<double>(values.size()), std::vector<double>(values.size())};
    for (size_t first = 0; first < values.size(); ++first) {
        if (first / distance % length != 0) continue;
        std::vector<double> row;
        for (size_t i = 0; i < length; ++i)
            row.push_back(values[first + i * distance]);
        const expected_row y = n.expect(row);
        for (size_t i = 0; i < length; ++i) {
            dst.value[first + i * distance] = y.value[i];
            dst.error[first + i * distance] = y.error[i];
        }
    }
    return dst;
}

} // namespace onefold_test
