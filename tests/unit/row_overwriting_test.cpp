// Which outputs of row programs may lie where an input does.
#include "simd/row_overwriting.hpp"

#include <gmock/gmock.h>

#include "compile/row_instructions.hpp"

using namespace onefold::impl;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Programs over rows of 3, of inputs in the buffers 0, 1, ... and outputs in 10, 11, ...
class row_overwriting_test : public testing::Test {
protected:
    static constexpr size_t first_output = 10;

    size_t load(const operand &input, bool varies, data_type as = onefold_f32) {
        program_.inputs.push_back(input);
        return made_.load(program_.inputs.size() - 1, varies, as);
    }
    size_t load_rows(size_t buffer = 0) { return load({buffer, onefold_f32, rows_}, true); }

    std::vector<std::pair<size_t, size_t>> find(std::vector<size_t> results, data_type type = onefold_f32) {
        program_.space = {{2, 3}, {false, true}};
        program_.instructions = made_.finish(results);
        for (size_t i = 0; i < results.size(); ++i) {
            const bool varies = program_.instructions[results[i]].varies;
            program_.outputs.push_back({results[i], {first_output + i, type, varies ? rows_ : results_}});
        }
        return simd::find_overwrites(program_);
    }

    const dims rows_ = {3, 1};
    const dims results_ = {1, 0};
    row_program program_;
    row_instructions made_;
};

TEST_F(row_overwriting_test, the_last_pass_reads_an_element_before_it_writes_it) {
    const size_t x = load_rows();
    const size_t y = made_.binary(onefold_op_subtract, x, made_.reduce(onefold_op_reduce_mean, x));
    EXPECT_THAT(find({y}), ElementsAre(Pair(0, 10)));
}

TEST_F(row_overwriting_test, elements_must_have_the_same_places_and_type) {
    const size_t x = load_rows();
    const size_t turned = load({1, onefold_f32, {1, 2}}, true);
    const size_t repeated = load({2, onefold_f32, {0, 1}}, true);
    const size_t narrow = load({3, onefold_bf16, rows_}, true);
    size_t y = made_.binary(onefold_op_add, x, turned);
    y = made_.binary(onefold_op_multiply, made_.binary(onefold_op_add, y, repeated), narrow);
    EXPECT_THAT(find({y}), ElementsAre(Pair(0, 10)));
}

TEST_F(row_overwriting_test, an_early_pass_is_followed_by_another_that_reads) {
    const size_t x = load_rows();
    const size_t early = made_.unary(onefold_op_abs, {}, x);
    const size_t late = made_.binary(onefold_op_subtract, x, made_.reduce(onefold_op_reduce_mean, early));
    EXPECT_THAT(find({early, late}), ElementsAre(Pair(0, 11)));
}

/// Computed again for what the last pass stores, it is stored by the first one all the same.
TEST_F(row_overwriting_test, an_early_output_that_a_late_one_is_made_of_stays_early) {
    const size_t x = load_rows();
    const size_t early = made_.unary(onefold_op_softplus, {1, 0, false}, x);
    const size_t late = made_.binary(onefold_op_subtract, early, made_.reduce(onefold_op_reduce_sum, load_rows(1)));
    EXPECT_THAT(find({early, late}), ElementsAre(Pair(0, 11), Pair(1, 11)));
}

TEST_F(row_overwriting_test, a_pass_with_a_sum_may_run_again) {
    const size_t x = load_rows();
    const size_t y = made_.unary(onefold_op_abs, {}, x);
    EXPECT_THAT(find({y, made_.reduce(onefold_op_reduce_sum, y)}), IsEmpty());
}

TEST_F(row_overwriting_test, nothing_may_read_behind_the_output) {
    const size_t x = load_rows();
    const size_t first = made_.unary(onefold_op_abs, {}, x);
    const size_t second = made_.unary(onefold_op_neg, {}, x);
    EXPECT_THAT(find({first, second}), ElementsAre(Pair(0, 11)));
}

TEST_F(row_overwriting_test, an_input_that_is_loaded_behind_the_output_is_not_written_over) {
    const size_t first = made_.unary(onefold_op_abs, {}, load_rows(0));
    const size_t second = made_.unary(onefold_op_neg, {}, load_rows(1));
    EXPECT_THAT(find({first, second}), ElementsAre(Pair(0, 10), Pair(0, 11), Pair(1, 11)));
}

TEST_F(row_overwriting_test, all_loads_of_a_buffer_count) {
    const size_t wide = load({0, onefold_s32, rows_}, true);
    const size_t first = made_.unary(onefold_op_abs, {}, wide);
    const size_t narrow = load({0, onefold_s32, rows_}, true, onefold_bf16);
    const size_t second = made_.unary(onefold_op_neg, {}, narrow);
    EXPECT_THAT(find({first, second}, onefold_s32), ElementsAre(Pair(0, 11), Pair(0, 11)));
}

TEST_F(row_overwriting_test, results_are_read_before_any_is_stored) {
    const size_t sum = made_.reduce(onefold_op_reduce_sum, load_rows());
    const size_t scaled = made_.binary(onefold_op_multiply, sum, load({1, onefold_f32, results_}, false));
    EXPECT_THAT(find({scaled}), ElementsAre(Pair(1, 10)));
}

} // namespace
