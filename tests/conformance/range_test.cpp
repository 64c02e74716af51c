// Results overflow, underflow or become NaN only where the exact result does.
#include "support/bits.hpp"
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

/// Shapes and axes that reduce short rows, long rows, columns, the middle, both ends and everything.
struct axis_kind {
    dims shape;
    axes_list axes;
};

const axis_kind axis_kinds[] = {
    {{3, 4}, {1}},        {{2, 1000}, {1}},         {{2, 1500}, {1}},     {{1, 70000}, {1}},
    {{4, 3}, {0}},        {{1500, 5}, {0}},         {{70000, 2}, {0}},    {{3, 40, 5}, {1}},
    {{5, 3, 40}, {0, 2}}, {{3, 40, 50}, {0, 1, 2}}, {{300, 300}, {0, 1}}, {{2, 3, 2, 3}, {1, 3}},
};

std::string text_of(const axis_kind &k) { return testing::PrintToString(k.shape) + " over " + testing::PrintToString(k.axes); }

size_t reduced_count(const axis_kind &k) {
    size_t count = 1;
    for (const int64_t axis : k.axes)
        count *= static_cast<size_t>(k.shape[static_cast<size_t>(axis)]);
    return count;
}

TEST(range, the_mean_of_the_largest_value_is_that_value) {
    for (const data_type type : every_float_type)
        for (const double value : {largest_of(type), -largest_of(type), largest_of(type) / 2})
            for (const axis_kind &k : axis_kinds) {
                const array src(type, k.shape, std::vector<double>(count_of(k.shape), value));
                for (const double mean : reduce(op::kind::ReduceMean, src, k.axes).values())
                    ASSERT_EQ(mean, round_to(type, value)) << name_of(type) << " " << text_of(k);
            }
}

TEST(range, the_mean_of_large_values_of_both_signs) {
    for (const data_type type : every_float_type)
        for (const axis_kind &k : axis_kinds) {
            std::vector<double> values(count_of(k.shape));
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = i / 7 % 3 == 0 ? -largest_of(type) : largest_of(type) * (i % 2 ? 0.75 : 1);
            const array src(type, k.shape, values);
            EXPECT_TRUE(are_within(reduce(op::kind::ReduceMean, src, k.axes),
                                   expect_reduction(op::kind::ReduceMean, src.values(), k.shape, k.axes)))
                << name_of(type) << " " << text_of(k);
        }
}

TEST(range, a_sum_may_pass_the_largest_value_on_its_way) {
    for (const data_type type : every_float_type)
        for (const axis_kind &k : axis_kinds) {
            // Halves of large values that cancel: first all the positive ones, then the negative ones; in the middle a 5.
            if (reduced_count(k) < 3) continue;
            std::vector<double> values(count_of(k.shape));
            std::vector<size_t> seen(values.size(), 0);
            const auto strides = [&] {
                dims s(k.shape.size(), 0);
                int64_t next = 1;
                for (size_t i = k.shape.size(); i-- > 0;) {
                    if (std::find(k.axes.begin(), k.axes.end(), static_cast<int64_t>(i)) != k.axes.end()) continue;
                    s[i] = next;
                    next *= k.shape[i];
                }
                return s;
            }();
            const size_t half = reduced_count(k) / 2;
            for_each_element(k.shape, strides, [&](size_t i, int64_t output) {
                const size_t n = seen[static_cast<size_t>(output)]++;
                values[i] = n < half ? largest_of(type) : n < 2 * half ? -largest_of(type) : 0;
            });
            const array src(type, k.shape, values);
            for (const op::kind kind : {op::kind::ReduceSum, op::kind::ReduceMean})
                EXPECT_TRUE(are_within(reduce(kind, src, k.axes), expect_reduction(kind, src.values(), k.shape, k.axes)))
                    << name_of(kind) << " of " << name_of(type) << " " << text_of(k);
        }
}

TEST(range, a_sum_that_overflows_is_infinite) {
    for (const data_type type : every_float_type)
        for (const axis_kind &k : axis_kinds)
            for (const double sign : {1.0, -1.0}) {
                const array src(type, k.shape, std::vector<double>(count_of(k.shape), sign * largest_of(type)));
                for (const double sum : reduce(op::kind::ReduceSum, src, k.axes).values())
                    ASSERT_EQ(sum, sign * infinity) << name_of(type) << " " << text_of(k);
                for (const op::kind kind : {op::kind::ReduceL1, op::kind::ReduceL2})
                    for (const double norm : reduce(kind, src, k.axes).values())
                        ASSERT_EQ(norm, infinity) << name_of(kind) << " of " << name_of(type) << " " << text_of(k);
            }
}

TEST(range, an_l2_norm_of_values_whose_squares_overflow_or_vanish) {
    struct value_case {
        data_type type;
        double value;
    };
    const value_case cases[] = {
        {data_type::f32, 1e30},   {data_type::f32, 1e-30},  {data_type::f32, 3e25},   {data_type::f32, 2e-23},
        {data_type::f32, 1e-38},  {data_type::f32, 1e-44},  {data_type::f32, 1e36},   {data_type::bf16, 1e30},
        {data_type::bf16, 1e-30}, {data_type::bf16, 1e36},  {data_type::bf16, 1e-38}, {data_type::f16, 200},
        {data_type::f16, 6e-8},   {data_type::f16, 1e-4},   {data_type::f64, 1e306},  {data_type::f64, 1e-306},
        {data_type::f64, 1e160},  {data_type::f64, 3e-162}, {data_type::f64, 5e-324},
    };
    for (const auto &[type, value] : cases)
        for (const axis_kind &k : axis_kinds) {
            std::vector<double> values(count_of(k.shape));
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = value * (1 + static_cast<double>(i % 5) / 4) * (i % 3 ? 1 : -1);
            const array src(type, k.shape, values);
            EXPECT_TRUE(are_within(reduce(op::kind::ReduceL2, src, k.axes),
                                   expect_reduction(op::kind::ReduceL2, src.values(), k.shape, k.axes)))
                << value << " in " << name_of(type) << " " << text_of(k);
        }
}

TEST(range, an_l2_norm_of_zeros_is_0) {
    for (const data_type type : every_float_type)
        for (const axis_kind &k : axis_kinds)
            for (const double norm :
                 reduce(op::kind::ReduceL2, array(type, k.shape, std::vector<double>(count_of(k.shape), -0.0)), k.axes)
                     .values())
                ASSERT_EQ(norm, 0);
}

/// Sums of finite values of that magnitude and one that is not.
void check_with(data_type type, const axis_kind &k, double filler, double special, size_t at) {
    std::vector<double> values(count_of(k.shape));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = i % 4 < 2 ? filler : -filler;
    values[at] = special;
    const array src(type, k.shape, values);
    for (const op::kind kind : {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceL1, op::kind::ReduceL2})
        ASSERT_TRUE(are_within(reduce(kind, src, k.axes), expect_reduction(kind, values, k.shape, k.axes)))
            << name_of(kind) << " of " << name_of(type) << " " << text_of(k) << " with " << special << " at " << at << " among "
            << filler;
}

void check_infinities(data_type type, const axis_kind &k, double filler) {
    const double specials[] = {infinity, -infinity, not_a_number};
    const size_t count = count_of(k.shape);
    const size_t places[] = {0, count / 2, count - 1};
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 3; ++j)
            if (i == j || count < 5000) check_with(type, k, filler, specials[i], places[j]);
}

TEST(range, a_sum_with_one_infinity_is_that_infinity) {
    for (const data_type type : every_float_type)
        for (const axis_kind &k : axis_kinds)
            check_infinities(type, k, 1);
}

TEST(range, a_sum_of_large_values_with_one_infinity_is_that_infinity) {
    for (const data_type type : every_float_type)
        for (const axis_kind &k : axis_kinds)
            if (type != data_type::f64 || count_of(k.shape) < 5000) check_infinities(type, k, largest_of(type)); // slow there
}

TEST(range, a_sum_with_both_infinities_is_nan) {
    for (const data_type type : every_float_type)
        for (const int64_t length : {2, 35, 1500}) {
            std::vector<double> values(static_cast<size_t>(length), 1);
            values.front() = infinity;
            values.back() = -infinity;
            for (const op::kind kind : {op::kind::ReduceSum, op::kind::ReduceMean}) {
                EXPECT_TRUE(std::isnan(reduce(kind, array(type, {length}, values), {0}).values()[0]));
                EXPECT_TRUE(std::isnan(reduce(kind, array(type, {length, 1}, values), {0}).values()[0]));
            }
            EXPECT_EQ(reduce(op::kind::ReduceL1, array(type, {length}, values), {0}).values()[0], infinity);
            EXPECT_EQ(reduce(op::kind::ReduceL2, array(type, {length}, values), {0}).values()[0], infinity);
        }
}

TEST(range, a_product_may_pass_the_largest_value_on_its_way) {
    const std::vector<double> values = {1e30, -1e30, 1e-30, 1e-30, 3, -0.5};
    for (const data_type type : {data_type::f32, data_type::bf16})
        for (const dims &shape : {dims{6, 1}, dims{1, 6}}) {
            const array src(type, shape, values);
            const axes_list axes = {shape[0] == 6 ? 0 : 1};
            EXPECT_TRUE(are_within(reduce(op::kind::ReduceProd, src, axes),
                                   expect_reduction(op::kind::ReduceProd, src.values(), shape, axes)));
        }
}

TEST(range, sizes_that_overflow_are_refused) {
    constexpr int64_t large = int64_t{1} << 40;
    EXPECT_TRUE(fails(onefold_invalid_shape, {"2^63"}, [] { dense(0, data_type::f32, {large, large}); }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"2^63"}, [] { dense(0, data_type::f32, {3, 0, 5, int64_t{1} << 62}); }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"2^63"}, [] {
        logical_tensor(0, data_type::f32, dims{large, 2}, dims{large, 1});
    }));
    EXPECT_TRUE(fails(onefold_invalid_shape, {"2^63"}, [] {
        logical_tensor(0, data_type::f32, dims{2, 2}, dims{INT64_MAX, INT64_MAX});
    }));
    for (const op::kind kind : {op::kind::Add, op::kind::Maximum})
        EXPECT_TRUE(fails(onefold_invalid_shape, {"2^63"}, [&] {
            compile_op(kind, {}, {dense(0, data_type::bf16, {large, 1}), dense(1, data_type::bf16, {1, large})},
                       open_tensor(dst_id, data_type::bf16));
        }));
}

TEST(range, sizes_beyond_2_to_the_31_are_compiled) {
    constexpr int64_t large = int64_t{1} << 33;
    for (const op::kind kind : reductions)
        for (const data_type type : every_float_type)
            for (const dims &shape : {dims{large, 3}, dims{3, large}, dims{5, large, 2}})
                for (size_t axis = 0; axis < shape.size(); ++axis)
                    EXPECT_NO_THROW(compile_op(kind, over({static_cast<int64_t>(axis)}), {dense(0, type, shape)},
                                               open_tensor(dst_id, type)))
                        << name_of(kind) << " of " << name_of(type) << testing::PrintToString(shape) << " over " << axis;
}

TEST(range, a_norm_of_zeros_is_0_and_of_one_tiny_value_among_them_that_value) {
    for (const auto &[type, tiny] : {std::pair{data_type::f32, 0x1p-149}, std::pair{data_type::bf16, 0x1p-133},
                                     std::pair{data_type::f16, 0x1p-24}, std::pair{data_type::f64, 0x1p-1074}})
        for (const dims &shape : {dims{300, 3}, dims{3, 300}, dims{70001, 2}, dims{2, 70001}}) {
            std::vector<double> values(count_of(shape), 0.0);
            const int64_t axis = shape[0] > shape[1] ? 0 : 1;
            std::vector<double> expected(static_cast<size_t>(shape[axis == 0 ? 1 : 0]), 0.0);
            const array zeros(type, shape, values);
            EXPECT_TRUE(are_identical(reduce(op::kind::ReduceL2, zeros, {axis}).values(), expected)) << name_of(type);
            values.back() = -tiny;
            expected.back() = tiny;
            const array one(type, shape, values);
            EXPECT_TRUE(are_identical(reduce(op::kind::ReduceL2, one, {axis}).values(), expected)) << name_of(type);
        }
}

} // namespace
