#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/compare.hpp"
#include "tests/driver/fill.hpp"
#include "tests/driver/perf_report.hpp"

namespace onefold::driver {
namespace {

using testing::Each;
using testing::HasSubstr;

const double nan = std::nan("");

bool within(double got, double value, double error, impl::data_type type = onefold_f32) {
    return is_within(got, value, error, type, false);
}

TEST(driver_compare, values_and_bounds) {
    EXPECT_TRUE(within(1.5, 1, 0.5));
    EXPECT_FALSE(within(1.6, 1, 0.5));
    EXPECT_TRUE(within(1, 1, 0));
    EXPECT_FALSE(within(1 + 0x1p-23, 1, 0));
    EXPECT_TRUE(within(-0.0, 0.0, 0));
    EXPECT_TRUE(within(nan, 5, INFINITY));
}

TEST(driver_compare, nan_and_infinity) {
    EXPECT_TRUE(within(nan, nan, 0));
    EXPECT_FALSE(within(1, nan, 0));
    EXPECT_FALSE(within(nan, 1, 10));
    EXPECT_TRUE(within(INFINITY, INFINITY, 0));
    EXPECT_FALSE(within(-INFINITY, INFINITY, 0));
    EXPECT_FALSE(within(INFINITY, 1, 10));
}

TEST(driver_compare, overflow_of_the_type) {
    EXPECT_TRUE(within(INFINITY, 70000, 1, onefold_f16));
    EXPECT_FALSE(within(65504, 70000, 1, onefold_f16));
    EXPECT_FALSE(within(-INFINITY, 70000, 1, onefold_f16));
    EXPECT_TRUE(within(INFINITY, 65510, 20, onefold_f16));
    EXPECT_TRUE(within(65504, 65510, 20, onefold_f16));
    EXPECT_FALSE(within(INFINITY, 70000, 1, onefold_bf16));
}

TEST(driver_compare, signs_of_zero) {
    EXPECT_FALSE(is_within(-0.0, 0.0, 0, onefold_f32, true));
    EXPECT_TRUE(is_within(-0.0, -0.0, 0, onefold_f32, true));
    EXPECT_TRUE(is_within(-0.0, 0.0, 0.1, onefold_f32, true));
}

TEST(driver_compare, report) {
    reference_tensor expected = exact_tensor({2, 2}, {1, 2, 3, 4});
    expected.error = {0.5, 0.5, INFINITY, 0};
    const comparison found = compare(std::vector<double>{1.25, 9, 0, 4}, onefold_f32, expected);
    EXPECT_EQ(found.total, 4U);
    EXPECT_EQ(found.wrong, 1U);
    EXPECT_EQ(found.unchecked, 1U);
    EXPECT_EQ(found.worst, 0.5);
    EXPECT_TRUE(found.is_trusted());
    EXPECT_EQ(found.first_wrong, "  [0, 1] got 9, expected 2 within 0.5\n");
    EXPECT_EQ(compare(std::vector<double>{1}, onefold_f32, expected).wrong, 4U);
}

TEST(driver_compare, integers_are_equal_or_wrong) {
    constexpr wide_integer large = (wide_integer{1} << 62) + 1; // no double
    reference_tensor expected = exact_integers({3}, {large, -large, 0});
    expected.error[2] = INFINITY;
    buffer b(impl::make_dense(0, onefold_s64, {3}));
    b.store_integers(std::vector<wide_integer>{large, -large - 1, 77});
    const comparison found = compare(b, expected);
    EXPECT_EQ(found.total, 3U);
    EXPECT_EQ(found.wrong, 1U);
    EXPECT_EQ(found.unchecked, 1U);
    EXPECT_EQ(found.first_wrong, "  [1] got -4611686018427387906, expected -4611686018427387905\n");
    EXPECT_TRUE(is_identical(b, exact_tensor(b)));
    EXPECT_FALSE(is_identical(b, expected));
    EXPECT_EQ(compare(b, exact_integers({1}, {large})).wrong, 1U);
}

TEST(driver_compare, buffers_of_floats) {
    buffer b(impl::make_dense(0, onefold_f64, {2}));
    b.store_all(std::vector<double>{-0.0, nan});
    EXPECT_EQ(compare(b, exact_tensor({2}, {0, nan})).wrong, 0U);
    EXPECT_TRUE(is_identical(b, exact_tensor(b)));
    EXPECT_FALSE(is_identical(b, exact_tensor({2}, {0, nan})));
}

std::vector<double> filled(impl::op_kind kind, size_t port, impl::data_type type, impl::attribute_map attributes = {}) {
    impl::op o;
    o.kind = kind;
    o.raw_attributes = std::move(attributes);
    buffer b(impl::make_dense(3, type, {64, 64}));
    fill(b, &o, port, 5);
    return b.load_all();
}

TEST(driver_fill, shows_errors) {
    const auto values = filled(onefold_op_add, 0, onefold_bf16);
    EXPECT_EQ(values, filled(onefold_op_add, 0, onefold_bf16));
    const auto count = [&](auto &&condition) { return std::count_if(values.begin(), values.end(), condition); };
    EXPECT_GT(count([](double x) { return x < 0; }), 1000);
    EXPECT_GT(count([](double x) { return x > 0; }), 1000);
    EXPECT_GT(count([](double x) { return x == 0 && std::signbit(x); }), 10);
    EXPECT_GT(count([](double x) { return x == 0 && !std::signbit(x); }), 10);
    EXPECT_GT(count([](double x) { return x != std::trunc(x) && 2 * x == std::trunc(2 * x); }), 10);
    EXPECT_GT(std::set<double>(values.begin(), values.end()).size(), 500U);
}

TEST(driver_fill, stays_where_ops_are_defined) {
    EXPECT_THAT(filled(onefold_op_sqrt, 0, onefold_f32), Each(testing::Ge(0)));
    EXPECT_THAT(filled(onefold_op_log, 0, onefold_f16), Each(testing::Gt(0)));
    EXPECT_THAT(filled(onefold_op_reciprocal, 0, onefold_f16), Each(testing::Ne(0)));
    EXPECT_THAT(filled(onefold_op_divide, 1, onefold_f32), Each(testing::Ne(0)));
    EXPECT_THAT(filled(onefold_op_pow, 0, onefold_f32, {{onefold_op_attr_beta, 0.5F}}), Each(testing::Ge(0)));
    EXPECT_THAT(filled(onefold_op_exp, 0, onefold_f16), Each(testing::Le(8)));
}

TEST(driver_fill, products_stay_finite) {
    double product = 1;
    for (const double x : filled(onefold_op_reduce_prod, 0, onefold_f16))
        product *= x;
    EXPECT_NE(product, 0);
    EXPECT_LT(std::abs(product), 65504);
}

std::vector<wide_integer> filled_integers(impl::op_kind kind, size_t port, impl::data_type type, impl::dims d = {64, 64}) {
    impl::op o;
    o.kind = kind;
    buffer b(impl::make_dense(3, type, d));
    fill(b, &o, port, 5);
    return b.load_integers();
}

TEST(driver_fill, integers_are_of_any_magnitude) {
    for (const auto type :
         {onefold_s8, onefold_u8, onefold_s16, onefold_u16, onefold_s32, onefold_u32, onefold_s64, onefold_u64}) {
        const auto values = filled_integers(onefold_op_add, 1, type);
        EXPECT_EQ(values, filled_integers(onefold_op_add, 1, type));
        EXPECT_GT(std::count(values.begin(), values.end(), lowest_integer(type)), 100) << type;
        EXPECT_GT(std::count(values.begin(), values.end(), highest_integer(type)), 100) << type;
        EXPECT_GT(std::count(values.begin(), values.end(), 0), 10) << type;
        EXPECT_GT(std::set<wide_integer>(values.begin(), values.end()).size(), impl::bits_of(type) == 8 ? 100U : 1000U) << type;
    }
}

TEST(driver_fill, integers_suit_their_op) {
    for (const auto type : {onefold_s8, onefold_u64}) {
        EXPECT_THAT(filled_integers(onefold_op_divide, 1, type), Each(testing::Ne(0)));
        const auto factors = filled_integers(onefold_op_reduce_prod, 0, type);
        EXPECT_TRUE(std::all_of(factors.begin(), factors.end(), [](wide_integer x) { return x % 2 != 0; }));
        const auto of_maximum = filled_integers(onefold_op_reduce_max, 0, type);
        EXPECT_EQ(std::count(of_maximum.begin(), of_maximum.end(), highest_integer(type)), 1);
        const auto of_minimum = filled_integers(onefold_op_reduce_min, 0, type);
        EXPECT_EQ(std::count(of_minimum.begin(), of_minimum.end(), lowest_integer(type)), 1);
    }
}

TEST(driver_fill, f64_has_all_its_digits) {
    const auto values = filled(onefold_op_add, 0, onefold_f64);
    const auto is_f32 = [](double x) { return static_cast<double>(static_cast<float>(x)) == x; };
    EXPECT_LT(std::count_if(values.begin(), values.end(), is_f32), 1000);
}

TEST(driver_perf_report, templates) {
    perf_numbers numbers;
    numbers.time = {2, 4, 8, 3};
    numbers.source_bytes = 3e6;
    numbers.destination_bytes = 1e6;
    numbers.read_bandwidth = 4e9;
    numbers.problem = "--case=x";
    EXPECT_EQ(format_report("%prb%,%-time%,%0time%,%+time%,%-Gbw%,%0Gbw%,%share%", numbers), "--case=x,2,4,8,2,1,0.5");
    EXPECT_EQ(format_report("%Kibytes% 50%, %nothing%", numbers), "3000 50%, %nothing%");
    EXPECT_THAT(format_report(perf_template("def"), numbers), HasSubstr("perf,cpu,"));
}

} // namespace
} // namespace onefold::driver
