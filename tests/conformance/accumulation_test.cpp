// How exact sums and means are, at any size: four roundings of f32 relative to the sum of magnitudes, 68 for short rows.
#include <functional>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr op::kind accumulating[] = {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceL1, op::kind::ReduceL2};

using pattern = std::function<float(size_t)>;

float noise(size_t i) { return static_cast<float>((i * 2654435761U >> 7) % 8192) / 8192; }

const std::pair<const char *, pattern> patterns[] = {
    {"around 0.1", [](size_t i) { return 0.1F + 0.01F * noise(i); }},
    {"alternating large and small", [](size_t i) { return i % 2 ? 1e4F + noise(i) : -1e4F; }},
    {"falling", [](size_t i) { return 1e6F / static_cast<float>(i + 1); }},
};

std::vector<float> make_values(const pattern &p, size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = p(i);
    return values;
}

/// Reduces dense f32, without the copies of array: these are large.
std::vector<float> reduce_f32(op::kind kind, std::vector<float> &src, const dims &shape, const axes_list &axes,
                              size_t outputs) {
    const logical_tensor from = dense(0, data_type::f32, shape);
    const auto compiled = compile_op(kind, over(axes), {from}, open_tensor(dst_id, data_type::f32));
    std::vector<float> dst(outputs, -1);
    stream s(cpu());
    compiled.execute(s, {tensor(from, cpu(), src.data())}, {tensor(compiled.query_logical_tensor(dst_id), cpu(), dst.data())});
    return dst;
}

void check_f32(const std::vector<float> &dst, const std::vector<exact_sums> &expected, op::kind kind, size_t count) {
    ASSERT_EQ(dst.size(), expected.size());
    for (size_t i = 0; i < dst.size(); ++i) {
        const double value = expected[i].result(kind, count);
        ASSERT_LE(std::abs(static_cast<double>(dst[i]) - value), expected[i].error(kind, count))
            << name_of(kind) << " of " << count << ": output " << i << " is " << dst[i] << ", not " << value;
    }
}

/// Sources of shape {outer, reduced, inner}, reduced over the middle.
void check_shape(size_t outer, size_t reduced, size_t inner) {
    for (const auto &[name, p] : patterns) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(outer) + "x" + std::to_string(reduced) + "x" +
                     std::to_string(inner));
        std::vector<float> src = make_values(p, outer * reduced * inner);
        std::vector<exact_sums> expected(outer * inner);
        for (size_t i = 0; i < src.size(); ++i)
            expected[i / (reduced * inner) * inner + i % inner].add(static_cast<double>(src[i]));
        const dims shape = {static_cast<int64_t>(outer), static_cast<int64_t>(reduced), static_cast<int64_t>(inner)};
        for (const op::kind kind : accumulating)
            check_f32(reduce_f32(kind, src, shape, {1}, outer * inner), expected, kind, reduced);
    }
}

TEST(accumulation, of_rows_of_every_length) {
    for (const size_t length : std::vector<size_t>{1,   2,    7,    8,    9,    63,   64,    65,    127,   129,
                                                   500, 1023, 1024, 1025, 2047, 4099, 65535, 65536, 65537, 131073})
        check_shape(3, length, 1);
}

TEST(accumulation, of_columns_of_every_length) {
    for (const size_t length : std::vector<size_t>{1, 2, 7, 8, 9, 63, 64, 65, 127, 129, 500, 1023, 1024, 1025, 4099, 65537})
        for (const size_t inner : std::vector<size_t>{2, 17})
            check_shape(1, length, inner);
}

TEST(accumulation, of_columns_of_every_width_that_rows_are_joined_to) {
    for (const size_t inner : std::vector<size_t>{31, 63, 127, 128, 129, 145, 153, 192, 201, 254, 255, 256, 257})
        check_shape(1, 924, inner);
}

TEST(accumulation, of_the_middle) {
    check_shape(64, 300, 70);
    check_shape(2, 4099, 33);
    check_shape(5, 9, 3001);
    check_shape(700, 2, 700);
}

TEST(accumulation, of_16_million_at_once) { check_shape(1, size_t{1} << 24, 1); }

TEST(accumulation, of_16_million_in_a_few_rows) { check_shape(5, 3355447, 1); }

TEST(accumulation, of_16_million_in_a_few_columns) { check_shape(1, 5592409, 3); }

TEST(accumulation, of_16_million_in_many_columns) { check_shape(1, 16411, 1021); }

TEST(accumulation, of_both_ends) {
    // Batch normalization: {n, channels, pixels} over the first and the last.
    constexpr size_t n = 20, channels = 7, pixels = 3001;
    for (const auto &[name, p] : patterns) {
        std::vector<float> src = make_values(p, n * channels * pixels);
        std::vector<exact_sums> expected(channels);
        for (size_t i = 0; i < src.size(); ++i)
            expected[i / pixels % channels].add(static_cast<double>(src[i]));
        for (const op::kind kind : accumulating)
            check_f32(reduce_f32(kind, src, {n, channels, pixels}, {0, 2}, channels), expected, kind, n * pixels);
    }
}

TEST(accumulation, of_16_bit_values_is_in_f32) {
    for (const data_type type : {data_type::bf16, data_type::f16})
        for (const dims &shape : {dims{1, 300007}, dims{300007, 1}, dims{3, 70001}, dims{9001, 31}}) {
            std::vector<double> values(count_of(shape));
            for (size_t i = 0; i < values.size(); ++i)
                values[i] = 0.1 + 0.01 * static_cast<double>(noise(i));
            const array src(type, shape, values);
            for (const axes_list &axes : {axes_list{0}, axes_list{1}, axes_list{0, 1}})
                for (const op::kind kind : accumulating) {
                    SCOPED_TRACE(name_of(kind) + " of " + name_of(type) + testing::PrintToString(shape));
                    EXPECT_TRUE(are_within(reduce(kind, src, axes), expect_reduction(kind, src.values(), shape, axes)));
                }
        }
}

TEST(accumulation, the_mean_of_ones_is_1) {
    for (const data_type type : float_types)
        for (const dims &shape : {dims{50001}, dims{1 << 20}, dims{70001, 3}, dims{3, 70001}, dims{11, 4001, 5}}) {
            const array src(type, shape, std::vector<double>(count_of(shape), 1));
            for (size_t axis = 0; axis < shape.size(); ++axis)
                for (const double mean : reduce(op::kind::ReduceMean, src, {static_cast<int64_t>(axis)}).values())
                    ASSERT_EQ(mean, 1) << name_of(type);
        }
}

TEST(accumulation, the_mean_of_2_to_the_28_ones_is_1) {
    constexpr size_t count = size_t{1} << 28;
    std::vector<float> ones;
    try {
        ones.assign(count, 1);
    } catch (const std::bad_alloc &) {
        GTEST_SKIP() << "no memory for 1 GB";
    }
    EXPECT_EQ(reduce_f32(op::kind::ReduceMean, ones, {count}, {0}, 1), std::vector<float>{1});
    EXPECT_EQ(reduce_f32(op::kind::ReduceSum, ones, {count / 4, 4}, {0}, 4), std::vector<float>(4, count / 4));
    EXPECT_EQ(reduce_f32(op::kind::ReduceMean, ones, {4, count / 4}, {1}, 4), std::vector<float>(4, 1));
}

TEST(accumulation, over_more_than_2_to_the_31_elements) {
    // Rows that overlap: each begins one element behind the one before.
    constexpr int64_t rows = 1048583, columns = 2053;
    static_assert(rows * columns > (int64_t{1} << 31));
    std::vector<float> memory(rows + columns - 1, 1);
    memory.back() = 3; // the last element of the last row alone
    const logical_tensor src(0, data_type::f32, dims{rows, columns}, dims{1, 1});
    const logical_tensor dst = dense(dst_id, data_type::f32, {});
    const auto run_over = [&](op::kind kind) {
        const auto compiled = compile_op(kind, over({0, 1}), {src}, dst);
        float result = -1;
        stream s(cpu());
        compiled.execute(s, {tensor(src, cpu(), memory.data())}, {tensor(dst, cpu(), &result)});
        return static_cast<double>(result);
    };
    const double sum = static_cast<double>(rows) * columns + 2;
    EXPECT_NEAR(run_over(op::kind::ReduceSum), sum, 4 * f32_unit * sum);
    EXPECT_EQ(run_over(op::kind::ReduceMax), 3);
}

} // namespace
