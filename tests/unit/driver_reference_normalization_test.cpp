// The reference of ops with one source that is normalized, and how far their results may lie from it.
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/compare.hpp"
#include "tests/driver/reference.hpp"
#include "tests/driver/reference_format.hpp"

namespace onefold::driver {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

std::vector<reference_tensor> compute(impl::op_kind kind, const std::vector<reference_tensor> &srcs,
                                      impl::attribute_map attributes, size_t outputs = 1) {
    impl::op o;
    o.kind = kind;
    o.raw_attributes = std::move(attributes);
    reference_tensors tensors;
    for (size_t i = 0; i < srcs.size(); ++i) {
        o.inputs.push_back(impl::make_dense(i, onefold_f32, {}));
        tensors[i] = srcs[i];
    }
    for (size_t i = 0; i < outputs; ++i)
        o.outputs.push_back(impl::make_dense(100 + i, onefold_f32, {}));
    compute_reference({&o, 1}, tensors);
    std::vector<reference_tensor> dsts;
    for (size_t i = 0; i < outputs; ++i)
        dsts.push_back(tensors.at(100 + i));
    return dsts;
}

const reference_tensor two_by_two = exact_tensor({2, 2}, {0, std::log(3.0), 1000, 1000});

TEST(driver_reference_normalization, softmax) {
    const auto near = [](double value) { return DoubleNear(value, 1e-12); };
    EXPECT_THAT(compute(onefold_op_softmax, {two_by_two}, {})[0].value,
                ElementsAre(near(0.25), near(0.75), near(0.5), near(0.5)));
    const auto columns = compute(onefold_op_softmax, {two_by_two}, {{onefold_op_attr_axis, int64_t{0}}})[0];
    EXPECT_THAT(columns.value, ElementsAre(0, 0, 1, 1));
    EXPECT_EQ(columns.dims, (impl::dims{2, 2}));
}

TEST(driver_reference_normalization, log_softmax) {
    const auto near = [](double value) { return DoubleNear(value, 1e-12); };
    const auto rows = compute(onefold_op_log_softmax, {two_by_two}, {})[0];
    EXPECT_THAT(rows.value, ElementsAre(near(std::log(0.25)), near(std::log(0.75)), near(std::log(0.5)), near(std::log(0.5))));
    const auto columns = compute(onefold_op_log_softmax, {two_by_two}, {{onefold_op_attr_axis, int64_t{-2}}})[0];
    EXPECT_THAT(columns.value, ElementsAre(-1000, near(std::log(3.0) - 1000), 0, 0));
}

TEST(driver_reference_normalization, layer_norm) {
    const impl::attribute_map without_epsilon = {{onefold_op_attr_epsilon, 0.0F}};
    const auto src = exact_tensor({2, 3}, {1, 2, 3, 4, 8, 12});
    const auto gamma = exact_tensor({3}, {1, 2, 3});
    const auto beta = exact_tensor({3}, {10, 20, 30});
    const double root = std::sqrt(1.5);
    const auto dsts = compute(onefold_op_layer_norm, {src, gamma, beta}, without_epsilon, 3);
    EXPECT_THAT(dsts[0].value, Pointwise(DoubleNear(1e-12), {10 - root, 20.0, 30 + 3 * root, 10 - root, 20.0, 30 + 3 * root}));
    EXPECT_THAT(dsts[1].value, ElementsAre(2, 8));
    EXPECT_THAT(dsts[2].value, Pointwise(DoubleNear(1e-12), {2.0 / 3, 32.0 / 3}));
    EXPECT_EQ(dsts[1].dims, (impl::dims{2}));
    // Over all dims; epsilon as given, and 1e-5 where it is not.
    const auto all = compute(onefold_op_layer_norm, {exact_tensor({2, 2}, {-1, 1, -1, 1})},
                             {{onefold_op_attr_begin_norm_axis, int64_t{0}}, {onefold_op_attr_epsilon, 3.0F}}, 3);
    EXPECT_THAT(all[0].value, ElementsAre(-0.5, 0.5, -0.5, 0.5));
    EXPECT_EQ(all[1].dims, impl::dims{});
    const auto flat = compute(onefold_op_layer_norm, {exact_tensor({1, 2}, {0, 0.002})}, {})[0];
    EXPECT_NEAR(flat.value[1], 0.001 / std::sqrt(1e-6 + 1e-5), 1e-6);
}

TEST(driver_reference_normalization, rms_norm) {
    const auto src = exact_tensor({1, 2}, {3, -4});
    const auto gamma = exact_tensor({2}, {1, 2});
    const double root = std::sqrt(12.5);
    EXPECT_THAT(compute(onefold_op_rms_norm, {src}, {{onefold_op_attr_epsilon, 0.0F}})[0].value,
                Pointwise(DoubleNear(1e-12), {3 / root, -4 / root}));
    EXPECT_THAT(compute(onefold_op_rms_norm, {src, gamma}, {{onefold_op_attr_epsilon, 3.5F}})[0].value,
                Pointwise(DoubleNear(1e-12), {0.75, -2.0}));
}

/// f32 rows of a normal distribution around `centre`.
std::vector<float> random_values(size_t count, float centre) {
    std::mt19937 generator(1);
    std::normal_distribution<float> distribution(centre);
    std::vector<float> values(count);
    for (float &value : values)
        value = distribution(generator);
    return values;
}

float mean_of(const std::vector<float> &values, float (*f)(float)) {
    double sum = 0;
    for (const float value : values)
        sum += f(value);
    return static_cast<float>(sum / static_cast<double>(values.size()));
}

/// The share of the error allowed that a row computed in f32 makes; more than 1 where it is wrong.
double share_of_error(const std::vector<float> &got, const reference_tensor &expected) {
    const comparison found = compare(std::vector<double>(got.begin(), got.end()), onefold_f32, expected);
    EXPECT_EQ(found.unchecked, 0U);
    return found.wrong != 0 ? 2 : found.worst;
}

reference_tensor tensor_of(const std::vector<float> &values) {
    return exact_tensor({static_cast<int64_t>(values.size())}, {values.begin(), values.end()});
}

TEST(driver_reference_normalization, a_reciprocal_root_is_within_the_error_and_a_wrong_epsilon_is_not) {
    for (const size_t count : {3U, 257U, 5000U})
        for (const float centre : {0.0F, 10.0F}) {
            std::vector<float> values = random_values(count, centre);
            const auto expected = compute(onefold_op_layer_norm, {tensor_of(values)}, {})[0];
            const float mean = mean_of(values, [](float x) { return x; });
            for (float &value : values)
                value -= mean;
            const float variance = mean_of(values, [](float x) { return x * x; });
            const auto scaled = [&](float epsilon) {
                std::vector<float> result = values;
                for (float &value : result)
                    value *= 1 / std::sqrt(variance + epsilon);
                return result;
            };
            EXPECT_LE(share_of_error(scaled(1e-5F), expected), 1);
            EXPECT_GT(share_of_error(scaled(1e-3F), expected), 1);
        }
}

TEST(driver_reference_normalization, softmax_by_one_reciprocal_is_within_the_error_and_one_element_missed_is_not) {
    for (const size_t count : {3U, 257U, 5000U}) {
        std::vector<float> values = random_values(count, 3);
        const auto expected = compute(onefold_op_softmax, {tensor_of(values)}, {{onefold_op_attr_axis, int64_t{0}}})[0];
        const float largest = *std::max_element(values.begin(), values.end());
        double sum = 0;
        for (float &value : values)
            sum += value = std::exp(value - largest);
        const auto scaled = [&](double by) {
            std::vector<float> result = values;
            for (float &value : result)
                value *= 1 / static_cast<float>(by);
            return result;
        };
        EXPECT_LE(share_of_error(scaled(sum), expected), 1);
        EXPECT_GT(share_of_error(scaled(sum - values.back()), expected), 1);
    }
}

} // namespace
} // namespace onefold::driver
