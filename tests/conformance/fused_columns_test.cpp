// Fused reductions of columns: over the first axis and one in the middle, any few of them, with NaNs and zeros of both signs.
#include <cmath>

#include "support/normalizations.hpp"

using namespace onefold_test;

namespace {

class fused_columns : public testing::TestWithParam<size_t> {
protected:
    /// Whether one row program computes it: steps of their own may be cheaper for a few columns.
    static bool check(int64_t rows, int64_t columns, bool is_in_the_middle) {
        const normalization &n = normalizations[GetParam()];
        const data_type type = float_types[static_cast<size_t>(rows + columns) % std::size(float_types)];
        const dims shape = is_in_the_middle ? dims{3, rows, columns} : dims{rows, columns};
        const array src(type, shape, random_values(type, count_of(shape), static_cast<unsigned>(41 * rows + columns)));
        const size_t axis = shape.size() - 2;
        one_partition p({static_cast<int64_t>(axis)});
        p.allow_parts();
        compile_normalization(p, n, src);
        EXPECT_TRUE(are_within(p.run()[0], expect_along(n, src, axis)))
            << testing::PrintToString(shape) << " " << name_of(type);
        return p.is_row_program();
    }

    /// Each normalization has its part of all pairs.
    static void check_all(bool is_in_the_middle) {
        size_t row_programs = 0;
        for (size_t rows = 1; rows <= 40; ++rows)
            for (size_t columns = 1; columns <= 40; ++columns) {
                if ((rows + 3 * columns) % std::size(normalizations) != GetParam()) continue;
                row_programs += check(static_cast<int64_t>(rows), static_cast<int64_t>(columns), is_in_the_middle);
                if (HasFailure()) return;
            }
        EXPECT_GE(row_programs, 200U) << "of 400";
    }
};

TEST_P(fused_columns, of_the_first_axis_are_near_f64) { check_all(false); }
TEST_P(fused_columns, of_a_middle_axis_are_near_f64) { check_all(true); }

INSTANTIATE_TEST_SUITE_P(all, fused_columns, testing::Range(size_t{0}, std::size(normalizations)),
                         [](const auto &one) { return std::string(normalizations[one.param].name); });

/// The largest and least elements, and what is left of each without them.
void expect_extremes(const array &src, int64_t axis) {
    one_partition p({axis});
    const auto x = p.add_source(src);
    const auto most = p.add(op::kind::ReduceMax, {x});
    const auto least = p.add(op::kind::ReduceMin, {x});
    const auto y = p.add(op::kind::Multiply, {p.add(op::kind::Subtract, {x, most}), p.add(op::kind::Subtract, {x, least})});
    p.compile({most, least, y});
    if (testing::Test::HasFatalFailure()) return;
    const auto got = p.run();
    const auto expected = [&](op::kind kind) { return expect_reduction(kind, src.values(), src.shape(), {axis}, true).value; };
    ASSERT_TRUE(are_identical(got[0].values(), expected(op::kind::ReduceMax))) << "maximum along axis " << axis;
    ASSERT_TRUE(are_identical(got[1].values(), expected(op::kind::ReduceMin))) << "minimum along axis " << axis;
}

/// Sums of one pass stand side by side. What is behind the last column, read as 0, is 0.5 here.
TEST(fused_columns_and_rows, sums_of_one_pass_are_apart) {
    constexpr int64_t length = 21;
    for (const int64_t axis : {0, 1})
        for (int64_t kept = 1; kept <= 40; ++kept) {
            const auto x = random_values(data_type::f32, static_cast<size_t>(length * kept), static_cast<unsigned>(kept));
            const array src(data_type::f32, axis == 0 ? dims{length, kept} : dims{kept, length}, x);
            std::vector<double> sigmoids;
            for (const double value : x)
                sigmoids.push_back(1 / (1 + std::exp(-value)));
            one_partition p({axis});
            const auto source = p.add_source(src);
            const auto sigmoid = p.add(op::kind::Sigmoid, {source});
            const auto sum = p.add(op::kind::ReduceSum, {sigmoid});
            const auto mean = p.add(op::kind::ReduceMean, {p.add(op::kind::Neg, {sigmoid})});
            const auto most = p.add(op::kind::ReduceMax, {sigmoid});
            p.compile({sum, mean, most, p.add(op::kind::Multiply, {p.add(op::kind::Subtract, {sigmoid, sum}), source})});
            if (HasFatalFailure()) return;
            const auto got = p.run();
            SCOPED_TRACE(testing::Message() << kept << " sums along axis " << axis);
            const auto expect = [&](op::kind kind, double sign, double units) {
                expected_tensor e = expect_reduction(kind, sigmoids, src.shape(), {axis}, true);
                for (size_t i = 0; i < e.value.size(); ++i) {
                    e.value[i] *= sign;
                    e.error[i] += units * f32_unit;
                }
                return e;
            };
            ASSERT_TRUE(are_within(got[0], expect(op::kind::ReduceSum, 1, 4 * length)));
            ASSERT_TRUE(are_within(got[1], expect(op::kind::ReduceMean, -1, 4)));
            ASSERT_TRUE(are_within(got[2], expect(op::kind::ReduceMax, 1, 4)));
        }
}

constexpr dims::value_type sizes[] = {1, 2, 7, 8, 9, 16, 17, 33, 40};

TEST(fused_columns_and_rows, a_nan_is_the_extreme_of_its_own_alone) {
    for (const int64_t rows : sizes)
        for (const int64_t columns : sizes)
            for (const int64_t at : {int64_t{0}, rows * columns / 2, rows * columns - 1}) {
                auto values = random_values(data_type::f32, static_cast<size_t>(rows * columns), 3);
                values[static_cast<size_t>(at)] = at % 2 ? not_a_number : -not_a_number;
                const array src(data_type::f32, {rows, columns}, values);
                for (const int64_t axis : {0, 1}) {
                    expect_extremes(src, axis);
                    if (HasFatalFailure()) return;
                }
            }
}

TEST(fused_columns_and_rows, zeros_have_signs) {
    for (const int64_t rows : sizes)
        for (const int64_t columns : sizes)
            for (const double sign : {1.0, -1.0}) {
                const auto count = static_cast<size_t>(rows * columns);
                std::vector<double> values(count, sign * 0.0);
                // Rows and columns with another one, and without.
                for (size_t i = 0; i < count; i += 11)
                    values[i] = -sign * 0.0;
                const array src(data_type::f32, {rows, columns}, values);
                for (const int64_t axis : {0, 1}) {
                    expect_extremes(src, axis);
                    if (HasFatalFailure()) return;
                }
            }
}

} // namespace
