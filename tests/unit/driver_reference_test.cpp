#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "tests/driver/reference.hpp"
#include "tests/driver/reference_format.hpp"

namespace onefold::driver {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

impl::op make_op(impl::op_kind kind, size_t sources, impl::data_type type, impl::attribute_map attributes) {
    impl::op o;
    o.kind = kind;
    o.raw_attributes = std::move(attributes);
    for (size_t i = 0; i < sources; ++i)
        o.inputs.push_back(impl::make_dense(i, type, {}));
    o.outputs = {impl::make_dense(100, type, {})};
    return o;
}

reference_tensor compute(impl::op_kind kind, std::vector<reference_tensor> sources, impl::attribute_map attributes = {},
                         impl::data_type type = onefold_f32) {
    const impl::op o = make_op(kind, sources.size(), type, std::move(attributes));
    reference_tensors tensors;
    for (size_t i = 0; i < sources.size(); ++i)
        tensors[i] = std::move(sources[i]);
    compute_reference({&o, 1}, tensors);
    return tensors.at(100);
}

reference_tensor vector(std::vector<double> values) {
    const auto size = static_cast<int64_t>(values.size());
    return exact_tensor({size}, std::move(values));
}

impl::attribute_map axes(std::vector<int64_t> list, bool keep_dims = false) {
    return {{onefold_op_attr_axes, std::move(list)}, {onefold_op_attr_keep_dims, keep_dims}};
}

TEST(driver_reference, reductions) {
    const auto src = exact_tensor({2, 3}, {1, -2, 3, 4, 5, -6});
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({1})).value, ElementsAre(2, 3));
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({0})).value, ElementsAre(5, 3, -3));
    EXPECT_THAT(compute(onefold_op_reduce_mean, {src}, axes({-1})).value, ElementsAre(2.0 / 3, 1));
    EXPECT_THAT(compute(onefold_op_reduce_max, {src}, axes({1})).value, ElementsAre(3, 5));
    EXPECT_THAT(compute(onefold_op_reduce_min, {src}, axes({0, 1})).value, ElementsAre(-6));
    EXPECT_THAT(compute(onefold_op_reduce_prod, {src}, axes({1})).value, ElementsAre(-6, -120));
    EXPECT_THAT(compute(onefold_op_reduce_l1, {src}, axes({1})).value, ElementsAre(6, 15));
    EXPECT_THAT(compute(onefold_op_reduce_l2, {src}, axes({1})).value, ElementsAre(std::sqrt(14.0), std::sqrt(77.0)));
}

TEST(driver_reference, dims_of_reductions) {
    const auto src = exact_tensor({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    const auto middle = compute(onefold_op_reduce_sum, {src}, axes({-2}));
    EXPECT_THAT(middle.dims, ElementsAre(2, 2));
    EXPECT_THAT(middle.value, ElementsAre(9, 12, 27, 30));
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({2, 0}, true)).dims, ElementsAre(1, 3, 1));
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({2, 0}, true)).value, ElementsAre(18, 26, 34));
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({0, 1, 2})).dims, ElementsAre());
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({})).value, Pointwise(testing::Eq(), src.value));
    EXPECT_THROW(compute(onefold_op_reduce_sum, {src}, axes({3})), impl::error);
    EXPECT_THROW(compute(onefold_op_reduce_sum, {src}, axes({0, -3})), impl::error);
}

TEST(driver_reference, reductions_of_nothing) {
    const auto src = exact_tensor({2, 0}, {});
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({1})).value, ElementsAre(0, 0));
    EXPECT_THAT(compute(onefold_op_reduce_prod, {src}, axes({1})).value, ElementsAre(1, 1));
    EXPECT_THAT(compute(onefold_op_reduce_max, {src}, axes({1})).value, ElementsAre(-INFINITY, -INFINITY));
    EXPECT_TRUE(std::isnan(compute(onefold_op_reduce_mean, {src}, axes({1})).value[0]));
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src}, axes({0})).value, ElementsAre());
}

TEST(driver_reference, axes_tensor) {
    const auto src = exact_tensor({2, 3}, {1, -2, 3, 4, 5, -6});
    EXPECT_THAT(compute(onefold_op_reduce_sum, {src, exact_integers({1}, {-1})}).value, ElementsAre(2, 3));
}

TEST(driver_reference, no_axes) {
    const auto src = exact_tensor({2, 3}, {1, -2, 3, 4, 5, -6});
    const auto none = exact_integers({0}, {});
    const impl::attribute_map all = {{onefold_op_attr_noop_with_empty_axes, false}};
    const impl::attribute_map noop = {{onefold_op_attr_noop_with_empty_axes, true}, {onefold_op_attr_keep_dims, false}};
    for (const auto &sources : {std::vector<reference_tensor>{src}, {src, none}}) {
        EXPECT_THAT(compute(onefold_op_reduce_l1, sources).value, ElementsAre(1, -2, 3, 4, 5, -6));
        EXPECT_THAT(compute(onefold_op_reduce_l1, sources, all).value, ElementsAre(21));
        EXPECT_THAT(compute(onefold_op_reduce_l1, sources, all).dims, ElementsAre());
        EXPECT_THAT(compute(onefold_op_reduce_l1, sources, noop).value, ElementsAre(1, 2, 3, 4, 5, 6));
        EXPECT_THAT(compute(onefold_op_reduce_sum_square, sources, noop).value, ElementsAre(1, 4, 9, 16, 25, 36));
        EXPECT_THAT(compute(onefold_op_reduce_sum_square, sources, noop).dims, ElementsAre(2, 3));
    }
    const auto scalar = exact_tensor({}, {-3});
    EXPECT_THAT(compute(onefold_op_reduce_l2, {scalar}, all).value, ElementsAre(3));
    EXPECT_THAT(compute(onefold_op_reduce_l2, {scalar}).value, ElementsAre(-3));
}

TEST(driver_reference, nan_and_zeros_in_maxima) {
    const double nan = std::nan("");
    EXPECT_TRUE(std::isnan(compute(onefold_op_reduce_max, {vector({1, nan, 2})}, axes({0})).value[0]));
    EXPECT_TRUE(std::isnan(compute(onefold_op_minimum, {vector({nan}), vector({1})}).value[0]));
    EXPECT_FALSE(std::signbit(compute(onefold_op_reduce_max, {vector({-0.0, 0.0, -0.0})}, axes({0})).value[0]));
    EXPECT_TRUE(std::signbit(compute(onefold_op_reduce_min, {vector({0.0, -0.0, 0.0})}, axes({0})).value[0]));
    EXPECT_FALSE(std::signbit(compute(onefold_op_maximum, {vector({0.0}), vector({-0.0})}).value[0]));
    EXPECT_TRUE(std::signbit(compute(onefold_op_minimum, {vector({0.0}), vector({-0.0})}).value[0]));
}

TEST(driver_reference, binaries) {
    const auto a = vector({6, -3});
    const auto b = vector({2, 4});
    EXPECT_THAT(compute(onefold_op_add, {a, b}).value, ElementsAre(8, 1));
    EXPECT_THAT(compute(onefold_op_subtract, {a, b}).value, ElementsAre(4, -7));
    EXPECT_THAT(compute(onefold_op_multiply, {a, b}).value, ElementsAre(12, -12));
    EXPECT_THAT(compute(onefold_op_divide, {a, b}).value, ElementsAre(3, -0.75));
    EXPECT_THAT(compute(onefold_op_maximum, {a, b}).value, ElementsAre(6, 4));
    EXPECT_THAT(compute(onefold_op_minimum, {a, b}).value, ElementsAre(2, -3));
    EXPECT_THAT(compute(onefold_op_squared_difference, {a, b}).value, ElementsAre(16, 49));
}

TEST(driver_reference, broadcasting) {
    const auto column = exact_tensor({2, 1}, {10, 20});
    const auto row = exact_tensor({3}, {1, 2, 3});
    const auto sum = compute(onefold_op_add, {column, row});
    EXPECT_THAT(sum.dims, ElementsAre(2, 3));
    EXPECT_THAT(sum.value, ElementsAre(11, 12, 13, 21, 22, 23));
    EXPECT_THAT(compute(onefold_op_add, {exact_tensor({}, {5}), row}).value, ElementsAre(6, 7, 8));
    EXPECT_THAT(compute(onefold_op_add, {exact_tensor({0, 1}, {}), row}).dims, ElementsAre(0, 3));
    EXPECT_THROW(compute(onefold_op_add, {vector({1, 2}), row}), impl::error);
    EXPECT_THROW(compute(onefold_op_add, {column, row}, {{onefold_op_attr_auto_broadcast, "none"}}), impl::error);
}

TEST(driver_reference, unaries) {
    const auto at = [](impl::op_kind kind, double x, impl::attribute_map attributes = {}) {
        return compute(kind, {vector({x})}, std::move(attributes)).value[0];
    };
    EXPECT_EQ(at(onefold_op_abs, -3), 3);
    EXPECT_EQ(at(onefold_op_clamp, 5, {{onefold_op_attr_min, -1.0F}, {onefold_op_attr_max, 2.0F}}), 2);
    EXPECT_EQ(at(onefold_op_clamp, -5, {{onefold_op_attr_min, -1.0F}, {onefold_op_attr_max, 2.0F}}), -1);
    EXPECT_EQ(at(onefold_op_elu, 2, {{onefold_op_attr_alpha, 0.5F}}), 2);
    EXPECT_THAT(at(onefold_op_elu, -1, {{onefold_op_attr_alpha, 0.5F}}), DoubleNear(-0.31606027941427883, 1e-15));
    EXPECT_THAT(at(onefold_op_exp, 1), DoubleNear(2.718281828459045, 1e-15));
    EXPECT_THAT(at(onefold_op_gelu, 1), DoubleNear(0.8413447460685429, 1e-15));
    EXPECT_THAT(at(onefold_op_gelu, 1, {{onefold_op_attr_mode, "gelu_tanh"}}), DoubleNear(0.841191990608276, 1e-12));
    EXPECT_THAT(at(onefold_op_hard_sigmoid, 1, {{onefold_op_attr_alpha, 0.25F}, {onefold_op_attr_beta, 0.5F}}), 0.75);
    EXPECT_THAT(at(onefold_op_hard_swish, 1), DoubleNear(4.0 / 6, 1e-15));
    EXPECT_EQ(at(onefold_op_hard_swish, -4), 0);
    EXPECT_EQ(at(onefold_op_leaky_relu, -2, {{onefold_op_attr_alpha, 0.5F}}), -1);
    EXPECT_EQ(at(onefold_op_log, 1), 0);
    EXPECT_THAT(at(onefold_op_mish, 1), DoubleNear(0.8650983882673103, 1e-15));
    EXPECT_EQ(at(onefold_op_pow, 3, {{onefold_op_attr_beta, 2.0F}}), 9);
    EXPECT_EQ(at(onefold_op_reciprocal, 4), 0.25);
    EXPECT_EQ(at(onefold_op_relu, -4), 0);
    EXPECT_EQ(at(onefold_op_round, 2.5), 2);
    EXPECT_EQ(at(onefold_op_round, -3.5), -4);
    EXPECT_EQ(at(onefold_op_sigmoid, 0), 0.5);
    EXPECT_THAT(at(onefold_op_softplus, 0), DoubleNear(0.6931471805599453, 1e-15));
    EXPECT_THAT(at(onefold_op_softplus, 1, {{onefold_op_attr_beta, 2.0F}}), DoubleNear(1.0634640055214861, 1e-15));
    EXPECT_EQ(at(onefold_op_sqrt, 9), 3);
    EXPECT_EQ(at(onefold_op_square, -3), 9);
    EXPECT_THAT(at(onefold_op_tanh, 0.5), DoubleNear(0.46211715726000973, 1e-15));
}

TEST(driver_reference, exact_ops_allow_no_error) {
    const auto src = vector({1.5, -2.5, 0.25});
    for (const auto kind : {onefold_op_abs, onefold_op_relu, onefold_op_round, onefold_op_reorder})
        EXPECT_THAT(compute(kind, {src}, {}, onefold_bf16).error, ElementsAre(0, 0, 0));
    EXPECT_THAT(compute(onefold_op_reduce_max, {src}, axes({0})).error, ElementsAre(0));
}

TEST(driver_reference, a_cast_rounds_once) {
    const auto cast = compute(onefold_op_type_cast, {vector({1 + 0x1p-10})}, {}, onefold_bf16);
    EXPECT_THAT(cast.value, ElementsAre(1));
    EXPECT_THAT(cast.error, ElementsAre(0));
}

TEST(driver_reference, errors_of_sums) {
    EXPECT_THAT(compute(onefold_op_reduce_sum, {vector({1, -1, 2})}, axes({0})).error, ElementsAre(3 * 4 * f32_unit));
    const auto long_row = compute(onefold_op_reduce_sum, {vector(std::vector<double>(5000, 1.0))}, axes({0}));
    EXPECT_THAT(long_row.error, ElementsAre(4 * 5000 * f32_unit));
    const auto mean = compute(onefold_op_reduce_mean, {vector(std::vector<double>(5000, 1.0))}, axes({0}));
    EXPECT_THAT(mean.error, ElementsAre(5 * f32_unit));
}

TEST(driver_reference, errors_travel) {
    reference_tensor src = vector({2});
    src.error = {0.25};
    EXPECT_GE(compute(onefold_op_square, {src}).error[0], 2.25 * 2.25 - 4);
    EXPECT_LE(compute(onefold_op_square, {src}).error[0], 1.07);
    EXPECT_GE(compute(onefold_op_multiply, {src, src}).error[0], 2.25 * 2.25 - 4);
    EXPECT_NEAR(compute(onefold_op_reduce_l2, {src}, axes({0})).error[0], 0.25, 1e-5);
    EXPECT_NEAR(compute(onefold_op_reduce_prod, {src}, axes({0})).error[0], 0.25, 1e-5);
    EXPECT_EQ(compute(onefold_op_reduce_max, {src}, axes({0})).error[0], 0.25);
    EXPECT_EQ(compute(onefold_op_round, {src}).error[0], 0);
    src.value = {2.4};
    EXPECT_EQ(compute(onefold_op_round, {src}).error[0], 1);
}

TEST(driver_reference, what_cannot_be_known) {
    reference_tensor src = vector({0.001});
    src.error = {0.01};
    EXPECT_EQ(compute(onefold_op_sqrt, {src}).error[0], INFINITY);
    EXPECT_EQ(compute(onefold_op_divide, {vector({1}), src}).error[0], INFINITY);
    // A value that may have overflowed on the way.
    reference_tensor large = vector({70000});
    EXPECT_EQ(compute(onefold_op_relu, {large}, {}, onefold_f16).error[0], INFINITY);
    EXPECT_EQ(compute(onefold_op_relu, {large}, {}, onefold_bf16).error[0], 70000 * 0x1p-8);
}

TEST(driver_reference, order_of_ops_does_not_matter) {
    impl::op first = make_op(onefold_op_abs, 1, onefold_f32, {});
    impl::op second = make_op(onefold_op_sqrt, 1, onefold_f32, {});
    second.inputs[0].id = 100;
    second.outputs[0].id = 200;
    const std::vector<impl::op> ops = {second, first};
    reference_tensors tensors;
    tensors[0] = vector({-4});
    compute_reference(ops, tensors);
    EXPECT_THAT(tensors.at(200).value, ElementsAre(2));
}

TEST(driver_reference, foreign_ops_and_missing_inputs) {
    EXPECT_FALSE(has_reference(onefold_op_convolution));
    EXPECT_THROW(compute(onefold_op_convolution, {vector({1})}), impl::error);
    const impl::op o = make_op(onefold_op_abs, 1, onefold_f32, {});
    reference_tensors nothing;
    EXPECT_THROW(compute_reference({&o, 1}, nothing), impl::error);
}

TEST(driver_reference, formats) {
    const auto f16 = *float_format_of(onefold_f16);
    EXPECT_TRUE(f16.holds(65504));
    EXPECT_FALSE(f16.holds(65505));
    EXPECT_TRUE(f16.holds(0x1p-24));
    EXPECT_FALSE(f16.holds(0x1.8p-24));
    EXPECT_EQ(f16.overflow(), 65520);
    const auto bf16 = *float_format_of(onefold_bf16);
    EXPECT_TRUE(bf16.holds(1 + 0x1p-7));
    EXPECT_FALSE(bf16.holds(1 + 0x1p-8));
    EXPECT_FALSE(float_format_of(onefold_s32));
}

} // namespace
} // namespace onefold::driver
