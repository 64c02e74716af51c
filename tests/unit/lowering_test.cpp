#include "compile/lowering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/loop_space.hpp"
#include "support/setting.hpp"

namespace onefold::impl {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr op_kind reductions[] = {onefold_op_reduce_sum,  onefold_op_reduce_mean, onefold_op_reduce_max, onefold_op_reduce_min,
                                  onefold_op_reduce_prod, onefold_op_reduce_l1,   onefold_op_reduce_l2};
constexpr data_type float_types[] = {onefold_f32, onefold_bf16, onefold_f16};

computation reduction(op_kind op, data_type type, const dims &sizes, std::vector<bool> reduced) {
    computation c;
    c.kind = computation_kind::reduce;
    c.op = op;
    c.space = {sizes, std::move(reduced)};
    c.src = {{0, type, row_major_strides(sizes)}};
    c.dst = {1, type, dense_kept_strides(c.space)};
    canonicalise(c);
    return c;
}

computation elementwise(computation_kind kind, op_kind op, data_type type, const dims &sizes) {
    computation c;
    c.kind = kind;
    c.op = op;
    c.space = {sizes, std::vector<bool>(sizes.size(), false)};
    c.src.assign(kind == computation_kind::binary ? 2 : 1, {0, type, row_major_strides(sizes)});
    c.dst = {1, type, row_major_strides(sizes)};
    canonicalise(c);
    return c;
}

/// The names of the steps, separated by "; ".
std::string steps_of(const computation &c) {
    program_builder builder(1, 1);
    lower(c, builder);
    std::string names;
    for (const auto &s : builder.finish().steps)
        names += (names.empty() ? "" : "; ") + s->name();
    return names;
}

TEST(lowering, maxima_and_minima_are_never_onednns) {
    // It drops NaN.
    for (const data_type type : float_types)
        for (const dims &sizes : {dims{8, 16}, dims{1000, 1000}, dims{3, 5000}}) {
            for (const op_kind op : {onefold_op_reduce_max, onefold_op_reduce_min})
                EXPECT_THAT(steps_of(reduction(op, type, sizes, {false, true})), Not(HasSubstr("onednn:reduction")));
            for (const op_kind op : {onefold_op_maximum, onefold_op_minimum})
                EXPECT_THAT(steps_of(elementwise(computation_kind::binary, op, type, sizes)), StartsWith("simd:"));
        }
}

TEST(lowering, long_rows_are_never_onednns) {
    // It adds each lane in sequence.
    for (const data_type type : float_types)
        for (const op_kind op : reductions)
            for (const int64_t length : {1025, 4096, 1000000})
                EXPECT_THAT(steps_of(reduction(op, type, {4, length}, {false, true})), Not(HasSubstr("onednn:reduction")));
}

TEST(lowering, means_that_could_overflow_are_never_onednns) {
    for (const data_type type : {onefold_f32, onefold_bf16})
        EXPECT_THAT(steps_of(reduction(onefold_op_reduce_mean, type, {64, 64}, {false, true})),
                    Not(HasSubstr("onednn:reduction")));
}

TEST(lowering, takes_every_space_of_every_type) {
    const std::pair<dims, std::vector<bool>> spaces[] = {
        {{6, 20}, {false, true}},
        {{6, 20}, {true, false}},
        {{3, 4, 5}, {false, true, false}},
        {{3, 4, 5}, {true, false, true}},
        {{120}, {true}},
        {{1}, {true}},
        {{2, 3, 2, 3}, {true, false, true, false}},
    };
    for (const data_type type : float_types)
        for (const auto &[sizes, reduced] : spaces)
            for (const op_kind op : reductions)
                EXPECT_NE(steps_of(reduction(op, type, sizes, reduced)), "");
}

TEST(lowering, a_chain_is_split_where_one_step_cannot_take_it) {
    for (const data_type type : float_types) {
        computation c = reduction(onefold_op_reduce_max, type, {64, 64}, {false, true});
        c.post_ops.push_back({onefold_op_abs, false, {}, {}, false});
        c.post_ops.push_back({onefold_op_maximum, true, {}, {0, type, {1, 0}}, false});
        EXPECT_NE(steps_of(c), "");
    }
    // More post-ops than oneDNN takes.
    computation c = elementwise(computation_kind::unary, onefold_op_abs, onefold_f32, {100});
    for (int i = 0; i < 40; ++i)
        c.post_ops.push_back({onefold_op_squared_difference, true, {}, {0, onefold_f32, {1}}, false});
    const onefold_test::setting onednn("ONEFOLD_LOWERING", "onednn");
    EXPECT_THAT(steps_of(c), HasSubstr("; "));
}

TEST(lowering, can_be_restricted_to_one) {
    const computation c = reduction(onefold_op_reduce_sum, onefold_f32, {64, 64}, {false, true});
    const onefold_test::setting simd("ONEFOLD_LOWERING", "simd");
    EXPECT_THAT(steps_of(c), StartsWith("simd:reduce"));
    EXPECT_THAT(steps_of(c), Not(HasSubstr("onednn")));
    {
        const onefold_test::setting onednn("ONEFOLD_LOWERING", "onednn");
        EXPECT_THAT(steps_of(c), StartsWith("onednn:reduction"));
    }
}

TEST(lowering, copies_and_fills_stay_where_it_is_restricted) {
    const onefold_test::setting onednn("ONEFOLD_LOWERING", "onednn");
    EXPECT_THAT(steps_of(elementwise(computation_kind::copy, onefold_op_reorder, onefold_f16, {4, 5})),
                StartsWith("simd:copy"));
    computation fill = elementwise(computation_kind::fill, onefold_op_reduce_sum, onefold_f32, {4, 5});
    fill.src.clear();
    EXPECT_THAT(steps_of(fill), StartsWith("simd:fill"));
}

} // namespace
} // namespace onefold::impl
