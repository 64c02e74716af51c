// SoftMax, LogSoftmax, LayerNorm and RMSNorm through the C++ API: along any dims and strides, all outputs, types that are
// mixed, values at the ends of the range.
#include <functional>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

using attr = op::attr;

/// What becomes of the elements that are normalized together.
using row_function = std::function<std::vector<double>(const std::vector<double> &)>;

std::vector<double> softmax(const std::vector<double> &row) {
    const double largest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const double x : row)
        sum += std::exp(x - largest);
    std::vector<double> result;
    for (const double x : row)
        result.push_back(std::exp(x - largest) / sum);
    return result;
}

std::vector<double> log_softmax(const std::vector<double> &row) {
    const double largest = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const double x : row)
        sum += std::exp(x - largest);
    std::vector<double> result;
    for (const double x : row)
        result.push_back(x - largest - std::log(sum));
    return result;
}

double mean_of(const std::vector<double> &row) {
    double sum = 0;
    for (const double x : row)
        sum += x;
    return sum / static_cast<double>(row.size());
}

double variance_of(const std::vector<double> &row, double around) {
    double sum = 0;
    for (const double x : row)
        sum += (x - around) * (x - around);
    return sum / static_cast<double>(row.size());
}

std::vector<double> normalized(const std::vector<double> &row, double mean) {
    std::vector<double> result;
    for (const double x : row)
        result.push_back((x - mean) / std::sqrt(variance_of(row, mean) + 1e-5));
    return result;
}

/// A function of each row along a dim, or of all dims from it on together.
std::vector<double> along(const std::vector<double> &values, const dims &shape, size_t axis, bool to_end,
                          const row_function &f) {
    const dims strides = row_major(shape);
    const size_t outer = count_of({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)});
    const size_t inner = to_end ? 1 : static_cast<size_t>(strides[axis]);
    const size_t length = values.size() / outer / inner;
    std::vector<double> result(values.size());
    for (size_t o = 0; o < outer; ++o)
        for (size_t i = 0; i < inner; ++i) {
            std::vector<double> row;
            for (size_t k = 0; k < length; ++k)
                row.push_back(values[(o * length + k) * inner + i]);
            row = f(row);
            for (size_t k = 0; k < length; ++k)
                result[(o * length + k) * inner + i] = row[k];
        }
    return result;
}

testing::AssertionResult are_near(const array &got, const std::vector<double> &expected, double tolerance = 4e-6) {
    expected_tensor all{got.shape(), expected, {}};
    for (const double value : expected)
        all.error.push_back(tolerance * (1 + std::abs(value)));
    return are_within(got, all);
}

attributes layer_norm(int64_t begin_norm_axis, bool keep_stats, bool use_affine) {
    return {{attr::begin_norm_axis, begin_norm_axis}, {attr::keep_stats, keep_stats}, {attr::use_affine, use_affine}};
}

struct shape_case {
    dims shape;
    dims strides;
};

const shape_case shapes[] = {
    {{1}, {1}},
    {{5, 257}, {257, 1}},
    {{257, 5}, {1, 257}},
    {{3, 17, 4}, {100, 5, 1}},
    {{2, 3, 5, 7}, {105, 1, 21, 3}},
    {{2, 5000}, {5000, 1}},
    {{1000, 3}, {3, 1}},
};

TEST(normalization, of_any_dims_and_strides) {
    for (const shape_case &c : shapes)
        for (const data_type type : float_types) {
            const auto values = random_values(type, count_of(c.shape), 5);
            const array src(type, c.shape, values, c.strides);
            for (size_t axis = 0; axis < c.shape.size(); ++axis) {
                SCOPED_TRACE(testing::PrintToString(c.shape) + " " + name_of(type) + " axis " + std::to_string(axis));
                const auto a = static_cast<int64_t>(axis);
                EXPECT_TRUE(
                    are_near(run(op::kind::SoftMax, {{attr::axis, a}}, {src}), along(values, c.shape, axis, false, softmax)));
                EXPECT_TRUE(are_near(run(op::kind::LogSoftmax, {{attr::axis, a - static_cast<int64_t>(c.shape.size())}}, {src}),
                                     along(values, c.shape, axis, false, log_softmax)));
                EXPECT_TRUE(are_near(
                    run(op::kind::LayerNorm, layer_norm(a, false, false), {src}),
                    along(values, c.shape, axis, true, [](const auto &row) { return normalized(row, mean_of(row)); })));
                EXPECT_TRUE(are_near(run(op::kind::RMSNorm, {{attr::begin_norm_axis, a}}, {src}),
                                     along(values, c.shape, axis, true, [](const auto &row) { return normalized(row, 0); })));
            }
        }
}

TEST(normalization, gamma_and_beta_are_broadcast_to_src) {
    const dims shape = {3, 2, 4};
    const dims operands[] = {{4}, {2, 4}, {2, 1}, {1}, {}, {3, 1, 1}, {3, 2, 4}};
    for (const data_type type : float_types)
        for (const data_type other : {type, data_type::f32})
            for (const dims &of_gamma : operands) {
                SCOPED_TRACE(testing::PrintToString(of_gamma) + " " + name_of(type) + " " + name_of(other));
                const array src(type, shape, random_values(type, 24, 6));
                const array gamma(other, of_gamma, random_values(other, count_of(of_gamma), 7));
                const array beta(other, {4}, random_values(other, 4, 8));
                auto expected =
                    along(src.values(), shape, 1, true, [](const auto &row) { return normalized(row, mean_of(row)); });
                auto expected_rms = along(src.values(), shape, 1, true, [](const auto &row) { return normalized(row, 0); });
                constexpr double of_terms_that_cancel = 4e-5;
                const auto factors = spread(gamma, shape);
                const auto terms = spread(beta, shape);
                for (size_t i = 0; i < expected.size(); ++i) {
                    expected[i] = expected[i] * factors[i] + terms[i];
                    expected_rms[i] *= factors[i];
                }
                EXPECT_TRUE(are_near(run(op::kind::LayerNorm, layer_norm(1, false, true), {src, gamma, beta}), expected,
                                     of_terms_that_cancel));
                EXPECT_TRUE(are_near(run(op::kind::RMSNorm, {{attr::begin_norm_axis, int64_t{1}}}, {src, gamma}), expected_rms,
                                     of_terms_that_cancel));
            }
}

TEST(normalization, layer_norm_gives_mean_and_variance) {
    const dims shape = {3, 5, 7};
    for (const data_type type : float_types)
        for (const data_type of_statistics : {type, data_type::f32}) {
            array src(type, shape, random_values(type, 105, 9));
            op o(0, op::kind::LayerNorm, {src.describe(0)},
                 {open_tensor(100, type), open_tensor(101, of_statistics), open_tensor(102, of_statistics)});
            o.set_attr<int64_t>(attr::begin_norm_axis, 1).set_attr<bool>(attr::use_affine, false);
            const auto compiled =
                partition(o, engine::kind::cpu)
                    .compile({src.describe(0)},
                             {open_tensor(100, type), open_tensor(101, of_statistics), open_tensor(102, of_statistics)}, cpu());
            EXPECT_EQ(compiled.query_logical_tensor(101).get_dims(), dims(1, 3));
            EXPECT_EQ(compiled.query_logical_tensor(102).get_dims(), dims(1, 3));
            array dst(type, shape), mean(of_statistics, {3}), variance(of_statistics, {3});
            stream s(cpu());
            compiled.execute(s, {tensor(src.describe(0), cpu(), src.data())},
                             {tensor(dst.describe(100), cpu(), dst.data()), tensor(mean.describe(101), cpu(), mean.data()),
                              tensor(variance.describe(102), cpu(), variance.data())});
            std::vector<double> means, variances;
            along(src.values(), shape, 1, true, [&](const std::vector<double> &row) {
                means.push_back(mean_of(row));
                variances.push_back(variance_of(row, means.back()));
                return row;
            });
            EXPECT_TRUE(are_near(mean, means));
            EXPECT_TRUE(are_near(variance, variances));
            EXPECT_TRUE(are_near(
                dst, along(src.values(), shape, 1, true, [](const auto &row) { return normalized(row, mean_of(row)); })));
        }
}

TEST(normalization, a_softmax_casts_between_f32_and_smaller_types) {
    for (const op::kind kind : {op::kind::SoftMax, op::kind::LogSoftmax})
        for (const data_type small : {data_type::bf16, data_type::f16}) {
            const array src(data_type::f32, {4, 9}, random_values(data_type::f32, 36, 10));
            const array small_src(small, {4, 9}, random_values(small, 36, 10));
            const auto f = kind == op::kind::SoftMax ? softmax : log_softmax;
            EXPECT_TRUE(
                are_near(run(kind, {{attr::axis, int64_t{1}}}, {src}, small), along(src.values(), {4, 9}, 1, false, f)));
            EXPECT_TRUE(are_near(run(kind, {{attr::axis, int64_t{1}}}, {small_src}, data_type::f32),
                                 along(small_src.values(), {4, 9}, 1, false, f)));
        }
}

TEST(normalization, softmax_of_large_values_and_infinities) {
    const auto of = [](op::kind kind, const std::vector<double> &row) {
        return run(kind, {{attr::axis, int64_t{0}}}, {array(data_type::f32, {static_cast<int64_t>(row.size())}, row)}).values();
    };
    EXPECT_TRUE(are_identical(of(op::kind::SoftMax, {1e38, 1e38}), {0.5, 0.5}));
    EXPECT_TRUE(are_identical(of(op::kind::SoftMax, {-3e38, 3e38}), {0, 1}));
    EXPECT_TRUE(are_identical(of(op::kind::SoftMax, {-infinity, 5, -infinity}), {0, 1, 0}));
    EXPECT_TRUE(are_identical(of(op::kind::LogSoftmax, {-infinity, 5}), {-infinity, 0}));
    for (const op::kind kind : {op::kind::SoftMax, op::kind::LogSoftmax}) {
        EXPECT_TRUE(are_identical(of(kind, {-infinity, -infinity}), {not_a_number, not_a_number}));
        EXPECT_TRUE(are_identical(of(kind, {1, not_a_number, 2}), {not_a_number, not_a_number, not_a_number}));
    }
}

TEST(normalization, of_values_far_from_0) {
    // Squares summed up and less the square of the mean would leave nothing.
    std::vector<double> row;
    for (int i = 0; i < 300; ++i)
        row.push_back(10000 + i % 2);
    const array dst = run(op::kind::LayerNorm, layer_norm(-1, false, false), {array(data_type::f32, {1, 300}, row)});
    const double expected = 0.5 / std::sqrt(0.25 + 1e-5);
    for (size_t i = 0; i < 300; ++i)
        EXPECT_NEAR(dst.values()[i], i % 2 ? expected : -expected, 2e-3);
}

TEST(normalization, of_no_elements) {
    for (const dims &shape : {dims{0, 3}, dims{3, 0}})
        for (const op::kind kind : {op::kind::SoftMax, op::kind::LogSoftmax, op::kind::RMSNorm})
            EXPECT_EQ(run(kind, {}, {array(data_type::f32, shape)}).shape(), shape);
}

TEST(normalization, gives_the_same_bits_with_any_number_of_threads) {
    const dims shape = {37, 5000};
    const array src(data_type::f32, shape, random_values(data_type::f32, count_of(shape), 11));
    for (const int64_t axis : {0, 1}) {
        const auto one = run(op::kind::SoftMax, {{attr::axis, axis}}, {src}, data_type::f32, 1).values();
        const auto norm = run(op::kind::LayerNorm, layer_norm(axis, false, false), {src}, data_type::f32, 1).values();
        for (const unsigned threads : {2U, 3U}) {
            EXPECT_TRUE(
                are_identical(run(op::kind::SoftMax, {{attr::axis, axis}}, {src}, data_type::f32, threads).values(), one));
            EXPECT_TRUE(are_identical(
                run(op::kind::LayerNorm, layer_norm(axis, false, false), {src}, data_type::f32, threads).values(), norm));
        }
    }
}

TEST(normalization, what_does_not_fit_is_refused) {
    const array src(data_type::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 0 (SoftMax)", "axis is 2", "[-2, 1]"}, [&] {
        run(op::kind::SoftMax, {{attr::axis, int64_t{2}}}, {src});
    }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"op 0 (RMSNorm)", "gamma", "2x3"}, [&] {
        run(op::kind::RMSNorm, {}, {src, array(data_type::f32, {4}, {1, 1, 1, 1})});
    }));
    EXPECT_TRUE(fails(onefold_invalid_graph_op, {"op 0 (LayerNorm)", "gamma", "use_affine"},
                      [&] { run(op::kind::LayerNorm, layer_norm(-1, false, true), {src}); }));
}

} // namespace
