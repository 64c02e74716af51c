// Fused normalizations whose output shares the memory of an input: the same bits as with memory of its own.
#include "support/expected.hpp"
#include "support/one_partition.hpp"

using namespace onefold_test;

namespace {

/// Random values; source 0 is the data, the others are what the ops need beside it.
void add_sources(one_partition &p, const std::vector<dims> &shapes) {
    for (size_t i = 0; i < shapes.size(); ++i) {
        std::vector<double> values = random_values(data_type::f32, count_of(shapes[i]), static_cast<unsigned>(i) + 5);
        // A row whose sums are taken once more.
        if (i == 0) values.at(values.size() / 2) = infinity;
        p.add_source({data_type::f32, shapes[i], values});
    }
}

void expect_same_in_place(one_partition &p, size_t input, size_t output) {
    const auto expected = p.run(1);
    for (const unsigned threads : {1U, 2U}) {
        const auto got = p.run(threads, input, output);
        for (size_t o = 0; o < expected.size(); ++o)
            EXPECT_TRUE(are_identical(got[o].values(), expected[o].values()))
                << "output " << o << ", " << threads << " threads";
    }
}

/// Rows that fit together into a piece, some long ones, and two that are gone over pass by pass.
class in_place : public testing::TestWithParam<dims> {};

TEST_P(in_place, layer_norm) {
    const int64_t row = GetParam().back();
    one_partition p;
    add_sources(p, {GetParam(), {row}, {row}, {1}});
    const auto difference = p.add(op::kind::Subtract, {p.source(0), p.add(op::kind::ReduceMean, {p.source(0)})});
    const auto variance = p.add(op::kind::ReduceMean, {p.add(op::kind::Square, {difference})});
    const auto root = p.add(op::kind::Sqrt, {p.add(op::kind::Add, {variance, p.source(3)})});
    const auto scaled = p.add(op::kind::Multiply, {p.add(op::kind::Divide, {difference, root}), p.source(1)});
    const auto y = p.add(op::kind::Add, {scaled, p.source(2)});
    p.compile({y});
    EXPECT_TRUE(p.may_share(0, y));
    EXPECT_FALSE(p.may_share(1, y));
    expect_same_in_place(p, 0, 0);
}

TEST_P(in_place, softmax) {
    one_partition p;
    add_sources(p, {GetParam()});
    const auto below = p.add(op::kind::Subtract, {p.source(0), p.add(op::kind::ReduceMax, {p.source(0)})});
    const auto exponentials = p.add(op::kind::Exp, {below});
    const auto y = p.add(op::kind::Divide, {exponentials, p.add(op::kind::ReduceSum, {exponentials})});
    p.compile({y});
    EXPECT_TRUE(p.may_share(0, y));
    expect_same_in_place(p, 0, 0);
}

/// The sum is stored before the last pass reads its operands again.
TEST_P(in_place, an_output_that_is_stored_early_has_memory_of_its_own) {
    one_partition p;
    add_sources(p, {GetParam(), GetParam()});
    const auto sum = p.add(op::kind::Add, {p.source(0), p.source(1)});
    const auto y = p.add(op::kind::Subtract, {sum, p.add(op::kind::ReduceMean, {sum})});
    p.compile({sum, y});
    for (const size_t input : {0U, 1U}) {
        EXPECT_FALSE(p.may_share(input, sum));
        EXPECT_TRUE(p.may_share(input, y));
        expect_same_in_place(p, input, 1);
    }
}

/// Of two outputs of the last pass the first would take away what the second needs.
TEST_P(in_place, nothing_reads_an_input_behind_the_output_in_its_place) {
    one_partition p;
    add_sources(p, {GetParam()});
    const auto mean = p.add(op::kind::ReduceMean, {p.source(0)});
    const auto first = p.add(op::kind::Maximum, {p.source(0), mean});
    const auto second = p.add(op::kind::Minimum, {p.source(0), mean});
    p.compile({first, second});
    const size_t offered = p.may_share(0, first) ? 0 : 1;
    EXPECT_NE(p.may_share(0, first), p.may_share(0, second));
    expect_same_in_place(p, 0, offered);
}

/// Of values that nearly cancel sums are taken twice.
TEST_P(in_place, a_pass_that_may_run_again_writes_over_nothing) {
    one_partition p;
    add_sources(p, {GetParam()});
    const auto twice = p.add(op::kind::Add, {p.source(0), p.source(0)});
    const auto mean = p.add(op::kind::ReduceMean, {twice});
    p.compile({twice, mean});
    EXPECT_FALSE(p.may_share(0, twice));
}

INSTANTIATE_TEST_SUITE_P(all, in_place, testing::Values(dims{50, 64}, dims{70, 1001}, dims{9, 20000}, dims{2, 140000}));

TEST(in_place_of_results, one_value_a_row_is_read_before_it_is_written) {
    one_partition p;
    add_sources(p, {{40, 600}, {40, 1}});
    const auto mean = p.add(op::kind::ReduceMean, {p.source(0)});
    const auto y = p.add(op::kind::Multiply, {p.add(op::kind::Square, {mean}), p.source(1)});
    const auto z = p.add(op::kind::Subtract, {p.source(0), y});
    p.compile({y, z});
    EXPECT_TRUE(p.may_share(1, y));
    expect_same_in_place(p, 1, 0);
    EXPECT_TRUE(p.may_share(0, z));
    expect_same_in_place(p, 0, 1);
}

} // namespace
