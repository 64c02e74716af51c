#pragma once

#include <algorithm>
#include <random>

#include "support/run_op.hpp"

// What ops must give, by plain code in long double.
namespace onefold_test {

struct expected_tensor {
    dims shape;
    std::vector<double> value;
    std::vector<double> error; // how far from the value a result may be before it is rounded to its type
};

/// The exact sums of elements, and what a reduction makes of them.
struct exact_sums {
    long double sum = 0;
    long double lost = 0; // what the additions rounded away
    long double magnitudes = 0;
    long double squares = 0;
    double not_finite = 0; // the sum of the elements that are not

    void add(double x) {
        if (!std::isfinite(x)) {
            not_finite += x;
            magnitudes = squares = std::isnan(x) || std::isnan(magnitudes) ? not_a_number : infinity;
            return;
        }
        const auto wide = static_cast<long double>(x);
        const long double next = sum + wide;
        lost += std::abs(sum) >= std::abs(wide) ? sum - next + wide : wide - next + sum;
        sum = next;
        magnitudes += std::abs(wide);
        squares += wide * wide;
    }

    double result(op::kind kind, size_t count) const {
        const long double total = not_finite == 0 ? sum + lost : static_cast<long double>(not_finite);
        switch (kind) {
        case op::kind::ReduceMean:
            return static_cast<double>(total / static_cast<long double>(count));
        case op::kind::ReduceL1:
            return static_cast<double>(magnitudes);
        case op::kind::ReduceL2:
            return static_cast<double>(std::sqrt(squares));
        default:
            return static_cast<double>(total);
        }
    }

    /// Elements added in f32 in trees of 8, the trees in f64, the total rounded: four roundings. Rows of up to 1024 elements
    /// may be added lane by lane in sequence: 68 of them at the most.
    double error(op::kind kind, size_t count) const {
        const double roundings = count <= 1024 ? std::min(static_cast<double>(count) + 1, 68.0) : 4;
        switch (kind) {
        case op::kind::ReduceMean:
            return roundings * f32_unit * static_cast<double>(magnitudes / static_cast<long double>(count));
        case op::kind::ReduceL2:
            // Each square is rounded, then the sum as above; the root halves the relative error and is rounded itself.
            return ((roundings + 1) / 2 + 1) * f32_unit * result(kind, count);
        default:
            return roundings * f32_unit * static_cast<double>(magnitudes);
        }
    }
};

inline bool is_sum(op::kind kind) {
    return kind == op::kind::ReduceSum || kind == op::kind::ReduceMean || kind == op::kind::ReduceL1 ||
           kind == op::kind::ReduceL2;
}

/// One output of any reduction.
struct gathered {
    op::kind kind;
    exact_sums sums;
    long double product = 1;
    double most = -infinity; // by IEEE 754-2019's maximum: NaN wins, -0 < +0
    double least = infinity;

    void add(double x) {
        if (is_sum(kind)) return sums.add(x);
        if (kind == op::kind::ReduceProd) product *= static_cast<long double>(x);
        if (std::isnan(x) || x > most || (x == most && !std::signbit(x))) most = std::isnan(most) ? most : x;
        if (std::isnan(x) || x < least || (x == least && std::signbit(x))) least = std::isnan(least) ? least : x;
    }

    double result(size_t count) const {
        if (is_sum(kind)) return sums.result(kind, count);
        if (kind == op::kind::ReduceProd) return static_cast<double>(product);
        return kind == op::kind::ReduceMax ? most : least;
    }

    double error(size_t count) const {
        if (is_sum(kind)) return sums.error(kind, count);
        return kind == op::kind::ReduceProd ? static_cast<double>(count) * f32_unit * std::abs(result(count)) : 0;
    }
};

inline expected_tensor expect_reduction(op::kind kind, const std::vector<double> &src, const dims &shape, const axes_list &axes,
                                        bool keep_dims = false) {
    const auto rank = static_cast<int64_t>(shape.size());
    std::vector<bool> reduced(shape.size(), false);
    for (const int64_t axis : axes)
        reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
    expected_tensor dst;
    dims strides(shape.size(), 0);
    int64_t outputs = 1;
    size_t count = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        if (reduced[i])
            count *= static_cast<size_t>(shape[i]);
        else {
            strides[i] = outputs;
            outputs *= shape[i];
        }
        if (!reduced[i] || keep_dims) dst.shape.insert(dst.shape.begin(), reduced[i] ? 1 : shape[i]);
    }
    std::vector<gathered> all(static_cast<size_t>(outputs), gathered{kind, {}});
    for_each_element(shape, strides, [&](size_t i, int64_t output) { all[static_cast<size_t>(output)].add(src[i]); });
    for (const gathered &one : all) {
        dst.value.push_back(one.result(count));
        dst.error.push_back(one.error(count));
    }
    return dst;
}

/// Whether every element is the expected one within its error, rounded to the type once.
inline testing::AssertionResult are_within(const array &got, const expected_tensor &expected) {
    if (got.shape() != expected.shape)
        return testing::AssertionFailure() << "shape " << testing::PrintToString(got.shape()) << ", not "
                                           << testing::PrintToString(expected.shape);
    const auto values = got.values();
    for (size_t i = 0; i < values.size(); ++i)
        if (!is_within(got.type(), values[i], expected.value[i], expected.error[i]))
            return testing::AssertionFailure() << "element " << i << " of " << values.size() << " is " << values[i] << ", not "
                                               << expected.value[i] << " within " << expected.error[i];
    return testing::AssertionSuccess();
}

/// Values of both signs over a few binades, rounded to the type. The same seed gives the same.
inline std::vector<double> random_values(data_type type, size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> values(count);
    for (double &value : values) {
        const double fraction = 1 + static_cast<double>(random() % 4096) / 4096;
        value = round_to(type, std::ldexp(random() % 2 ? fraction : -fraction, static_cast<int>(random() % 6) - 3));
    }
    return values;
}

/// The operand's elements, repeated to fill the shape.
inline std::vector<double> spread(const array &operand, const dims &shape) {
    const dims dense_strides = row_major(operand.shape());
    dims strides(shape.size(), 0);
    for (size_t i = 0; i < operand.shape().size(); ++i)
        if (operand.shape()[i] != 1) strides[shape.size() - operand.shape().size() + i] = dense_strides[i];
    std::vector<double> result;
    const auto values = operand.values();
    for_each_element(shape, strides, [&](size_t, int64_t i) { result.push_back(values[static_cast<size_t>(i)]); });
    return result;
}

} // namespace onefold_test
