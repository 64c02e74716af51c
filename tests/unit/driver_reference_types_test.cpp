// The reference of integers, of f64, and of the ops that are an extension.
#include <cfloat>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "tests/driver/reference.hpp"
#include "tests/driver/reference_format.hpp"

namespace onefold::driver {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

constexpr int64_t s64_lowest = std::numeric_limits<int64_t>::lowest();
constexpr int64_t s64_highest = std::numeric_limits<int64_t>::max();
constexpr uint64_t u64_highest = std::numeric_limits<uint64_t>::max();

reference_tensor compute(impl::op_kind kind, impl::data_type type, std::vector<reference_tensor> srcs,
                         impl::attribute_map attributes = {}) {
    impl::op o;
    o.kind = kind;
    o.raw_attributes = std::move(attributes);
    reference_tensors tensors;
    for (size_t i = 0; i < srcs.size(); ++i) {
        o.inputs.push_back(impl::make_dense(i, type, {}));
        tensors[i] = std::move(srcs[i]);
    }
    o.outputs = {impl::make_dense(1000000, type, {})};
    compute_reference({&o, 1}, tensors);
    return tensors.at(1000000);
}

/// A list of integers as the reference holds it.
reference_tensor row(std::vector<wide_integer> values) {
    const auto size = static_cast<int64_t>(values.size());
    return exact_integers({size}, std::move(values));
}

reference_tensor row_of_floats(std::vector<double> values) {
    const auto size = static_cast<int64_t>(values.size());
    return exact_tensor({size}, std::move(values));
}

wide_integer reduce(impl::op_kind kind, impl::data_type type, std::vector<wide_integer> values) {
    const auto result = compute(kind, type, {row(std::move(values))}, {{onefold_op_attr_axes, std::vector<int64_t>{0}}});
    EXPECT_TRUE(result.dims.empty());
    EXPECT_THAT(result.error, ElementsAre(0));
    return result.integer.at(0);
}

double reduce_floats(impl::op_kind kind, impl::data_type type, std::vector<double> values) {
    return compute(kind, type, {row_of_floats(std::move(values))}, {{onefold_op_attr_axes, std::vector<int64_t>{0}}})
        .value.at(0);
}

wide_integer combine(impl::op_kind kind, impl::data_type type, wide_integer a, wide_integer b) {
    return compute(kind, type, {row({a}), row({b})}).integer.at(0);
}

TEST(driver_integer, wraps_to_its_type) {
    EXPECT_EQ(wrap_to(onefold_u8, -1), 255);
    EXPECT_EQ(wrap_to(onefold_s8, 128), -128);
    EXPECT_EQ(wrap_to(onefold_s8, -129), 127);
    EXPECT_EQ(wrap_to(onefold_s32, wide_integer{1} << 31), std::numeric_limits<int32_t>::lowest());
    EXPECT_EQ(wrap_to(onefold_u64, -1), u64_highest);
    EXPECT_EQ(wrap_to(onefold_s64, wide_integer{1} << 63), s64_lowest);
    EXPECT_EQ(wrap_to(onefold_s64, (wide_integer{1} << 100) + 5), 5);
    EXPECT_EQ(lowest_integer(onefold_s64), s64_lowest);
    EXPECT_EQ(highest_integer(onefold_u64), u64_highest);
    EXPECT_EQ(lowest_integer(onefold_u16), 0);
    EXPECT_FALSE(is_integer(onefold_boolean));
    EXPECT_FALSE(is_integer(onefold_f64));
    EXPECT_FALSE(is_integer(onefold_u4));
}

TEST(driver_reference_integer, sums_and_products_wrap) {
    EXPECT_EQ(reduce(onefold_op_reduce_sum, onefold_u8, {200, 100}), 44);
    EXPECT_EQ(reduce(onefold_op_reduce_sum, onefold_s8, {100, 100}), -56);
    EXPECT_EQ(reduce(onefold_op_reduce_sum, onefold_s64, {s64_highest, 1}), s64_lowest);
    EXPECT_EQ(reduce(onefold_op_reduce_sum, onefold_u64, {u64_highest, 3}), 2);
    EXPECT_EQ(reduce(onefold_op_reduce_prod, onefold_s16, {300, 300}), 24464);
    EXPECT_EQ(reduce(onefold_op_reduce_prod, onefold_u64, {u64_highest, u64_highest, u64_highest}), u64_highest);
    EXPECT_EQ(reduce(onefold_op_reduce_sum_square, onefold_s8, {100, -100}), 32);
    EXPECT_EQ(reduce(onefold_op_reduce_sum_square, onefold_u64, {u64_highest, u64_highest}), 2);
    EXPECT_EQ(reduce(onefold_op_reduce_l1, onefold_s8, {-128}), -128);
    EXPECT_EQ(reduce(onefold_op_reduce_l1, onefold_s64, {s64_lowest, s64_lowest, -7}), 7);
}

TEST(driver_reference_integer, means_truncate_toward_zero) {
    EXPECT_EQ(reduce(onefold_op_reduce_mean, onefold_s32, {-1, -2}), -1);
    EXPECT_EQ(reduce(onefold_op_reduce_mean, onefold_s32, {1, 2, 2}), 1);
    EXPECT_EQ(reduce(onefold_op_reduce_mean, onefold_u64, {u64_highest, u64_highest, u64_highest}), u64_highest);
    EXPECT_EQ(reduce(onefold_op_reduce_mean, onefold_s64, {s64_lowest, s64_lowest}), s64_lowest);
    EXPECT_EQ(reduce(onefold_op_reduce_mean, onefold_u8, std::vector<wide_integer>(256, 255)), 255);
}

TEST(driver_reference_integer, roots_truncate) {
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_s32, {3, -4}), 5);
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_s32, {2, 2}), 2);
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_u8, {255, 255}), 360 - 256);
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_s64, {s64_lowest}), s64_lowest);
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_s64, {s64_highest}), s64_highest);
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_u64, {u64_highest}), u64_highest);
    // Twice the root, which is 2^65 - 2: more than the type and the 128 bits of its square hold.
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_u64, std::vector<wide_integer>(4, u64_highest)), u64_highest - 1);
    EXPECT_EQ(reduce(onefold_op_reduce_l2, onefold_s64, {3037000500, 3037000499}), 4294967295);
}

TEST(driver_reference_integer, maxima_and_nothing) {
    EXPECT_EQ(reduce(onefold_op_reduce_max, onefold_s64, {s64_highest - 1, s64_highest}), s64_highest);
    EXPECT_EQ(reduce(onefold_op_reduce_min, onefold_u64, {u64_highest, u64_highest - 1}), u64_highest - 1);
    EXPECT_EQ(reduce(onefold_op_reduce_max, onefold_s16, {}), -32768);
    EXPECT_EQ(reduce(onefold_op_reduce_min, onefold_s16, {}), 32767);
    EXPECT_EQ(reduce(onefold_op_reduce_max, onefold_u32, {}), 0);
    EXPECT_EQ(reduce(onefold_op_reduce_prod, onefold_u32, {}), 1);
    for (const auto kind : {onefold_op_reduce_sum, onefold_op_reduce_mean, onefold_op_reduce_l1, onefold_op_reduce_l2,
                            onefold_op_reduce_sum_square})
        EXPECT_EQ(reduce(kind, onefold_s64, {}), 0);
}

TEST(driver_reference_integer, logarithms_truncate_toward_zero) {
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum, onefold_s32, {10, 10}), 2);
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum, onefold_s32, {1, -1}), std::numeric_limits<int32_t>::lowest());
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum, onefold_u32, {}), 0);
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum, onefold_s64, {-7}), 0);
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum_exp, onefold_s64, {s64_highest - 9}), s64_highest - 9);
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum_exp, onefold_s64, {s64_highest, s64_highest, s64_highest}), s64_highest);
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum_exp, onefold_s32, {-5, -5}), -4); // -4.3
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum_exp, onefold_s32, {5, 5, 5}), 6); // 6.1
    EXPECT_EQ(reduce(onefold_op_reduce_log_sum_exp, onefold_s64, {}), s64_lowest);
}

wide_integer apply(impl::op_kind kind, impl::data_type type, wide_integer x, const impl::attribute_map &attributes = {}) {
    return compute(kind, type, {row({x})}, attributes).integer.at(0);
}

TEST(driver_reference_integer, unary_ops_are_exact_and_wrap) {
    EXPECT_EQ(apply(onefold_op_abs, onefold_s8, -128), -128);
    EXPECT_EQ(apply(onefold_op_abs, onefold_s64, -5), 5);
    EXPECT_EQ(apply(onefold_op_neg, onefold_s16, -32768), -32768);
    EXPECT_EQ(apply(onefold_op_relu, onefold_s32, -3), 0);
    EXPECT_EQ(apply(onefold_op_square, onefold_u8, 17), 33);
    const auto bounds = [](float min, float max) {
        return impl::attribute_map{{onefold_op_attr_min, min}, {onefold_op_attr_max, max}};
    };
    EXPECT_EQ(apply(onefold_op_clamp, onefold_u8, 0, bounds(0.5F, 2.5F)), 1);
    EXPECT_EQ(apply(onefold_op_clamp, onefold_u8, 9, bounds(0.5F, 2.5F)), 2);
    EXPECT_EQ(apply(onefold_op_clamp, onefold_u8, 9, bounds(-1, 1000)), 9);
    EXPECT_EQ(apply(onefold_op_clamp, onefold_u64, 9, bounds(1e30F, 1e30F)), u64_highest);
    EXPECT_EQ(apply(onefold_op_pow, onefold_s32, -3, {{onefold_op_attr_beta, 3.0F}}), -27);
    EXPECT_EQ(apply(onefold_op_pow, onefold_s32, 10, {{onefold_op_attr_beta, 0.5F}}), 3);
}

reference_tensor cast_from(impl::data_type from, reference_tensor src, impl::data_type to) {
    impl::op o;
    o.kind = onefold_op_type_cast;
    o.inputs = {impl::make_dense(0, from, {})};
    o.outputs = {impl::make_dense(1, to, {})};
    reference_tensors tensors;
    tensors[0] = std::move(src);
    compute_reference({&o, 1}, tensors);
    return tensors.at(1);
}

TEST(driver_reference_cast, is_exact) {
    const auto cast = [](double x, impl::data_type to) { return cast_from(onefold_f64, row_of_floats({x}), to); };
    EXPECT_EQ(cast(-1.9, onefold_s8).integer.at(0), -1);
    EXPECT_EQ(cast(300, onefold_s8).integer.at(0), 127);
    EXPECT_EQ(cast(NAN, onefold_u64).integer.at(0), 0);
    EXPECT_EQ(cast(1e30, onefold_u64).integer.at(0), u64_highest);
    EXPECT_EQ(cast(0.25, onefold_boolean).value.at(0), 1);
    EXPECT_EQ(cast(1 + 0x1p-8 + 0x1p-40, onefold_bf16).value.at(0), 1 + 0x1p-7);
    EXPECT_EQ(cast(1 + 0x1p-8, onefold_bf16).value.at(0), 1);
    EXPECT_EQ(cast(1 + 0x1p-8, onefold_bf16).error.at(0), 0);
    EXPECT_EQ(cast(65520, onefold_f16).value.at(0), INFINITY);
    const wide_integer halfway = (wide_integer{1} << 60) + (wide_integer{1} << 36);
    EXPECT_EQ(cast_from(onefold_s64, row({halfway}), onefold_f32).value.at(0), 0x1p60);
    EXPECT_EQ(cast_from(onefold_s64, row({halfway + 1}), onefold_f32).value.at(0), 0x1.000002p60);
    EXPECT_EQ(cast_from(onefold_s64, row({200}), onefold_s8).integer.at(0), -56);
}

TEST(driver_reference, log_sum_exp_is_taken_around_the_largest) {
    const auto of = [](std::vector<double> values) {
        return reduce_floats(onefold_op_reduce_log_sum_exp, onefold_f64, std::move(values));
    };
    EXPECT_EQ(of({1e300}), 1e300);
    EXPECT_DOUBLE_EQ(of({1000, 1000}), 1000 + std::log(2.0));
    EXPECT_DOUBLE_EQ(of({-20000, -20000}), -20000 + std::log(2.0));
    EXPECT_EQ(of({-INFINITY, -INFINITY}), -INFINITY);
    EXPECT_EQ(of({INFINITY, -INFINITY, 5}), INFINITY);
    EXPECT_EQ(of({}), -INFINITY);
    EXPECT_TRUE(std::isnan(of({NAN, INFINITY})));
    EXPECT_EQ(reduce_floats(onefold_op_reduce_log_sum, onefold_f64, {0.5, 0.5}), 0);
}

TEST(driver_reference_integer, dims_and_the_identity) {
    const auto src = exact_integers({2, 3}, {1, -2, 3, 4, 5, -6});
    const auto sum = [&](std::vector<int64_t> axes, bool keep_dims) {
        return compute(onefold_op_reduce_sum, onefold_s32, {src},
                       {{onefold_op_attr_axes, std::move(axes)}, {onefold_op_attr_keep_dims, keep_dims}});
    };
    EXPECT_THAT(sum({-1}, true).dims, ElementsAre(2, 1));
    EXPECT_THAT(sum({-1}, true).integer, ElementsAre(2, 3));
    EXPECT_THAT(sum({0}, false).integer, ElementsAre(5, 3, -3));
    EXPECT_EQ(sum({}, false).integer, src.integer);
}

TEST(driver_reference_integer, binaries) {
    EXPECT_EQ(combine(onefold_op_add, onefold_s8, 127, 1), -128);
    EXPECT_EQ(combine(onefold_op_subtract, onefold_u16, 0, 1), 65535);
    EXPECT_EQ(combine(onefold_op_multiply, onefold_s64, s64_lowest, -1), s64_lowest);
    EXPECT_EQ(combine(onefold_op_multiply, onefold_u64, u64_highest, u64_highest), 1);
    EXPECT_EQ(combine(onefold_op_divide, onefold_s32, -7, 2), -3);
    EXPECT_EQ(combine(onefold_op_divide, onefold_s64, s64_lowest, -1), s64_lowest);
    EXPECT_EQ(combine(onefold_op_divide, onefold_u64, u64_highest, 2), s64_highest);
    EXPECT_EQ(combine(onefold_op_maximum, onefold_u64, u64_highest, 0), u64_highest);
    EXPECT_EQ(combine(onefold_op_minimum, onefold_s8, -128, 127), -128);
    EXPECT_EQ(combine(onefold_op_squared_difference, onefold_u8, 0, 16), 0);
    EXPECT_EQ(combine(onefold_op_squared_difference, onefold_s64, s64_lowest, s64_highest), 1);
}

TEST(driver_reference_integer, a_quotient_by_zero_is_anything_and_so_is_what_follows) {
    const auto quotient = compute(onefold_op_divide, onefold_s32, {row({4, 5}), row({2, 0})});
    EXPECT_THAT(quotient.error, ElementsAre(0, INFINITY));
    EXPECT_THAT(compute(onefold_op_add, onefold_s32, {quotient, row({1})}).error, ElementsAre(0, INFINITY));
    EXPECT_THAT(compute(onefold_op_sum, onefold_s32, {row({1, 2}), quotient}).error, ElementsAre(0, INFINITY));
    EXPECT_THAT(
        compute(onefold_op_reduce_max, onefold_s32, {quotient}, {{onefold_op_attr_axes, std::vector<int64_t>{0}}}).error,
        ElementsAre(INFINITY));
}

TEST(driver_reference_integer, nary) {
    const auto column = exact_integers({2, 1}, {100, -100});
    const auto sum = compute(onefold_op_sum, onefold_s8, {column, row({27, 28, 0}), exact_integers({}, {1})});
    EXPECT_THAT(sum.dims, ElementsAre(2, 3));
    EXPECT_THAT(sum.integer, ElementsAre(-128, -127, 101, -72, -71, -99));
    EXPECT_THAT(compute(onefold_op_max, onefold_s64, {row({s64_lowest, 3})}).integer, ElementsAre(s64_lowest, 3));
    EXPECT_THAT(compute(onefold_op_min, onefold_u64, {row({u64_highest, 3}), row({u64_highest - 1})}).integer,
                ElementsAre(u64_highest - 1, 3));
}

TEST(driver_reference_integer, other_ops_have_none) {
    EXPECT_THROW(compute(onefold_op_exp, onefold_s32, {row({1})}), impl::error);
    EXPECT_THROW(compute(onefold_op_add, onefold_s32, {row({1, 2}), row({1, 2, 3})}), impl::error);
}

TEST(driver_reference_nary, values) {
    const auto column = exact_tensor({2, 1}, {10, -20});
    const std::vector<reference_tensor> srcs = {column, row_of_floats({1, 2, 3}), exact_tensor({}, {4})};
    EXPECT_THAT(compute(onefold_op_sum, onefold_f32, srcs).value, ElementsAre(15, 16, 17, -15, -14, -13));
    EXPECT_THAT(compute(onefold_op_mean, onefold_f32, srcs).value,
                ElementsAre(5, DoubleEq(16.0 / 3), DoubleEq(17.0 / 3), -5, DoubleEq(-14.0 / 3), DoubleEq(-13.0 / 3)));
    EXPECT_THAT(compute(onefold_op_max, onefold_f32, srcs).value, ElementsAre(10, 10, 10, 4, 4, 4));
    EXPECT_THAT(compute(onefold_op_min, onefold_f32, srcs).value, ElementsAre(1, 2, 3, -20, -20, -20));
    EXPECT_THAT(compute(onefold_op_mean, onefold_f16, std::vector<reference_tensor>(1000, column)).value, ElementsAre(10, -20));
    EXPECT_THAT(compute(onefold_op_sum, onefold_f32, {exact_tensor({0, 1}, {}), row_of_floats({1, 2})}).dims,
                ElementsAre(0, 2));
}

TEST(driver_reference_nary, nan_and_zeros) {
    const double nan = std::nan("");
    EXPECT_TRUE(std::isnan(compute(onefold_op_max, onefold_f32, {row_of_floats({1}), row_of_floats({nan})}).value[0]));
    EXPECT_TRUE(std::isnan(compute(onefold_op_min, onefold_f32, {row_of_floats({nan}), row_of_floats({1})}).value[0]));
    const auto max = compute(onefold_op_max, onefold_bf16, {row_of_floats({0.0, -0.0}), row_of_floats({-0.0})});
    EXPECT_THAT(max.value, ElementsAre(0, 0));
    EXPECT_FALSE(std::signbit(max.value[0]));
    EXPECT_TRUE(std::signbit(max.value[1]));
    EXPECT_TRUE(max.zero_signs);
    EXPECT_EQ(compute(onefold_op_sum, onefold_f32, {row_of_floats({INFINITY}), row_of_floats({1})}).value[0], INFINITY);
}

TEST(driver_reference_nary, errors) {
    const auto ones = [](size_t count) { return std::vector<reference_tensor>(count, row_of_floats({1})); };
    EXPECT_THAT(compute(onefold_op_sum, onefold_f32, ones(100)).error, ElementsAre(4 * 100 * f32_unit));
    EXPECT_THAT(compute(onefold_op_mean, onefold_f32, ones(100)).error, ElementsAre(5 * f32_unit));
    EXPECT_THAT(compute(onefold_op_sum, onefold_f64, ones(100)).error, ElementsAre(16 * 100 * f64_unit));
    EXPECT_THAT(compute(onefold_op_max, onefold_f32, ones(100)).error, ElementsAre(0));
}

TEST(driver_reference_f64, sums_are_more_exact_than_what_they_judge) {
    std::vector<double> values(100001, 0x1p-53);
    values.front() = 1;
    EXPECT_EQ(reduce_floats(onefold_op_reduce_sum, onefold_f64, values), 1 + 100000 * 0x1p-53);
    values.back() = -1;
    EXPECT_EQ(reduce_floats(onefold_op_reduce_sum, onefold_f64, values), 99999 * 0x1p-53);
    EXPECT_EQ(reduce_floats(onefold_op_reduce_mean, onefold_f64, {DBL_MAX, DBL_MAX}), DBL_MAX);
    EXPECT_DOUBLE_EQ(reduce_floats(onefold_op_reduce_l2, onefold_f64, {3e200, 4e200}), 5e200);
    EXPECT_EQ(reduce_floats(onefold_op_reduce_sum, onefold_f64, {INFINITY, 1}), INFINITY);
    EXPECT_TRUE(std::isnan(reduce_floats(onefold_op_reduce_sum, onefold_f64, {INFINITY, -INFINITY})));
}

TEST(driver_reference_f64, errors) {
    const auto src = row_of_floats(std::vector<double>(5000, 1.0));
    const impl::attribute_map axes = {{onefold_op_attr_axes, std::vector<int64_t>{0}}};
    EXPECT_THAT(compute(onefold_op_reduce_sum, onefold_f64, {src}, axes).error, ElementsAre(16 * 5000 * f64_unit));
    EXPECT_THAT(compute(onefold_op_reduce_mean, onefold_f64, {src}, axes).error, ElementsAre(17 * f64_unit));
    EXPECT_THAT(compute(onefold_op_reduce_prod, onefold_f64, {src}, axes).error, ElementsAre(5000 * f64_unit));
    EXPECT_THAT(compute(onefold_op_reduce_max, onefold_f64, {src}, axes).error, ElementsAre(0));
    const auto three = row_of_floats({3});
    const auto one = row_of_floats({1});
    EXPECT_THAT(compute(onefold_op_add, onefold_f64, {three, one}).error, ElementsAre(4 * f64_unit));
    EXPECT_THAT(compute(onefold_op_divide, onefold_f64, {three, one}).error, ElementsAre(3 * f64_unit));
    EXPECT_THAT(compute(onefold_op_squared_difference, onefold_f64, {three, one}).error, ElementsAre(16 * f64_unit));
    EXPECT_THAT(compute(onefold_op_minimum, onefold_f64, {three, one}).error, ElementsAre(0));
}

TEST(driver_reference, sums_of_squares) {
    EXPECT_EQ(reduce_floats(onefold_op_reduce_sum_square, onefold_f32, {3, -4}), 25);
    EXPECT_EQ(reduce_floats(onefold_op_reduce_sum_square, onefold_f32, {}), 0);
    const auto src = row_of_floats(std::vector<double>(5000, 2.0));
    const impl::attribute_map axes = {{onefold_op_attr_axes, std::vector<int64_t>{0}}};
    EXPECT_THAT(compute(onefold_op_reduce_sum_square, onefold_f32, {src}, axes).error, ElementsAre(5 * 20000 * f32_unit));
}

} // namespace
} // namespace onefold::driver
