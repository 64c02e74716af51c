// Any strides and any alignment: gaps, permuted dims, broadcast and overlapping sources.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

struct layout_case {
    const char *name;
    dims shape;
    dims strides;
};

/// What lists of tests show.
std::ostream &operator<<(std::ostream &out, const layout_case &one) { return out << one.name; }

const layout_case layouts[] = {
    {"nhwc", {2, 5, 3, 4}, {60, 1, 20, 5}},
    {"chwn", {2, 5, 3, 4}, {1, 24, 8, 2}},
    {"transposed", {7, 9}, {1, 7}},
    {"rows with gaps", {3, 4, 5}, {100, 7, 1}},
    {"every third element", {3, 4, 5}, {60, 15, 3}},
    {"gaps everywhere, permuted", {3, 4, 5}, {2, 100, 9}},
    {"first dim of stride 0", {3, 4, 5}, {0, 5, 1}},
    {"middle dim of stride 0", {3, 4, 5}, {5, 0, 1}},
    {"last dim of stride 0", {3, 4, 5}, {4, 1, 0}},
    {"one element for all", {3, 4, 5}, {0, 0, 0}},
    {"overlapping windows", {6, 5}, {1, 1}},
    {"overlapping windows with a step", {6, 5, 3}, {2, 3, 1}},
    {"a long row with gaps", {3, 3000}, {7000, 2}},
    {"long columns with gaps", {3000, 3}, {5, 1}},
    {"a wide transposed one", {300, 400}, {1, 300}},
    {"nhwc with many channels", {2, 70, 8, 9}, {5040, 1, 630, 70}},
    {"a size of 1 with any stride", {3, 1, 5}, {5, 77, 1}},
    {"one dim", {37}, {4}},
};

/// Values by index, so that elements that share memory agree.
std::vector<double> values_of(const layout_case &l, data_type type) {
    int64_t last = 0;
    for_each_element(l.shape, l.strides, [&](size_t, int64_t offset) { last = std::max(last, offset); });
    const auto memory = random_values(type, static_cast<size_t>(last) + 1, 41);
    std::vector<double> values;
    for_each_element(l.shape, l.strides,
                     [&](size_t, int64_t offset) { values.push_back(memory[static_cast<size_t>(offset)]); });
    return values;
}

std::vector<axes_list> axes_of(size_t rank) {
    std::vector<axes_list> all;
    for (unsigned mask = 1; mask < 1U << rank; ++mask) {
        axes_list axes;
        for (size_t i = 0; i < rank; ++i)
            if (mask >> i & 1U) axes.push_back(static_cast<int64_t>(i));
        all.push_back(axes);
    }
    return all;
}

class layout : public testing::TestWithParam<layout_case> {};

TEST_P(layout, of_a_reduction) {
    for (const data_type type : float_types) {
        const array src(type, GetParam().shape, values_of(GetParam(), type), GetParam().strides);
        for (const axes_list &axes : axes_of(GetParam().shape.size()))
            for (const op::kind kind : reductions) {
                const expected_tensor expected = expect_reduction(kind, src.values(), src.shape(), axes);
                EXPECT_TRUE(are_within(reduce(kind, src, axes), expected)) << name_of(kind) << testing::PrintToString(axes);
            }
    }
}

TEST_P(layout, of_a_reduction_into_strides_with_gaps) {
    const array src(data_type::f32, GetParam().shape, values_of(GetParam(), data_type::f32), GetParam().strides);
    for (const axes_list &axes : axes_of(GetParam().shape.size()))
        for (const op::kind kind : {op::kind::ReduceSum, op::kind::ReduceMin}) {
            const expected_tensor expected = expect_reduction(kind, src.values(), src.shape(), axes, true);
            // Column-major, with a gap behind every element.
            dims strides(expected.shape.size());
            int64_t next = 2;
            for (size_t i = 0; i < strides.size(); ++i) {
                strides[i] = next;
                next *= expected.shape[i];
            }
            array dst = array::strided(data_type::f32, expected.shape, strides);
            run_into(dst, kind, over(axes, true), {src});
            EXPECT_TRUE(are_within(dst, expected)) << name_of(kind) << testing::PrintToString(axes);
        }
}

TEST_P(layout, of_elementwise_ops) {
    for (const data_type type : float_types) {
        const array src(type, GetParam().shape, values_of(GetParam(), type), GetParam().strides);
        const auto x = src.values();
        const array other(type, src.shape(), random_values(type, src.count(), 42));
        const auto y = other.values();
        std::vector<double> magnitudes, differences, reversed;
        for (size_t i = 0; i < x.size(); ++i) {
            magnitudes.push_back(std::abs(x[i]));
            differences.push_back(round_to(type, round_to(data_type::f32, x[i] - y[i])));
            reversed.push_back(-differences.back());
        }
        const auto is_equal = [](const array &got, const std::vector<double> &expected) { return got.values() == expected; };
        EXPECT_TRUE(is_equal(run(op::kind::Abs, {}, {src}), magnitudes));
        EXPECT_TRUE(is_equal(run(op::kind::Reorder, {}, {src}), x));
        EXPECT_TRUE(is_equal(run(op::kind::Subtract, {}, {src, other}), differences));
        EXPECT_TRUE(is_equal(run(op::kind::Subtract, {}, {other, src}), reversed));
        EXPECT_TRUE(is_equal(run(op::kind::Maximum, {}, {src, src}), x));
        array dense_dst(type, src.shape());
        run_into(dense_dst, op::kind::Subtract, {}, {src, other});
        EXPECT_TRUE(is_equal(dense_dst, differences));
    }
}

TEST_P(layout, of_a_conversion) {
    const array src(data_type::f32, GetParam().shape, values_of(GetParam(), data_type::f32), GetParam().strides);
    for (const data_type to : {data_type::bf16, data_type::f16}) {
        std::vector<double> expected = src.values();
        for (double &value : expected)
            value = round_to(to, value);
        EXPECT_TRUE(are_identical(run(op::kind::TypeCast, {}, {src}, to).values(), expected));
    }
}

INSTANTIATE_TEST_SUITE_P(all, layout, testing::ValuesIn(layouts), [](const auto &one) {
    std::string name = one.param.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == ','; }, '_');
    return name;
});

TEST(layout_of_dst, of_an_elementwise_op_is_that_of_a_dense_src) {
    const array src(data_type::f32, {2, 5, 3, 4}, random_values(data_type::f32, 120, 43), {60, 1, 20, 5});
    EXPECT_EQ(run(op::kind::Abs, {}, {src}).strides(), src.strides());
    EXPECT_EQ(run(op::kind::Add, {}, {src, src}).strides(), src.strides());
}

TEST(alignment, of_buffers_is_any_multiple_of_an_element) {
    for (const data_type type : float_types)
        for (const size_t elements : std::vector<size_t>{1, 3, 5, 7})
            for (const dims &shape : {dims{5, 37}, dims{37, 5}, dims{3, 2000}, dims{2000, 3}, dims{1, 1}}) {
                const auto values = random_values(type, count_of(shape), 44);
                array src = array(type, shape);
                src.misalign(elements * size_of(type)).set(values);
                for (const axes_list &axes : {axes_list{0}, axes_list{1}, axes_list{0, 1}})
                    for (const op::kind kind : reductions) {
                        const expected_tensor expected = expect_reduction(kind, values, shape, axes);
                        array dst(type, expected.shape);
                        dst.misalign(size_of(type) * (8 - elements));
                        run_into(dst, kind, over(axes), {src});
                        EXPECT_TRUE(are_within(dst, expected)) << name_of(kind) << " of " << name_of(type);
                    }
                array sum(type, shape);
                sum.misalign(size_of(type) * 2);
                run_into(sum, op::kind::Maximum, {}, {src, array(type, shape, values)});
                EXPECT_EQ(sum.values(), values);
                run_into(sum, op::kind::Abs, {}, {src});
            }
}

TEST(alignment, of_buffers_is_any_number_of_bytes) {
    for (const data_type type : float_types)
        for (const size_t bytes : std::vector<size_t>{1, 2, 3})
            for (const dims &shape : {dims{5, 37}, dims{37, 5}, dims{3, 2000}}) {
                const auto values = random_values(type, count_of(shape), 45);
                array src = array(type, shape);
                src.misalign(bytes).set(values);
                for (const axes_list &axes : {axes_list{0}, axes_list{1}})
                    for (const op::kind kind : reductions) {
                        const expected_tensor expected = expect_reduction(kind, values, shape, axes);
                        array dst(type, expected.shape);
                        dst.misalign(bytes);
                        run_into(dst, kind, over(axes), {src});
                        EXPECT_TRUE(are_within(dst, expected)) << name_of(kind) << " of " << name_of(type);
                    }
                array most(type, shape);
                most.misalign(bytes);
                run_into(most, op::kind::Maximum, {}, {src, src});
                EXPECT_EQ(most.values(), values);
            }
}

} // namespace
