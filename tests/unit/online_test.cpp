// Sums around a block's own centre: which a program has, and how they are moved.
#include "simd/online.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "compile/row_instructions.hpp"
#include "simd/row_program_step.hpp"

using namespace onefold::impl;
using namespace onefold::impl::simd;

namespace {

using testing::HasSubstr;
using form = online_sum::form;

/// Programs over one source.
class online_sums_test : public testing::Test {
protected:
    row_program finish(std::vector<size_t> values) {
        row_program p;
        p.inputs.resize(2);
        p.instructions = made_.finish(values);
        for (const size_t value : values)
            p.outputs.push_back({value, {}});
        return p;
    }
    /// Of the program with these outputs; it is changed for nothing else.
    std::vector<online_sum> sums_of(const std::vector<size_t> &values) {
        row_program p = finish(values);
        const std::string before = to_string(p);
        const auto sums = add_online_sums(p);
        EXPECT_TRUE(!sums.empty() || to_string(p) == before);
        return sums;
    }
    size_t subtract(size_t a, size_t b) { return made_.binary(onefold_op_subtract, a, b); }
    size_t square(size_t a) { return made_.unary(onefold_op_square, {}, a); }
    size_t exponential(size_t a) { return made_.unary(onefold_op_exp, {}, a); }
    size_t mean(size_t a) { return made_.reduce(onefold_op_reduce_mean, a); }
    size_t sum(size_t a) { return made_.reduce(onefold_op_reduce_sum, a); }
    size_t maximum(size_t a) { return made_.reduce(onefold_op_reduce_max, a); }

    row_instructions made_;
    const size_t src_ = made_.load(0, true);
};

TEST_F(online_sums_test, squares_have_their_deviations_added_up) {
    row_program p = finish({mean(square(subtract(src_, mean(src_))))});
    const auto sums = add_online_sums(p);
    ASSERT_EQ(sums.size(), 1U);
    EXPECT_EQ(sums[0].what, form::squares);
    EXPECT_FALSE(sums[0].is_negated);
    EXPECT_EQ(sums[0].centre, 1U);
    EXPECT_EQ(sums[0].deviations, 4U);
    EXPECT_THAT(to_string(p), HasSubstr("%2 = Subtract %0, %1\n%3 = ReduceMean of squares %2 (a result)\n"
                                        "%4 = ReduceSum %2 (a result)\n"));
}

TEST_F(online_sums_test, deviations_that_are_added_up_anyway_serve_squares) {
    const size_t deviation = subtract(mean(src_), src_);
    row_program p = finish({sum(square(deviation)), mean(deviation)});
    const size_t count = p.instructions.size();
    const auto sums = add_online_sums(p);
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_EQ(p.instructions.size(), count);
    EXPECT_EQ(sums[0].deviations, sums[1].reduction);
    EXPECT_EQ(sums[1].what, form::deviations);
    EXPECT_TRUE(sums[0].is_negated && sums[1].is_negated);
}

TEST_F(online_sums_test, exponentials_are_around_a_maximum) {
    const size_t exponentials = exponential(subtract(src_, maximum(src_)));
    const auto sums = sums_of({made_.binary(onefold_op_divide, exponentials, sum(exponentials))});
    ASSERT_EQ(sums.size(), 1U);
    EXPECT_EQ(sums[0].what, form::exponentials);
    EXPECT_TRUE(sums_of({sum(exponential(subtract(src_, mean(src_))))}).empty());
    EXPECT_TRUE(sums_of({sum(exponential(subtract(maximum(src_), src_)))}).empty());
}

TEST_F(online_sums_test, a_centre_may_be_rounded) {
    EXPECT_EQ(sums_of({mean(square(subtract(src_, made_.round(onefold_bf16, mean(src_)))))}).size(), 1U);
}

TEST_F(online_sums_test, a_centre_is_of_the_same_elements) {
    const size_t other = made_.load(1, true);
    EXPECT_TRUE(sums_of({mean(square(subtract(src_, mean(other))))}).empty());
    EXPECT_TRUE(sums_of({mean(square(subtract(src_, sum(src_))))}).empty());
    EXPECT_TRUE(sums_of({mean(square(subtract(src_, mean(square(src_)))))}).empty());
}

TEST_F(online_sums_test, all_of_the_second_pass_can_be_moved_or_nothing) {
    const size_t deviation = subtract(src_, mean(src_));
    EXPECT_TRUE(sums_of({mean(square(deviation)), maximum(deviation)}).empty());
    EXPECT_TRUE(sums_of({mean(square(deviation)), deviation}).empty());
    EXPECT_EQ(sums_of({mean(square(deviation)), maximum(src_)}).size(), 1U);
    EXPECT_TRUE(sums_of({mean(src_)}).empty());
}

TEST_F(online_sums_test, there_is_room_for_what_is_added) {
    row_program p = finish({mean(square(subtract(src_, mean(src_))))});
    p.instructions.resize(most_instructions, p.instructions[0]);
    EXPECT_TRUE(add_online_sums(p).empty());
    p.instructions.pop_back();
    EXPECT_EQ(add_online_sums(p).size(), 1U);
}

// ---- how sums are moved

const std::vector<double> elements = {3, -1, 4, 1.5, -5, 9, 2.25, 6};

double sum_around(double centre, double (*term)(double)) {
    double total = 0;
    for (const double x : elements)
        total += term(x - centre);
    return total;
}
double itself(double x) { return x; }
double squared(double x) { return x * x; }
double exponential_of(double x) { return std::exp(x); }

TEST(moved, sums_are_what_they_are_around_the_other_centre) {
    const auto count = static_cast<double>(elements.size());
    for (const double own : {2.5, -7.0, 100.0})
        for (const double whole : {2.5, 0.0, 33.0}) {
            const double deviations = sum_around(own, itself);
            EXPECT_NEAR(moved_deviations(deviations, count, own - whole), sum_around(whole, itself), 1e-9);
            EXPECT_NEAR(moved_squares(sum_around(own, squared), deviations, count, own - whole), sum_around(whole, squared),
                        1e-9 * sum_around(own, squared));
        }
    EXPECT_DOUBLE_EQ(moved_exponentials(sum_around(9, exponential_of), 9, 12), sum_around(12, exponential_of));
}

TEST(moved, squares_are_not_negative) { EXPECT_EQ(moved_squares(1, -1.0000001, 1, 1), 0); }

TEST(moved, what_is_not_finite_does_not_become_so) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(std::isfinite(moved_deviations(-infinity, 5, infinity)));
    EXPECT_FALSE(std::isfinite(moved_squares(infinity, -infinity, 5, infinity)));
    EXPECT_FALSE(std::isfinite(moved_squares(nan, 0, 5, 0)));
    EXPECT_FALSE(std::isfinite(moved_squares(1, 0, 5, nan)));
}

TEST(moved, exponentials_of_extremes) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(moved_exponentials(nan, -infinity, 3), 0);
    EXPECT_TRUE(std::isnan(moved_exponentials(nan, -infinity, -infinity)));
    EXPECT_TRUE(std::isnan(moved_exponentials(nan, infinity, infinity)));
    EXPECT_EQ(moved_exponentials(5, 3, infinity), 0);
    EXPECT_TRUE(std::isnan(moved_exponentials(5, 3, nan)));
    EXPECT_EQ(moved_exponentials(5, 3, 3), 5);
}

} // namespace
