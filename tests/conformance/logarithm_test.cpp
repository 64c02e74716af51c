// ReduceLogSum and ReduceLogSumExp: the ends of arithmetic, accuracy, integers, threads.
#include <cmath>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr data_type logarithm_types[] = {data_type::f32, data_type::bf16, data_type::f16, data_type::f64};

/// The values as a row, and as the rows of 1, 5 and 40 columns: each result.
std::vector<double> in_every_way(op::kind kind, data_type type, const std::vector<double> &values) {
    const auto length = static_cast<int64_t>(values.size());
    std::vector<double> results = reduce(kind, array(type, {length}, values), {0}).values();
    for (const int64_t columns : {1, 5, 40}) {
        std::vector<double> spread;
        for (const double value : values)
            spread.insert(spread.end(), static_cast<size_t>(columns), value);
        const auto more = reduce(kind, array(type, {length, columns}, spread), {0}).values();
        results.insert(results.end(), more.begin(), more.end());
    }
    return results;
}

void expect(op::kind kind, data_type type, const std::vector<double> &values, double expected) {
    for (const double got : in_every_way(kind, type, values))
        ASSERT_TRUE(is_identical(got, round_to(type, expected)))
            << name_of(kind) << " of " << values.size() << " " << name_of(type) << " from " << values[0] << " is " << got
            << ", not " << expected;
}

TEST(logarithm, log_sum_exp_of_one_value_is_that_value) {
    for (const data_type type : logarithm_types)
        for (const double x : {0.0, 1.0, -1.0, 1000.0, -1000.0, 60000.0, -60000.0, 0x1p-24, infinity, -infinity, not_a_number})
            expect(op::kind::ReduceLogSumExp, type, {x}, x);
    for (const double x : {3e38, -3e38, 1e-40})
        expect(op::kind::ReduceLogSumExp, data_type::f32, {static_cast<double>(static_cast<float>(x))},
               static_cast<double>(static_cast<float>(x)));
    for (const double x : {1e308, -1e308, 5e-324})
        expect(op::kind::ReduceLogSumExp, data_type::f64, {x}, x);
}

TEST(logarithm, log_sum_exp_neither_overflows_nor_vanishes) {
    for (const data_type type : logarithm_types) {
        expect(op::kind::ReduceLogSumExp, type, {1000, 1000, 1000, 1000}, 1000 + std::log(4.0));
        expect(op::kind::ReduceLogSumExp, type, {-1000, -1000}, -1000 + std::log(2.0));
        expect(op::kind::ReduceLogSumExp, type, {1000, -1000, 0}, 1000);
        expect(op::kind::ReduceLogSumExp, type, {-1000, 0, 1000, 1000}, 1000 + std::log(2.0));
        expect(op::kind::ReduceLogSumExp, type, std::vector<double>(1000, 0.0), std::log(1000.0));
    }
    expect(op::kind::ReduceLogSumExp, data_type::f32, {f32_max, f32_max, -f32_max}, f32_max);
    const double most = std::numeric_limits<double>::max();
    expect(op::kind::ReduceLogSumExp, data_type::f64, {-most, most, most}, most);
}

TEST(logarithm, log_sum_exp_of_infinities) {
    for (const data_type type : logarithm_types)
        for (const size_t length : {2U, 3U, 7U, 8U, 9U, 17U, 33U, 100U, 3000U}) {
            std::vector<double> values(length, -infinity);
            expect(op::kind::ReduceLogSumExp, type, values, -infinity);
            for (const size_t at : {size_t{0}, length / 2, length - 1}) {
                values.assign(length, -infinity);
                values[at] = -3;
                expect(op::kind::ReduceLogSumExp, type, values, -3);
                values[at] = infinity;
                expect(op::kind::ReduceLogSumExp, type, values, infinity);
                values.assign(length, 2);
                values[at] = infinity;
                expect(op::kind::ReduceLogSumExp, type, values, infinity);
                values[length - 1 - at] = -infinity;
                values[at] = infinity;
                expect(op::kind::ReduceLogSumExp, type, values, infinity);
            }
        }
}

TEST(logarithm, a_nan_wins_wherever_it_stands) {
    for (const op::kind kind : {op::kind::ReduceLogSum, op::kind::ReduceLogSumExp})
        for (const data_type type : logarithm_types)
            for (const size_t length : {1U, 4U, 8U, 17U, 65U, 2500U})
                for (const size_t at : {size_t{0}, length / 3, length - 1})
                    for (const double others : {1.0, infinity}) {
                        std::vector<double> values(length, others);
                        values[at] = not_a_number;
                        expect(kind, type, values, not_a_number);
                    }
}

TEST(logarithm, of_nothing_is_minus_infinity) {
    for (const op::kind kind : {op::kind::ReduceLogSum, op::kind::ReduceLogSumExp}) {
        for (const data_type type : logarithm_types)
            EXPECT_TRUE(are_identical(reduce(kind, array(type, {0, 3}), {0}).values(), std::vector<double>(3, -infinity)));
        for (const data_type type : {data_type::s32, data_type::u32, data_type::s64, data_type::u64}) {
            const bool has_sign = type == data_type::s32 || type == data_type::s64;
            const double lowest = !has_sign ? 0 : type == data_type::s32 ? -0x1p31 : -0x1p63;
            EXPECT_EQ(reduce(kind, array(type, {0, 3}), {0}).values(), std::vector<double>(3, lowest));
        }
    }
}

TEST(logarithm, of_a_sum_at_the_ends) {
    for (const data_type type : logarithm_types) {
        expect(op::kind::ReduceLogSum, type, {0, 0, 0}, -infinity);
        expect(op::kind::ReduceLogSum, type, {1}, 0);
        expect(op::kind::ReduceLogSum, type, {0.25, 0.25, 0.5}, 0);
        expect(op::kind::ReduceLogSum, type, {-1, -1}, not_a_number);
        expect(op::kind::ReduceLogSum, type, {infinity, 1}, infinity);
        expect(op::kind::ReduceLogSum, type, {infinity, -infinity}, not_a_number);
        expect(op::kind::ReduceLogSum, type, std::vector<double>(1000, 2), std::log(2000.0));
    }
    expect(op::kind::ReduceLogSum, data_type::f32, std::vector<double>(100, f32_max), std::log(100 * f32_max));
    const double most = std::numeric_limits<double>::max();
    expect(op::kind::ReduceLogSum, data_type::f64, {most, most}, static_cast<double>(std::log(2.0L * most)));
}

TEST(logarithm, log_sum_exp_is_as_accurate_as_a_sum) {
    for (const data_type type : {data_type::f32, data_type::f64})
        for (const size_t length : {3U, 16U, 100U, 2049U, 70001U, 300007U}) {
            auto values = random_values(type, length, static_cast<unsigned>(length));
            const double largest = *std::max_element(values.begin(), values.end());
            long double sum = 0;
            for (const double x : values)
                sum += std::exp(static_cast<long double>(x) - largest);
            const auto exact = static_cast<double>(largest + std::log(sum));
            const double unit = type == data_type::f32 ? f32_unit : 0x1p-53;
            for (const double got : in_every_way(op::kind::ReduceLogSumExp, type, values))
                ASSERT_NEAR(got, exact, (8 + 2 * std::abs(exact)) * unit) << name_of(type) << " " << length;
        }
}

TEST(logarithm, has_the_same_bits_with_any_number_of_threads) {
    for (const op::kind kind : {op::kind::ReduceLogSum, op::kind::ReduceLogSumExp})
        for (const data_type type : logarithm_types) {
            auto values = random_values(type, 700 * 1501, 3);
            for (double &value : values)
                value = std::abs(value);
            const array src(type, {700, 1501}, values);
            for (const axes_list &axes : {axes_list{0}, axes_list{1}, axes_list{0, 1}}) {
                const auto alone = reduce(kind, src, axes, false, 1).values();
                for (const unsigned threads : {2U, 3U})
                    ASSERT_TRUE(are_identical(reduce(kind, src, axes, false, threads).values(), alone)) << name_of(type);
            }
        }
}

template <typename T>
class integer_logarithm : public testing::Test {
protected:
    static T of(op::kind kind, std::vector<T> src) {
        const auto has_sign = std::is_signed_v<T>;
        const data_type type =
            sizeof(T) == 4 ? (has_sign ? data_type::s32 : data_type::u32) : (has_sign ? data_type::s64 : data_type::u64);
        const logical_tensor in = dense(0, type, {static_cast<int64_t>(src.size())});
        const logical_tensor out = dense(dst_id, type, {});
        T dst = 77;
        stream s(cpu());
        compile_op(kind, over({0}), {in}, out).execute(s, {tensor(in, cpu(), src.data())}, {tensor(out, cpu(), &dst)});
        return dst;
    }
    static T log_sum(std::vector<T> src) { return of(op::kind::ReduceLogSum, std::move(src)); }
    static T log_sum_exp(std::vector<T> src) { return of(op::kind::ReduceLogSumExp, std::move(src)); }

    static constexpr T lowest = std::numeric_limits<T>::lowest();
    static constexpr T highest = std::numeric_limits<T>::max();
};
using wide_integers = testing::Types<int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(integer_logarithm, wide_integers);

TYPED_TEST(integer_logarithm, of_the_exact_sum_is_truncated) {
    using T = TypeParam;
    EXPECT_EQ(this->log_sum({1}), 0);
    EXPECT_EQ(this->log_sum({1, 1}), 0);
    EXPECT_EQ(this->log_sum({10, 10}), 2); // 2.9957
    EXPECT_EQ(this->log_sum({10, 11}), 3); // 3.0445
    EXPECT_EQ(this->log_sum({0, 0}), this->lowest);
    EXPECT_EQ(this->log_sum(std::vector<T>(1000, this->highest)),
              static_cast<T>(std::log(1000) + std::log(static_cast<double>(this->highest))));
    if (std::is_signed_v<T>) {
        EXPECT_EQ(this->log_sum({static_cast<T>(-5), 2}), 0); // NaN
    }
}

TYPED_TEST(integer_logarithm, log_sum_exp_keeps_every_bit_of_the_largest) {
    using T = TypeParam;
    EXPECT_EQ(this->log_sum_exp({this->highest}), this->highest);
    EXPECT_EQ(this->log_sum_exp({this->lowest}), this->lowest);
    EXPECT_EQ(this->log_sum_exp({this->lowest, this->highest}), this->highest);
    EXPECT_EQ(this->log_sum_exp({this->highest, this->highest, this->highest}), this->highest);
    const T large = this->highest - 100;
    EXPECT_EQ(this->log_sum_exp({large, large, large, 3}), large + 1); // + 1.0986
    EXPECT_EQ(this->log_sum_exp({5, 5}), 5);
    EXPECT_EQ(this->log_sum_exp({4, 5, 5, 5}), 6);
    EXPECT_EQ(this->log_sum_exp(std::vector<T>(1000, 0)), 6); // 6.9
    if (std::is_signed_v<T>) {
        EXPECT_EQ(this->log_sum_exp({static_cast<T>(-5), static_cast<T>(-5)}), static_cast<T>(-4)); // -4.3
        EXPECT_EQ(this->log_sum_exp({static_cast<T>(-1), static_cast<T>(-1)}), 0);                  // -0.3
    }
}

TEST(logarithm, takes_no_narrow_integers) {
    for (const op::kind kind : {op::kind::ReduceLogSum, op::kind::ReduceLogSumExp})
        EXPECT_TRUE(
            fails(onefold_invalid_graph_op, {name_of(kind), "s16", "allowed: f16, bf16, f32, s32, f64, u32, s64, u64"}, [&] {
                reduce(kind, array(data_type::s16, {4}, {1, 2, 3, 4}), {0});
            }));
}

/// Bytes in, bytes out.
std::vector<uint8_t> reduce_booleans(op::kind kind, const dims &shape, axes_list axes, std::vector<uint8_t> src) {
    const logical_tensor in = dense(0, data_type::boolean, shape);
    const auto compiled = compile_op(kind, over(std::move(axes)), {in}, open_tensor(dst_id, data_type::boolean));
    const logical_tensor out = compiled.query_logical_tensor(dst_id);
    std::vector<uint8_t> dst(count_of(out.get_dims()), 77);
    stream s(cpu());
    compiled.execute(s, {tensor(in, cpu(), src.data())}, {tensor(out, cpu(), dst.data())});
    return dst;
}

TEST(boolean, reductions_tell_whether_any_or_all_are_true) {
    using truth = std::vector<uint8_t>;
    const std::vector<uint8_t> src = {0, 0, 1, 7, 255, 0, 1, 2, 1, 0, 0, 0}; // any byte but 0 is true
    EXPECT_EQ(reduce_booleans(op::kind::ReduceMax, {4, 3}, {1}, src), (truth{1, 1, 1, 0}));
    EXPECT_EQ(reduce_booleans(op::kind::ReduceMin, {4, 3}, {1}, src), (truth{0, 0, 1, 0}));
    EXPECT_EQ(reduce_booleans(op::kind::ReduceMax, {4, 3}, {0}, src), (truth{1, 1, 1}));
    EXPECT_EQ(reduce_booleans(op::kind::ReduceMin, {2, 2, 3}, {0}, src), (truth{0, 0, 1, 0, 0, 0}));
    EXPECT_EQ(reduce_booleans(op::kind::ReduceMax, {0, 3}, {0}, {}), (truth{0, 0, 0}));
    EXPECT_EQ(reduce_booleans(op::kind::ReduceMin, {0, 3}, {0}, {}), (truth{1, 1, 1}));
    for (const size_t length : {1U, 15U, 16U, 64U, 65U, 1000U, 100000U}) {
        const dims shape = {static_cast<int64_t>(length)};
        std::vector<uint8_t> all(length, 3);
        EXPECT_EQ(reduce_booleans(op::kind::ReduceMin, shape, {0}, all), truth{1});
        all[length - 1] = 0;
        EXPECT_EQ(reduce_booleans(op::kind::ReduceMin, shape, {0}, all), truth{0});
        EXPECT_EQ(reduce_booleans(op::kind::ReduceMax, shape, {0}, all), truth{static_cast<uint8_t>(length > 1 ? 1 : 0)});
    }
}

TEST(boolean, is_for_maxima_and_minima_only) {
    for (const op::kind kind : {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceProd})
        EXPECT_TRUE(fails(onefold_invalid_graph_op, {name_of(kind), "src", "boolean"}, [&] {
            reduce_booleans(kind, {2}, {0}, {1, 0});
        }));
}

} // namespace
