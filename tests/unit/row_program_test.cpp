// Row programs: which ops share a loop space, and what instructions they become.
#include "compile/row_program.hpp"

#include <gmock/gmock.h>

#include "compile/row_frame.hpp"
#include "compile/row_instructions.hpp"
#include "graph/graph.hpp"
#include "simd/row_schedule.hpp"

using namespace onefold::impl;

namespace {

using testing::HasSubstr;
using testing::Not;

/// Instructions over one source, as text.
class instructions_test : public testing::Test {
protected:
    std::string finish(std::vector<size_t> results) {
        row_program p;
        p.inputs.resize(3);
        p.instructions = made_.finish(results);
        for (const size_t result : results)
            p.outputs.push_back({result, {}});
        return to_string(p);
    }

    row_instructions made_;
    const size_t src_ = made_.load(0, true);
};

TEST_F(instructions_test, a_product_of_a_value_with_itself_is_its_square) {
    const size_t square = made_.binary(onefold_op_multiply, src_, src_);
    EXPECT_EQ(square, made_.unary(onefold_op_square, {}, src_));
    EXPECT_EQ(square, made_.unary(onefold_op_pow, {2.0F, 0, false}, src_));
}

TEST_F(instructions_test, powers_are_what_they_are) {
    EXPECT_EQ(made_.unary(onefold_op_pow, {1.0F, 0, false}, src_), src_);
    EXPECT_EQ(made_.unary(onefold_op_pow, {-1.0F, 0, false}, src_), made_.unary(onefold_op_reciprocal, {}, src_));
    EXPECT_THAT(finish({made_.unary(onefold_op_pow, {0.5F, 0, false}, src_)}), HasSubstr("root %0"));
    EXPECT_THAT(finish({made_.unary(onefold_op_pow, {-0.5F, 0, false}, src_)}), HasSubstr("reciprocal_sqrt %0"));
}

TEST_F(instructions_test, some_powers_are_products_and_quotients) {
    const auto text = [&](float exponent) { return finish({made_.unary(onefold_op_pow, {exponent, 0, false}, src_)}); };
    EXPECT_THAT(text(3.0F), HasSubstr("%1 = Square %0\n%2 = Multiply %0, %1\n"));
    EXPECT_THAT(text(4.0F), HasSubstr("%1 = Square %0\n%2 = Square %1\n"));
    EXPECT_THAT(text(-2.0F), HasSubstr("%1 = Reciprocal %0\n%2 = Square %1\n"));
    EXPECT_THAT(text(0.25F), HasSubstr("%1 = root %0\n%2 = root %1\n"));
    EXPECT_THAT(text(1.5F), HasSubstr("Multiply %"));
    EXPECT_THAT(text(-1.5F), HasSubstr("Divide %"));
    EXPECT_TRUE(row_instructions::has_power(3.0F));
    EXPECT_FALSE(row_instructions::has_power(2.5F));
}

TEST_F(instructions_test, a_number_of_16_bits_is_rounded_once) {
    const size_t rounded = made_.round(onefold_bf16, src_);
    EXPECT_EQ(made_.round(onefold_bf16, rounded), rounded);
    EXPECT_NE(made_.round(onefold_f16, rounded), rounded);
}

TEST_F(instructions_test, a_load_tells_what_it_casts) {
    const size_t wide = made_.load(1, true);
    const size_t narrow = made_.load(1, true, onefold_bf16);
    EXPECT_NE(wide, narrow);
    row_program p;
    p.inputs = {{}, {1, onefold_s64, {}}};
    std::vector<size_t> results = {made_.binary(onefold_op_add, wide, narrow)};
    p.instructions = made_.finish(results);
    p.outputs = {{results[0], {2, onefold_boolean, {}}}};
    EXPECT_EQ(to_string(p), "%0 = load input 1, s64 cast to f32\n"
                            "%1 = load input 1, s64 cast to bf16\n"
                            "%2 = Add %0, %1\n"
                            "output 0 = %2 as boolean\n");
}

TEST_F(instructions_test, equal_instructions_are_one) {
    const size_t a = made_.binary(onefold_op_add, src_, made_.constant(1));
    const size_t b = made_.binary(onefold_op_add, src_, made_.constant(1));
    EXPECT_EQ(a, b);
    EXPECT_NE(a, made_.binary(onefold_op_add, src_, made_.constant(2)));
}

TEST_F(instructions_test, what_no_result_needs_goes) {
    made_.unary(onefold_op_exp, {}, src_);
    const size_t result = made_.unary(onefold_op_abs, {}, src_);
    EXPECT_THAT(finish({result}), Not(HasSubstr("Exp")));
}

TEST_F(instructions_test, a_division_by_a_result_is_a_multiplication) {
    const size_t sum = made_.reduce(onefold_op_reduce_sum, src_);
    EXPECT_THAT(finish({made_.binary(onefold_op_divide, src_, sum)}), HasSubstr("quotient %0, %1, %2"));
}

TEST_F(instructions_test, a_division_by_elements_stays_one) {
    EXPECT_THAT(finish({made_.binary(onefold_op_divide, src_, made_.load(1, true))}), HasSubstr("Divide %0, %1"));
}

TEST_F(instructions_test, the_mean_of_squares_needs_no_squares) {
    const size_t mean = made_.reduce(onefold_op_reduce_mean, made_.unary(onefold_op_square, {}, src_));
    EXPECT_EQ(finish({mean}), "%0 = load input 0\n%1 = ReduceMean of squares %0 (a result)\noutput 0 = %1 as f32\n");
}

TEST_F(instructions_test, differences_and_products_are_fused_into_what_follows) {
    const size_t mean = made_.reduce(onefold_op_reduce_mean, src_);
    const size_t scaled =
        made_.binary(onefold_op_multiply, made_.binary(onefold_op_subtract, src_, mean), made_.load(1, false));
    const size_t result =
        made_.binary(onefold_op_add, made_.binary(onefold_op_multiply, scaled, made_.load(2, true)), made_.constant(3));
    const std::string text = finish({result});
    EXPECT_THAT(text, HasSubstr("subtract_multiply"));
    EXPECT_THAT(text, HasSubstr("multiply_add"));
    EXPECT_THAT(text, Not(HasSubstr("= Subtract")));
}

TEST_F(instructions_test, a_result_that_is_reduced_is_spread_first) {
    const size_t sum = made_.reduce(onefold_op_reduce_sum, src_);
    EXPECT_THAT(finish({made_.reduce(onefold_op_reduce_max, sum)}), HasSubstr("Multiply %1, %2\n"));
}

// ---- frames

op make_op(op_kind kind, const std::vector<dims> &inputs, const dims &output, std::vector<size_t> ids,
           attribute_map attributes = {}) {
    op o;
    o.id = 100 + ids.back();
    o.kind = kind;
    o.raw_attributes = std::move(attributes);
    for (size_t i = 0; i < inputs.size(); ++i)
        o.inputs.push_back(make_dense(ids[i], onefold_f32, inputs[i]));
    o.outputs.push_back(make_dense(ids.back(), onefold_f32, output));
    o.attributes = make_attributes(o);
    return o;
}

op make_reduction(const dims &src, const dims &dst, std::vector<int64_t> axes, bool keep_dims, std::vector<size_t> ids) {
    return make_op(onefold_op_reduce_sum, {src}, dst, std::move(ids),
                   {{onefold_op_attr_axes, std::move(axes)}, {onefold_op_attr_keep_dims, keep_dims}});
}

bool add(row_frame &frame, const op &o) {
    return frame.try_add(o, [](const logical_tensor &t) -> const dims & { return t.dims; });
}

TEST(row_frame, reductions_over_the_same_dims_go_together) {
    row_frame frame;
    EXPECT_TRUE(add(frame, make_reduction({2, 3, 4}, {2, 3, 1}, {-1}, true, {1, 2})));
    EXPECT_TRUE(add(frame, make_op(onefold_op_subtract, {{2, 3, 4}, {2, 3, 1}}, {2, 3, 4}, {1, 2, 3})));
    EXPECT_TRUE(add(frame, make_reduction({2, 3, 4}, {2, 3}, {2}, false, {3, 4})));
    EXPECT_FALSE(add(frame, make_reduction({2, 3, 4}, {2, 1, 4}, {1}, true, {3, 5})));
    EXPECT_TRUE(frame.can_store(3));
    EXPECT_TRUE(frame.can_store(4));
}

TEST(row_frame, a_result_without_its_dims_does_not_meet_elements) {
    row_frame frame;
    EXPECT_TRUE(add(frame, make_reduction({4, 4, 4}, {4, 4}, {1}, false, {1, 2})));
    EXPECT_FALSE(add(frame, make_op(onefold_op_add, {{4, 4, 4}, {4, 4}}, {4, 4, 4}, {1, 2, 3})));
    EXPECT_TRUE(add(frame, make_op(onefold_op_add, {{4, 4}, {4}}, {4, 4}, {2, 5, 6})));
}

TEST(row_frame, leading_dims_may_be_dropped) {
    row_frame frame;
    EXPECT_TRUE(add(frame, make_reduction({4, 5, 6}, {6}, {0, 1}, false, {1, 2})));
    EXPECT_TRUE(add(frame, make_op(onefold_op_add, {{4, 5, 6}, {6}}, {4, 5, 6}, {1, 2, 3})));
}

TEST(row_frame, what_is_reduced_has_full_size_there) {
    row_frame frame;
    EXPECT_TRUE(add(frame, make_op(onefold_op_add, {{2, 3, 4}, {2, 1, 4}}, {2, 3, 4}, {1, 2, 3})));
    EXPECT_FALSE(add(frame, make_reduction({2, 1, 4}, {2, 1, 4}, {1}, true, {2, 5})));
}

TEST(row_frame, what_does_not_vary_along_kept_dims_is_no_result) {
    row_frame frame;
    EXPECT_TRUE(add(frame, make_op(onefold_op_add, {{4}, {4}}, {4}, {1, 2, 3})));
    EXPECT_TRUE(frame.can_store(3));
    EXPECT_TRUE(add(frame, make_op(onefold_op_add, {{2, 3, 4}, {4}}, {2, 3, 4}, {4, 3, 5})));
    EXPECT_TRUE(add(frame, make_reduction({2, 3, 4}, {2, 3, 1}, {-1}, true, {5, 6})));
    EXPECT_FALSE(frame.can_store(3));
}

op make_cast(data_type from, data_type to, std::vector<size_t> ids) {
    op o = make_op(onefold_op_type_cast, {{2, 3}}, {2, 3}, std::move(ids));
    o.inputs[0].type = from;
    o.outputs[0].type = to;
    return o;
}

TEST(row_frame, casts_from_integers_and_to_them_stand_at_the_border) {
    row_frame frame;
    EXPECT_TRUE(add(frame, make_cast(onefold_s64, onefold_f32, {1, 2})));
    EXPECT_TRUE(add(frame, make_cast(onefold_s64, onefold_bf16, {1, 3})));
    EXPECT_TRUE(add(frame, make_cast(onefold_f32, onefold_boolean, {2, 4})));
    EXPECT_FALSE(add(frame, make_cast(onefold_boolean, onefold_f16, {4, 5})));
    EXPECT_FALSE(add(frame, make_cast(onefold_f32, onefold_s64, {6, 1})));
    EXPECT_FALSE(add(frame, make_cast(onefold_s64, onefold_s8, {1, 7})));
    EXPECT_FALSE(add(frame, make_cast(onefold_f64, onefold_f32, {8, 9})));
    EXPECT_FALSE(add(frame, make_cast(onefold_f32, onefold_f64, {2, 10})));
}

// ---- schedules

TEST(row_schedule, expensive_values_are_cached_for_later_passes) {
    row_instructions made;
    const size_t src = made.load(0, true);
    const size_t shifted = made.binary(onefold_op_subtract, src, made.reduce(onefold_op_reduce_max, src));
    const size_t exponentials = made.unary(onefold_op_exp, {}, shifted);
    std::vector<size_t> results = {
        made.binary(onefold_op_divide, exponentials, made.reduce(onefold_op_reduce_sum, exponentials))};
    row_program p;
    p.space = {{2, 3}, {false, true}};
    p.inputs.resize(1);
    p.instructions = made.finish(results);
    p.outputs.push_back({results[0], {}});
    const simd::row_schedule cached = simd::make_schedule(p, true);
    EXPECT_EQ(cached.phases.size(), 3U);
    ASSERT_EQ(cached.cached.size(), 1U);
    EXPECT_EQ(p.instructions[cached.cached[0]].op, onefold_op_exp);
    EXPECT_TRUE(cached.phases[2].is_read_from_cache[cached.cached[0]]);
    EXPECT_TRUE(simd::make_schedule(p, false).cached.empty());
}

} // namespace
