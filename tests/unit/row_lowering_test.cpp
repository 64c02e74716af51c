// Layer normalizations as row programs: which are recognised, and which lowering they go to.
#include <gmock/gmock.h>

#include "compile/loop_space.hpp"
#include "compile/lowering.hpp"
#include "compile/row_instructions.hpp"
#include "onednn/row_patterns.hpp"
#include "simd/isa.hpp"
#include "support/setting.hpp"

namespace onefold::impl {
namespace {

using onefold_test::setting;
using testing::StartsWith;

/// What is normalized, and how the program deviates from a layer normalization of dense rows.
struct description {
    int64_t rows = 1000;
    int64_t length = 64;
    data_type type = onefold_f32;
    float epsilon = 1e-5F;
    bool has_scale = true;
    bool has_shift = true;
    data_type weights = onefold_f32;
    int64_t gap = 0; // behind each row of the source
    bool centred = true;
    bool unlike_variance = false; // of what is not centred
    bool keeps_mean = false;
};

row_program make_program(const description &d) {
    row_program p;
    p.space = {{d.rows, d.length}, {false, true}};
    p.inputs = {{0, d.type, {d.length + d.gap, 1}}, {1, d.weights, {0, 1}}, {2, d.weights, {0, 1}}};
    row_instructions made;
    const size_t src = made.load(0, true);
    const size_t mean = made.reduce(onefold_op_reduce_mean, src);
    const size_t centred = d.centred ? made.binary(onefold_op_subtract, src, mean) : src;
    const size_t spread = d.unlike_variance ? src : centred;
    const size_t variance = made.reduce(onefold_op_reduce_mean, made.unary(onefold_op_square, {}, spread));
    const size_t sum = made.binary(onefold_op_add, variance, made.constant(d.epsilon));
    const size_t inverse = made.unary(onefold_op_reciprocal, {}, made.unary(onefold_op_sqrt, {}, sum));
    size_t result = made.binary(onefold_op_multiply, centred, inverse);
    if (d.has_scale) result = made.binary(onefold_op_multiply, result, made.load(1, true));
    if (d.has_shift) result = made.binary(onefold_op_add, made.load(2, true), result);
    std::vector<size_t> results = {result};
    if (d.keeps_mean) results.push_back(mean);
    p.instructions = made.finish(results);
    for (const size_t value : results)
        p.outputs.push_back({value, {3, d.type, {d.length, 1}}});
    if (d.keeps_mean) p.outputs[1].to = {4, onefold_f32, {1, 0}};
    return p;
}

row_program make_softmax(data_type type, bool is_logarithm) {
    row_program p;
    p.space = {{1000, 64}, {false, true}};
    p.inputs = {{0, type, {64, 1}}};
    row_instructions made;
    const size_t src = made.load(0, true);
    const size_t shifted = made.binary(onefold_op_subtract, src, made.reduce(onefold_op_reduce_max, src));
    const size_t exponentials = made.unary(onefold_op_exp, {}, shifted);
    const size_t sum = made.reduce(onefold_op_reduce_sum, exponentials);
    std::vector<size_t> results = {is_logarithm ? made.binary(onefold_op_subtract, shifted, made.unary(onefold_op_log, {}, sum))
                                                : made.binary(onefold_op_divide, exponentials, sum)};
    p.instructions = made.finish(results);
    p.outputs = {{results[0], {1, type, {64, 1}}}};
    return p;
}

/// The name of the step; "" where there is none.
std::string step_of(const row_program &p, bool (*how)(const row_program &, program_builder &) = try_lower) {
    program_builder builder(3, 2);
    if (!how(p, builder)) return "";
    const program made = builder.finish();
    EXPECT_EQ(made.steps.size(), 1U);
    return made.steps[0]->name();
}

TEST(row_patterns, a_layer_norm_has_a_scale_and_a_shift_or_not) {
    for (const bool has_scale : {false, true})
        for (const bool has_shift : {false, true}) {
            description d;
            d.has_scale = has_scale;
            d.has_shift = has_shift;
            const auto found = onednn::match_layer_norm(make_program(d));
            ASSERT_TRUE(found);
            EXPECT_EQ(found->src, 0U);
            EXPECT_EQ(found->epsilon, 1e-5F);
            EXPECT_EQ(found->scale, has_scale ? std::optional<size_t>(1) : std::nullopt);
            EXPECT_EQ(found->shift, has_shift ? std::optional<size_t>(2) : std::nullopt);
        }
}

TEST(row_patterns, what_is_no_layer_norm_is_not_taken_for_one) {
    description rms;
    rms.centred = false;
    description raw;
    raw.unlike_variance = true;
    description with_mean;
    with_mean.keeps_mean = true;
    for (const description &d : {rms, raw, with_mean})
        EXPECT_FALSE(onednn::match_layer_norm(make_program(d)));
    EXPECT_FALSE(onednn::match_layer_norm(make_softmax(onefold_f32, false)));
    EXPECT_FALSE(onednn::match_layer_norm(make_softmax(onefold_f32, true)));
}

TEST(row_lowering, a_layer_norm_can_be_restricted_to_one_lowering) {
    const row_program p = make_program({});
    {
        const setting only("ONEFOLD_LOWERING", "onednn");
        EXPECT_THAT(step_of(p), StartsWith("onednn:layer_normalization:"));
    }
    const setting only("ONEFOLD_LOWERING", "simd");
    EXPECT_THAT(step_of(p), StartsWith("simd:row_program"));
}

TEST(row_lowering, onednn_is_preferred_to_kernels_where_there_are_many_rows) {
    const setting capped("ONEFOLD_MAX_CPU_ISA", "SSE41");
    for (const int64_t length : {16, 64, 256, 1024}) {
        description d;
        d.length = length;
        d.rows = 1024 * 1024 / length;
        EXPECT_THAT(step_of(make_program(d)), StartsWith("onednn:layer_normalization:"));
        d.rows = 1;
        EXPECT_THAT(step_of(make_program(d)), StartsWith("simd:row_program"));
    }
}

TEST(row_lowering, machine_code_is_preferred_to_onednn) {
    if (std::string_view(simd::chosen_isa().name).substr(0, 4) != "AVX3") GTEST_SKIP() << "no AVX-512 here";
    for (const data_type type : {onefold_f32, onefold_bf16, onefold_f16})
        for (const int64_t length : {16, 64, 256, 1024}) {
            description d;
            d.type = type;
            d.length = length;
            d.rows = 1024 * 1024 / length;
            EXPECT_THAT(step_of(make_program(d)), StartsWith("simd:row_program"));
        }
}

TEST(row_lowering, what_onednn_has_no_primitive_for_or_gets_wrong_is_never_its) {
    const setting only("ONEFOLD_LOWERING", "onednn");
    std::vector<row_program> programs = {make_softmax(onefold_f32, false), make_softmax(onefold_f32, true),
                                         make_softmax(onefold_f16, false)};
    description d;
    d.length = 1025;
    programs.push_back(make_program(d));
    d = {};
    d.weights = onefold_bf16;
    programs.push_back(make_program(d));
    d = {};
    d.gap = 1;
    programs.push_back(make_program(d));
    d = {};
    d.epsilon = 0;
    programs.push_back(make_program(d));
    programs.push_back(make_program({}));
    programs.back().inputs[1].strides = {1, 0}; // a scale for each row
    programs.push_back(make_program({}));
    programs.back().space.reduced = {true, false};
    for (const row_program &p : programs) {
        EXPECT_EQ(step_of(p), "") << to_string(p);
        EXPECT_THAT(step_of(p, try_lower_op), StartsWith("simd:row_program")) << to_string(p);
    }
}

} // namespace
} // namespace onefold::impl
