// The rules of f64 and of the integers, with elements of their own types.
#include <cmath>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

template <typename T>
constexpr data_type type_of() {
    if (std::is_same_v<T, double>) return data_type::f64;
    if (std::is_same_v<T, int8_t>) return data_type::s8;
    if (std::is_same_v<T, uint8_t>) return data_type::u8;
    if (std::is_same_v<T, int16_t>) return data_type::s16;
    if (std::is_same_v<T, uint16_t>) return data_type::u16;
    if (std::is_same_v<T, int32_t>) return data_type::s32;
    if (std::is_same_v<T, uint32_t>) return data_type::u32;
    return std::is_same_v<T, int64_t> ? data_type::s64 : data_type::u64;
}

constexpr size_t result_id = 1000000; // behind any number of sources

/// The op's results for sources of the same shape.
template <typename T>
std::vector<T> apply(op::kind kind, const attributes &attrs, const dims &shape, std::vector<std::vector<T>> srcs) {
    std::vector<logical_tensor> descriptions;
    for (size_t i = 0; i < srcs.size(); ++i)
        descriptions.push_back(dense(i, type_of<T>(), shape));
    const auto compiled = compile_op(kind, attrs, descriptions, open_tensor(result_id, type_of<T>()));
    const logical_tensor description = compiled.query_logical_tensor(result_id);
    std::vector<T> dst(count_of(description.get_dims()));
    std::vector<tensor> inputs;
    for (size_t i = 0; i < srcs.size(); ++i)
        inputs.emplace_back(descriptions[i], cpu(), srcs[i].data());
    stream s(cpu());
    compiled.execute(s, inputs, {tensor(description, cpu(), dst.data())});
    return dst;
}

template <typename T>
T reduce_all(op::kind kind, const std::vector<T> &src) {
    return apply<T>(kind, over({0}), dims{static_cast<int64_t>(src.size())}, {src}).at(0);
}

/// Each of `count` columns holds `src`, in the order of its rows.
template <typename T>
std::vector<T> reduce_columns(op::kind kind, const std::vector<T> &src, size_t count) {
    std::vector<T> spread;
    for (const T value : src)
        spread.insert(spread.end(), count, value);
    return apply<T>(kind, over({0}), dims{static_cast<int64_t>(src.size()), static_cast<int64_t>(count)}, {spread});
}

__extension__ using wide = __int128;

template <typename T>
T random_number(uint64_t &state) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const uint64_t bits = state ^ state >> 29;
    if (bits % 16 == 0) return std::numeric_limits<T>::lowest();
    if (bits % 16 == 1) return std::numeric_limits<T>::max();
    return static_cast<T>(bits >> 3);
}

template <typename T>
wide exact_reduction(op::kind kind, const std::vector<T> &values) {
    wide sum = 0;
    wide product = 1;
    wide magnitudes = 0;
    wide squares = 0;
    T most = values[0];
    T least = values[0];
    for (const T value : values) {
        const wide x = value;
        sum += x;
        product = static_cast<wide>(static_cast<uint64_t>(product) * static_cast<uint64_t>(x)); // modulo 2^64
        magnitudes += x < 0 ? -x : x;
        squares = static_cast<wide>(static_cast<uint64_t>(squares) + static_cast<uint64_t>(x) * static_cast<uint64_t>(x));
        most = std::max(most, value);
        least = std::min(least, value);
    }
    switch (kind) {
    case op::kind::ReduceSum:
        return sum;
    case op::kind::ReduceMean:
        return sum / static_cast<wide>(values.size());
    case op::kind::ReduceProd:
        return product;
    case op::kind::ReduceL1:
        return magnitudes;
    case op::kind::ReduceSumSquare:
        return squares;
    default:
        return kind == op::kind::ReduceMax ? most : least;
    }
}

constexpr op::kind exact_reductions[] = {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceProd,
                                         op::kind::ReduceL1,  op::kind::ReduceMax,  op::kind::ReduceSumSquare,
                                         op::kind::ReduceMin};

template <typename T>
class integer : public testing::Test {};
using integers = testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(integer, integers);

TYPED_TEST(integer, reductions_are_exact_and_wrap) {
    uint64_t state = 7;
    for (const size_t length : {1U, 2U, 4U, 7U, 8U, 15U, 16U, 17U, 49U, 63U, 64U, 65U, 100U, 129U, 257U, 1000U, 70001U}) {
        std::vector<TypeParam> values(length);
        for (TypeParam &value : values)
            value = random_number<TypeParam>(state);
        for (const op::kind kind : exact_reductions) {
            const auto exact = static_cast<TypeParam>(exact_reduction(kind, values));
            ASSERT_EQ(reduce_all(kind, values), exact) << name_of(kind) << " of " << length;
            if (length > 1000) continue;
            for (const size_t columns : {1U, 3U, 8U, 33U})
                ASSERT_EQ(reduce_columns(kind, values, columns), std::vector<TypeParam>(columns, exact))
                    << name_of(kind) << " of " << length << " rows of " << columns;
        }
    }
}

TYPED_TEST(integer, a_mean_truncates_toward_zero_at_any_count) {
    const TypeParam most = std::numeric_limits<TypeParam>::max();
    EXPECT_EQ(reduce_all(op::kind::ReduceMean, std::vector<TypeParam>(256, most)), most);
    EXPECT_EQ(reduce_all(op::kind::ReduceMean, std::vector<TypeParam>(100003, most)), most);
    const TypeParam least = std::numeric_limits<TypeParam>::lowest();
    EXPECT_EQ(reduce_all(op::kind::ReduceMean, std::vector<TypeParam>(100003, least)), least);
    EXPECT_EQ(reduce_all<TypeParam>(op::kind::ReduceMean, {1, 2}), 1);
    if (std::is_signed_v<TypeParam>) {
        EXPECT_EQ(
            reduce_all(op::kind::ReduceMean, std::vector<TypeParam>{static_cast<TypeParam>(-1), static_cast<TypeParam>(-2)}),
            static_cast<TypeParam>(-1));
    }
}

TYPED_TEST(integer, a_norm_is_the_truncated_root) {
    EXPECT_EQ(reduce_all<TypeParam>(op::kind::ReduceL2, {3, 4}), 5);
    EXPECT_EQ(reduce_all<TypeParam>(op::kind::ReduceL2, {1, 1}), 1);
    EXPECT_EQ(reduce_all(op::kind::ReduceL2, std::vector<TypeParam>(10000, 1)), 100);
    const TypeParam most = std::numeric_limits<TypeParam>::max();
    EXPECT_EQ(reduce_all<TypeParam>(op::kind::ReduceL2, {most}), most);
    EXPECT_EQ(reduce_all(op::kind::ReduceL2, std::vector<TypeParam>(4, most)), static_cast<TypeParam>(most * 2ULL));
}

TYPED_TEST(integer, quotients_truncate_and_nothing_traps) {
    const TypeParam least = std::numeric_limits<TypeParam>::lowest();
    const TypeParam most = std::numeric_limits<TypeParam>::max();
    const auto minus_1 = static_cast<TypeParam>(-1); // unsigned: the largest
    const auto got =
        apply<TypeParam>(op::kind::Divide, {}, dims{6}, {{least, most, 7, 7, least, most}, {minus_1, minus_1, 2, 0, 0, 3}});
    EXPECT_EQ(got[0], std::is_signed_v<TypeParam> ? least : TypeParam{0});
    EXPECT_EQ(got[1], std::is_signed_v<TypeParam> ? static_cast<TypeParam>(least + 1) : TypeParam{1});
    EXPECT_EQ(got[2], 3);
    EXPECT_EQ(got[5], most / 3);
}

TYPED_TEST(integer, binaries_wrap) {
    const TypeParam least = std::numeric_limits<TypeParam>::lowest();
    const TypeParam most = std::numeric_limits<TypeParam>::max();
    const auto pairs = [&](op::kind kind) { return apply<TypeParam>(kind, {}, dims{2}, {{most, least}, {1, most}}); };
    const auto wrapped = [](uint64_t bits) { return static_cast<TypeParam>(bits); };
    const auto a = static_cast<uint64_t>(most);
    const auto b = static_cast<uint64_t>(least);
    EXPECT_EQ(pairs(op::kind::Add), (std::vector<TypeParam>{wrapped(a + 1), wrapped(b + a)}));
    EXPECT_EQ(pairs(op::kind::Subtract), (std::vector<TypeParam>{wrapped(a - 1), wrapped(b - a)}));
    EXPECT_EQ(pairs(op::kind::Multiply), (std::vector<TypeParam>{wrapped(a), wrapped(a * b)}));
    EXPECT_EQ(pairs(op::kind::SquaredDifference),
              (std::vector<TypeParam>{wrapped((a - 1) * (a - 1)), wrapped((b - a) * (b - a))}));
    EXPECT_EQ(pairs(op::kind::Maximum), (std::vector<TypeParam>{most, most}));
    EXPECT_EQ(pairs(op::kind::Minimum), (std::vector<TypeParam>{1, least}));
}

TYPED_TEST(integer, of_any_number_of_sources) {
    for (const size_t number : {1U, 2U, 3U, 8U, 9U, 17U, 1000U}) {
        uint64_t state = number;
        std::vector<std::vector<TypeParam>> srcs(number, std::vector<TypeParam>(37));
        for (auto &src : srcs)
            for (TypeParam &value : src)
                value = random_number<TypeParam>(state);
        const auto sum = apply<TypeParam>(op::kind::Sum, {}, dims{37}, srcs);
        const auto most = apply<TypeParam>(op::kind::Max, {}, dims{37}, srcs);
        const auto least = apply<TypeParam>(op::kind::Min, {}, dims{37}, srcs);
        for (size_t i = 0; i < 37; ++i) {
            std::vector<TypeParam> column;
            for (const auto &src : srcs)
                column.push_back(src[i]);
            ASSERT_EQ(sum[i], static_cast<TypeParam>(exact_reduction(op::kind::ReduceSum, column))) << number;
            ASSERT_EQ(most[i], *std::max_element(column.begin(), column.end())) << number;
            ASSERT_EQ(least[i], *std::min_element(column.begin(), column.end())) << number;
        }
    }
}

TEST(f64, sums_lose_next_to_nothing) {
    uint64_t state = 3;
    for (const size_t length : {7U, 1000U, 70001U, 1000003U}) {
        std::vector<double> values(length);
        long double exact = 0;
        for (double &value : values) {
            value = std::ldexp(static_cast<double>(random_number<uint32_t>(state)), static_cast<int>(state % 20));
            exact += static_cast<long double>(value);
        }
        EXPECT_NEAR(reduce_all(op::kind::ReduceSum, values) / static_cast<double>(exact), 1, 16 * 0x1p-53) << length;
        EXPECT_NEAR(reduce_columns(op::kind::ReduceSum, values, 3)[2] / static_cast<double>(exact), 1, 16 * 0x1p-53) << length;
    }
}

/// Values whose sum in sequence rounds to the same side again and again.
std::vector<double> biased_values(size_t count) {
    std::vector<double> values(count);
    for (size_t i = 0; i < count; ++i)
        values[i] = 0.1 + static_cast<double>(i % 7) / 3;
    return values;
}

void check_biased(const dims &shape, const dims &strides, const std::vector<axes_list> &lists) {
    const auto values = biased_values(count_of(shape));
    const array src(data_type::f64, shape, values, strides);
    for (const axes_list &axes : lists)
        for (const op::kind kind : {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceL1}) {
            // The values are positive; of magnitudes alone the reference keeps no lost bits.
            const op::kind same = kind == op::kind::ReduceL1 ? op::kind::ReduceSum : kind;
            const auto expected = expect_reduction(same, values, shape, axes);
            const auto sums = reduce(kind, src, axes).values();
            ASSERT_EQ(sums.size(), expected.value.size());
            for (size_t i = 0; i < sums.size(); ++i)
                ASSERT_NEAR(sums[i] / expected.value[i], 1, 16 * 0x1p-53)
                    << name_of(kind) << testing::PrintToString(shape) << " by " << testing::PrintToString(strides) << " over "
                    << testing::PrintToString(axes);
        }
}

TEST(f64, sums_are_pairwise) {
    for (const dims &shape : {dims{1000003}, dims{1000003, 3}, dims{3, 300007}, dims{40, 5000, 5}, dims{2, 9000, 3, 7},
                              dims{70001, 8}, dims{9001, 64}, dims{4099, 130}, dims{600, 2100}, dims{21, 1023}, dims{2000, 49}})
        check_biased(shape, row_major(shape), {{0}, {-1}});
    for (const dims &shape : {dims{40, 5000, 5}, dims{2, 9000, 3, 7}, dims{300, 7, 401}})
        check_biased(shape, row_major(shape), {{-1, -3}, {-1, -2}, {0, 1}});
}

TEST(f64, sums_with_gaps_are_pairwise) {
    check_biased({300007}, {3}, {{0}});
    check_biased({3, 70001}, {140003, 2}, {{0}, {1}, {0, 1}});
    check_biased({70001, 3}, {4, 1}, {{0}, {1}, {0, 1}});
    check_biased({70001, 3}, {6, 2}, {{0}, {1}, {0, 1}});
    check_biased({1000, 130}, {1, 1003}, {{0}, {1}, {0, 1}});
    check_biased({9, 2000, 31}, {64000, 32, 1}, {{1}, {0, 2}, {1, 2}, {0, 1, 2}});
}

TEST(f64, sums_of_sources_are_pairwise) {
    for (const size_t number : {2U, 3U, 8U, 9U, 1000U}) {
        const auto values = biased_values(number);
        std::vector<std::vector<double>> srcs;
        long double exact = 0;
        for (const double value : values) {
            srcs.emplace_back(37, value);
            exact += static_cast<long double>(value);
        }
        for (const double sum : apply<double>(op::kind::Sum, {}, dims{37}, srcs))
            ASSERT_NEAR(sum / static_cast<double>(exact), 1, 16 * 0x1p-53) << number;
        for (const double mean : apply<double>(op::kind::Mean, {}, dims{37}, srcs))
            ASSERT_NEAR(mean * static_cast<double>(number) / static_cast<double>(exact), 1, 16 * 0x1p-53) << number;
    }
}

TEST(f64, a_mean_of_many_of_the_largest_is_finite) {
    const double most = std::numeric_limits<double>::max();
    const auto mean_of = [&](const dims &shape, int64_t axis) {
        return reduce(op::kind::ReduceMean, array(data_type::f64, shape, std::vector<double>(count_of(shape), most)), {axis});
    };
    EXPECT_TRUE(are_identical(mean_of({9001, 8}, 0).values(), std::vector<double>(8, most)));
    EXPECT_TRUE(are_identical(mean_of({3, 70001}, 1).values(), std::vector<double>(3, most)));
}

TEST(f64, a_mean_of_finite_values_is_finite) {
    const double most = std::numeric_limits<double>::max();
    EXPECT_EQ(reduce_all(op::kind::ReduceMean, std::vector<double>(1000, most)), most);
    EXPECT_EQ(reduce_columns(op::kind::ReduceMean, std::vector<double>(1000, most), 5), std::vector<double>(5, most));
    EXPECT_EQ(apply<double>(op::kind::Mean, {}, dims{1}, {{most}, {most}, {most}}), std::vector<double>{most});
    EXPECT_EQ(reduce_all<double>(op::kind::ReduceL2, {3e300, 4e300}), 5e300);
    EXPECT_EQ(reduce_all<double>(op::kind::ReduceL2, {3e-300, 4e-300}), 5e-300);
    EXPECT_EQ(reduce_all<double>(op::kind::ReduceSum, {most, most, -most, -most, 1}), 1);
}

} // namespace
