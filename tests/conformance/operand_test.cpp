// The second operand of a broadcast op, alone and behind another op: broadcast or not, with any strides, on either side.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

struct operand_case {
    dims shape, other, strides;
};

const operand_case operands[] = {
    {{519, 2}, {2}, {2}},
    {{40, 70}, {70}, {3}},
    {{40, 70}, {40, 1}, {5, 1}},
    {{4, 5, 6}, {4, 1, 6}, {12, 1, 2}},
    {{4, 5, 6}, {5, 1}, {2, 1}},
    {{4, 5, 6}, {5, 6}, {1, 5}},
    {{4, 5, 6}, {4, 1, 6}, {1, 1, 4}},
    {{4, 5, 6}, {1, 5, 1}, {1, 7, 1}},
    {{3, 16, 16}, {16, 1}, {3, 1}},
    {{8, 3}, {8, 3}, {1, 8}},
    {{8, 3}, {8, 3}, {6, 2}},
    {{5, 4}, {5, 4}, {0, 1}},
    {{5, 4}, {5, 4}, {1, 0}},
    {{70, 40}, {}, {}},
    {{2, 3, 4, 5}, {3, 1, 5}, {5, 5, 1}},
    {{2, 3, 4, 5}, {2, 1, 4, 1}, {4, 4, 1, 1}},
    {{2, 3, 4, 5}, {1, 3, 1, 1}, {3, 1, 1, 1}},
    {{600, 600}, {600, 600}, {1, 600}},
};

/// Values that agree where elements share memory, and few enough binades that sums of three are exact in f32.
array make_operand(data_type type, const operand_case &c) {
    array a = array::strided(type, c.other, c.strides);
    a.set(random_values(type, count_of(c.other), 51));
    return array(type, c.other, a.values(), c.strides);
}

std::string text_of(const operand_case &c) {
    return testing::PrintToString(c.shape) + " and " + testing::PrintToString(c.other) + " by " +
           testing::PrintToString(c.strides);
}

TEST(operand, of_a_broadcast_op) {
    for (const data_type type : float_types)
        for (const operand_case &c : operands) {
            SCOPED_TRACE(name_of(type) + text_of(c));
            const array src(type, c.shape, random_values(type, count_of(c.shape), 52));
            const array other = make_operand(type, c);
            const auto x = src.values();
            const auto y = spread(other, c.shape);
            std::vector<double> difference(x.size());
            std::vector<double> reverse(x.size());
            for (size_t i = 0; i < x.size(); ++i) {
                difference[i] = round_to(type, x[i] - y[i]);
                reverse[i] = -difference[i];
            }
            EXPECT_EQ(run(op::kind::Subtract, {}, {src, other}).values(), difference);
            EXPECT_EQ(run(op::kind::Subtract, {}, {other, src}).values(), reverse);
        }
}

/// first -> Subtract(other) or Subtract from other -> dst, in one partition; `srcs` are the first op's.
array run_with_second(op::kind first, const attributes &attrs, std::vector<array> srcs, array other, bool other_is_first,
                      const dims &shape) {
    const size_t other_id = srcs.size();
    const logical_tensor between = open_tensor(50, other.type());
    array dst(other.type(), shape);
    const std::vector<logical_tensor> operands_of_second = {other_is_first ? other.describe(other_id) : between,
                                                            other_is_first ? between : other.describe(other_id)};
    graph g(engine::kind::cpu);
    g.add_op(make_op(0, first, attrs, describe(srcs), between));
    g.add_op(make_op(1, op::kind::Subtract, {}, operands_of_second, dst.describe(dst_id)));
    g.finalize();
    const auto partitions = g.get_partitions();
    EXPECT_EQ(partitions.size(), 1U);
    srcs.push_back(std::move(other));
    execute(partitions.at(0).compile(describe(srcs), {dst.describe(dst_id)}, cpu()), srcs, dst);
    EXPECT_TRUE(dst.gaps_are_untouched());
    return dst;
}

TEST(operand, behind_another_op) {
    for (const operand_case &c : operands)
        for (const bool other_is_first : {false, true}) {
            SCOPED_TRACE(text_of(c) + (other_is_first ? " first" : " second"));
            const array a(data_type::f32, c.shape, random_values(data_type::f32, count_of(c.shape), 53));
            const array b(data_type::f32, c.shape, random_values(data_type::f32, count_of(c.shape), 54));
            const array other = make_operand(data_type::f32, c);
            const auto x = a.values();
            const auto y = b.values();
            const auto z = spread(other, c.shape);
            std::vector<double> after_add(x.size());
            std::vector<double> after_abs(x.size());
            for (size_t i = 0; i < x.size(); ++i) {
                after_add[i] = (other_is_first ? -1 : 1) * (x[i] + y[i] - z[i]);
                after_abs[i] = (other_is_first ? -1 : 1) * (std::abs(x[i]) - z[i]);
            }
            EXPECT_EQ(run_with_second(op::kind::Add, {}, {a, b}, other, other_is_first, c.shape).values(), after_add);
            EXPECT_EQ(run_with_second(op::kind::Abs, {}, {a}, other, other_is_first, c.shape).values(), after_abs);
        }
}

TEST(operand, behind_a_reduction) {
    for (const operand_case &c : operands)
        for (const bool innermost : {false, true}) {
            SCOPED_TRACE(text_of(c));
            // A dim of two to reduce, at either end; their sum is exact.
            dims shape = c.shape;
            shape.insert(innermost ? shape.end() : shape.begin(), 2);
            const array src(data_type::f32, shape, random_values(data_type::f32, count_of(shape), 55));
            const array other = make_operand(data_type::f32, c);
            const axes_list axes = {innermost ? -1 : 0};
            expected_tensor expected = expect_reduction(op::kind::ReduceSum, src.values(), shape, axes);
            const auto z = spread(other, c.shape);
            for (size_t i = 0; i < z.size(); ++i)
                expected.value[i] -= z[i];
            EXPECT_EQ(run_with_second(op::kind::ReduceSum, over(axes), {src}, other, false, c.shape).values(), expected.value);
        }
}

} // namespace
