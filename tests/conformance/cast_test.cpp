// TypeCast between all types: one rounding to nearest even, truncation, wrapping, the ends of the ranges.
#include <cmath>
#include <random>

#include "support/run_op.hpp"

using namespace onefold_test;

namespace {

/// `src` as it is in memory, cast to a type whose elements are `To` in memory.
template <typename To, typename From>
std::vector<To> cast(data_type from, data_type to, std::vector<From> src) {
    const logical_tensor description = dense(0, from, {static_cast<int64_t>(src.size())});
    std::vector<To> dst(src.size());
    const logical_tensor result = dense(dst_id, to, {static_cast<int64_t>(src.size())});
    const auto compiled = compile_op(op::kind::TypeCast, {}, {description}, result);
    stream s(cpu());
    compiled.execute(s, {tensor(description, cpu(), src.data())}, {tensor(result, cpu(), dst.data())});
    return dst;
}

/// The nearest value with so many bits, ties to even; x is exact.
double nearest(long double x, int precision, int smallest_unit, double max) {
    if (!std::isfinite(x) || x == 0) return static_cast<double>(x);
    int exponent = 0;
    std::frexp(x, &exponent);
    const int unit = std::max(exponent - precision, smallest_unit);
    const long double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
    return std::abs(rounded) > max ? std::copysign(infinity, static_cast<double>(x)) : static_cast<double>(rounded);
}
double nearest(long double x, data_type type) {
    if (type == data_type::f64) return static_cast<double>(x);
    if (type == data_type::f32) return nearest(x, 24, -149, f32_max);
    return type == data_type::bf16 ? nearest(x, 8, -133, bf16_max) : nearest(x, 11, -24, f16_max);
}

/// Casts to a float type, as doubles.
template <typename From>
std::vector<double> to_floats(data_type from, data_type to, const std::vector<From> &src) {
    std::vector<double> values;
    const auto take = [&](const auto &elements) {
        for (const auto &element : elements)
            values.push_back(load(to, &element));
    };
    if (is_half(to))
        take(cast<uint16_t>(from, to, src));
    else if (to == data_type::f32)
        take(cast<float>(from, to, src));
    else
        take(cast<double>(from, to, src));
    return values;
}

constexpr data_type all_floats[] = {data_type::f64, data_type::f32, data_type::bf16, data_type::f16};

template <typename T>
constexpr data_type type_of() {
    if (std::is_same_v<T, double>) return data_type::f64;
    if (std::is_same_v<T, float>) return data_type::f32;
    const data_type of_signed[] = {data_type::s8, data_type::s16, data_type::s32, data_type::s64};
    const data_type of_unsigned[] = {data_type::u8, data_type::u16, data_type::u32, data_type::u64};
    const size_t place = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? of_signed[place] : of_unsigned[place];
}

template <typename T>
T truncated(double x) {
    if (std::isnan(x)) return 0;
    const double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    if (x <= lowest) return std::numeric_limits<T>::lowest();
    if (x >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
    return static_cast<T>(x);
}

/// Whole vectors and a part of one; whatever is between is another length each time.
template <typename From>
void expect_rounded_once(const std::vector<From> &src) {
    for (const data_type to : all_floats) {
        if (to == type_of<From>()) continue;
        const auto got = to_floats(type_of<From>(), to, src);
        for (size_t i = 0; i < src.size(); ++i)
            ASSERT_TRUE(is_identical(got[i], nearest(static_cast<long double>(src[i]), to)))
                << name_of(type_of<From>()) << " " << +src[i] << " to " << name_of(to) << " is " << got[i] << ", not "
                << nearest(static_cast<long double>(src[i]), to);
    }
}

template <typename T>
class cast_to_integer : public testing::Test {};
using integers = testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(cast_to_integer, integers);

std::vector<uint16_t> all_words() {
    std::vector<uint16_t> words(65536);
    for (size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<uint16_t>(i);
    return words;
}

TYPED_TEST(cast_to_integer, from_every_16_bit_float) {
    for (const data_type from : {data_type::bf16, data_type::f16}) {
        const auto words = all_words();
        const auto got = cast<TypeParam>(from, type_of<TypeParam>(), words);
        for (size_t i = 0; i < words.size(); ++i)
            ASSERT_EQ(got[i], truncated<TypeParam>(load(from, &words[i]))) << name_of(from) << " " << load(from, &words[i]);
    }
}

TYPED_TEST(cast_to_integer, truncates_and_stops_at_the_ends_of_the_range) {
    std::vector<double> values = {0.0,
                                  -0.0,
                                  0.9,
                                  -0.9,
                                  1.5,
                                  -1.5,
                                  2.9999999999999996,
                                  127.99,
                                  128,
                                  -128,
                                  -129,
                                  255.9,
                                  256,
                                  -1,
                                  -2,
                                  32767.5,
                                  -32769,
                                  65535.5,
                                  65536,
                                  1e300,
                                  -1e300,
                                  infinity,
                                  -infinity,
                                  not_a_number,
                                  5e-324,
                                  0x1p31,
                                  0x1p31 - 1,
                                  -0x1p31,
                                  -0x1p31 - 1,
                                  0x1p32 - 1,
                                  0x1p32,
                                  0x1p63,
                                  -0x1p63,
                                  0x1p64,
                                  0x1.fffffffffffffp62,
                                  0x1.fffffffffffffp63};
    for (int k = 0; k < 3; ++k)
        values.insert(values.end(), values.begin(), values.end());
    const auto got = cast<TypeParam>(data_type::f64, type_of<TypeParam>(), values);
    std::vector<float> floats(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(got[i], truncated<TypeParam>(values[i])) << values[i];
        floats[i] = std::abs(values[i]) < 1e38 ? static_cast<float>(values[i]) : 0;
    }
    const auto from_f32 = cast<TypeParam>(data_type::f32, type_of<TypeParam>(), floats);
    for (size_t i = 0; i < floats.size(); ++i)
        ASSERT_EQ(from_f32[i], truncated<TypeParam>(static_cast<double>(floats[i]))) << floats[i];
}

template <typename From>
std::vector<From> spread_over_the_range(size_t count) {
    std::mt19937_64 random(5);
    std::vector<From> values = {0,
                                1,
                                static_cast<From>(-1),
                                std::numeric_limits<From>::lowest(),
                                std::numeric_limits<From>::max(),
                                static_cast<From>(std::numeric_limits<From>::max() / 2)};
    while (values.size() < count)
        values.push_back(static_cast<From>(random() >> random() % (8 * sizeof(From))));
    return values;
}

template <typename To, typename From>
void expect_wrapped() {
    if (std::is_same_v<To, From>) return;
    const auto src = spread_over_the_range<From>(333);
    const auto got = cast<To>(type_of<From>(), type_of<To>(), src);
    for (size_t i = 0; i < src.size(); ++i)
        ASSERT_EQ(got[i], static_cast<To>(src[i])) << name_of(type_of<From>()) << " " << +src[i];
}

TYPED_TEST(cast_to_integer, from_integers_wraps) {
    expect_wrapped<TypeParam, int8_t>();
    expect_wrapped<TypeParam, uint8_t>();
    expect_wrapped<TypeParam, int16_t>();
    expect_wrapped<TypeParam, uint16_t>();
    expect_wrapped<TypeParam, int32_t>();
    expect_wrapped<TypeParam, uint32_t>();
    expect_wrapped<TypeParam, int64_t>();
    expect_wrapped<TypeParam, uint64_t>();
}

TYPED_TEST(cast_to_integer, and_from_it_to_floats_rounds_once) { expect_rounded_once(spread_over_the_range<TypeParam>(20011)); }

TEST(cast, between_16_bit_floats_and_to_wider_ones) {
    for (const data_type from : {data_type::bf16, data_type::f16})
        for (const data_type to : all_floats) {
            if (from == to) continue;
            const auto words = all_words();
            const auto got = to_floats(from, to, words);
            for (size_t i = 0; i < words.size(); ++i)
                ASSERT_TRUE(is_identical(got[i], nearest(static_cast<long double>(load(from, &words[i])), to)))
                    << name_of(from) << " " << load(from, &words[i]) << " to " << name_of(to) << " is " << got[i];
        }
}

// Numbers a little above or below what is halfway between two values of 16 bits: f32 in between would make it a tie.
TEST(cast, of_64_bit_integers_to_16_bits_does_not_round_twice) {
    std::vector<int64_t> values;
    for (int top = 5; top < 62; ++top)
        for (const int below : {7, 8, 10, 11, 12, 23, 24, 25, 52, 53, 54})
            for (const int64_t rest : {-1, 0, 1})
                if (top - below > 0) {
                    const int64_t halfway = (int64_t{1} << top) + (int64_t{1} << (top - below));
                    values.push_back(halfway + rest);
                    values.push_back(-halfway - rest);
                    values.push_back(halfway + (int64_t{1} << (top - below + 1)) + rest);
                }
    expect_rounded_once(values);
    std::vector<uint64_t> higher;
    for (const int64_t value : values)
        higher.push_back(static_cast<uint64_t>(value) + (uint64_t{1} << 63));
    expect_rounded_once(higher);
    EXPECT_EQ(to_floats(data_type::s64, data_type::bf16, std::vector<int64_t>{(int64_t{1} << 60) + (int64_t{1} << 52) + 1})[0],
              0x1.02p60);
}

TEST(cast, of_f64_to_16_bits_does_not_round_twice) {
    std::vector<double> values = {0.0, -0.0, infinity, -infinity, not_a_number, 5e-324, -5e-324, 1e308, 0x1.ffffffp127};
    for (int exponent = -150; exponent < 130; ++exponent)
        for (const double fraction : {1 + 0x1p-8, 1 + 0x1p-11, 1 + 0x1p-24, 1 + 0x3p-8, 1 + 0x3p-11, 1.5, 1.0})
            for (const double rest : {-0x1p-52, 0.0, 0x1p-52, 0x1p-40}) {
                values.push_back(std::ldexp(fraction + rest, exponent));
                values.push_back(-values.back());
            }
    expect_rounded_once(values);
    EXPECT_EQ(to_floats(data_type::f64, data_type::bf16, std::vector<double>{1 + 0x1p-8 + 0x1p-40})[0], 1 + 0x1p-7);
    EXPECT_EQ(to_floats(data_type::f64, data_type::f16, std::vector<double>{1 + 0x1p-11 + 0x1p-40})[0], 1 + 0x1p-10);
    EXPECT_EQ(to_floats(data_type::f64, data_type::f16, std::vector<double>{65519.99})[0], f16_max);
}

TEST(cast, to_boolean_is_one_unless_zero) {
    const auto boolean = data_type::boolean;
    using truth = std::vector<uint8_t>;
    EXPECT_EQ(cast<uint8_t>(data_type::f64, boolean, std::vector<double>{0, -0.0, 5e-324, not_a_number, -infinity, 0.1}),
              (truth{0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(cast<uint8_t>(data_type::f32, boolean, std::vector<float>{0, -0.0F, 1e-45F, 256}), (truth{0, 0, 1, 1}));
    EXPECT_EQ(cast<uint8_t>(data_type::f16, boolean, std::vector<uint16_t>{0, 0x8000, 1, 0x7e00}), (truth{0, 0, 1, 1}));
    EXPECT_EQ(cast<uint8_t>(data_type::bf16, boolean, std::vector<uint16_t>{0, 0x8000, 1, 0x7fc0}), (truth{0, 0, 1, 1}));
    EXPECT_EQ(cast<uint8_t>(data_type::s64, boolean, std::vector<int64_t>{0, int64_t{1} << 32, -1}), (truth{0, 1, 1}));
    EXPECT_EQ(cast<uint8_t>(data_type::u64, boolean, std::vector<uint64_t>{0, uint64_t{1} << 63}), (truth{0, 1}));
    EXPECT_EQ(cast<uint8_t>(data_type::u16, boolean, std::vector<uint16_t>{0, 256, 1}), (truth{0, 1, 1}));
}

TEST(cast, of_a_boolean_is_zero_or_one_whatever_byte_is_true) {
    const std::vector<uint8_t> bytes = {0, 1, 2, 255, 0, 128};
    const auto boolean = data_type::boolean;
    EXPECT_EQ(cast<uint8_t>(boolean, data_type::u8, bytes), (std::vector<uint8_t>{0, 1, 1, 1, 0, 1}));
    EXPECT_EQ(cast<int64_t>(boolean, data_type::s64, bytes), (std::vector<int64_t>{0, 1, 1, 1, 0, 1}));
    EXPECT_EQ(cast<uint64_t>(boolean, data_type::u64, bytes), (std::vector<uint64_t>{0, 1, 1, 1, 0, 1}));
    EXPECT_EQ(cast<float>(boolean, data_type::f32, bytes), (std::vector<float>{0, 1, 1, 1, 0, 1}));
    EXPECT_EQ(cast<uint16_t>(boolean, data_type::f16, bytes), (std::vector<uint16_t>{0, 0x3c00, 0x3c00, 0x3c00, 0, 0x3c00}));
}

TEST(cast, of_a_type_to_itself_is_refused) {
    for (const data_type type : {data_type::f64, data_type::s8, data_type::boolean})
        EXPECT_TRUE(fails(onefold_invalid_graph_op, {"TypeCast", "the same type"},
                          [&] { compile_op(op::kind::TypeCast, {}, {dense(0, type, {4})}, open_tensor(dst_id, type)); }));
}

} // namespace
