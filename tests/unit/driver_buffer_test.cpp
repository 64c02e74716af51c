#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "tests/driver/buffer.hpp"

namespace {

using namespace onefold;
using namespace onefold::driver;

buffer make(impl::data_type type, const impl::dims &dims, const impl::dims &strides) {
    return buffer(impl::make_logical_tensor(0, type, static_cast<int64_t>(dims.size()), dims.data(), strides.data(),
                                            onefold_layout_strided, 0, onefold_property_undef));
}

uint16_t bits_of(impl::data_type type, double value) {
    uint16_t bits = 0;
    store_element(type, &bits, value);
    return bits;
}

TEST(driver_element, every_16_bit_float_survives) {
    for (const impl::data_type type : {onefold_f16, onefold_bf16})
        for (unsigned i = 0; i <= 0xffff; ++i) {
            const auto bits = static_cast<uint16_t>(i);
            const double value = load_element(type, &bits);
            if (std::isnan(value)) continue;
            ASSERT_EQ(bits_of(type, value), bits) << value;
        }
}

TEST(driver_element, known_values) {
    EXPECT_EQ(bits_of(onefold_f16, 1), 0x3c00);
    EXPECT_EQ(bits_of(onefold_f16, -2), 0xc000);
    EXPECT_EQ(bits_of(onefold_f16, 65504), 0x7bff);
    EXPECT_EQ(bits_of(onefold_f16, 0x1p-24), 0x0001);
    EXPECT_EQ(bits_of(onefold_bf16, 1), 0x3f80);
    EXPECT_EQ(bits_of(onefold_bf16, -0.0), 0x8000);
    EXPECT_EQ(bits_of(onefold_bf16, std::numeric_limits<double>::infinity()), 0x7f80);
    EXPECT_TRUE(std::isnan(round_to(onefold_f16, std::numeric_limits<double>::quiet_NaN())));
}

TEST(driver_element, is_rounded_once_to_nearest_even) {
    EXPECT_EQ(bits_of(onefold_f16, 1 + 0x1p-11), 0x3c00);           // a tie, to even
    EXPECT_EQ(bits_of(onefold_f16, 1 + 3 * 0x1p-11), 0x3c02);       // a tie, to even
    EXPECT_EQ(bits_of(onefold_f16, 1 + 0x1p-11 + 0x1p-40), 0x3c01); // as an f32 it would be a tie
    EXPECT_EQ(bits_of(onefold_f16, 65519.99), 0x7bff);
    EXPECT_EQ(bits_of(onefold_f16, 65520), 0x7c00);
    EXPECT_EQ(bits_of(onefold_f16, 0x1p-25), 0x0000);
    EXPECT_EQ(bits_of(onefold_f16, 0x1.8p-24), 0x0002);
    EXPECT_EQ(bits_of(onefold_bf16, 1 + 0x1p-8), 0x3f80);
    EXPECT_EQ(bits_of(onefold_bf16, 1 + 0x1p-8 + 0x1p-40), 0x3f81);
    EXPECT_EQ(round_to(onefold_s32, 2.5), 2);
    EXPECT_EQ(round_to(onefold_s32, -3.5), -4);
}

TEST(driver_element, integers_saturate) {
    EXPECT_EQ(round_to(onefold_s8, 1e9), 127);
    EXPECT_EQ(round_to(onefold_s8, -1e9), -128);
    EXPECT_EQ(round_to(onefold_u8, -1), 0);
    EXPECT_EQ(round_to(onefold_s32, std::numeric_limits<double>::quiet_NaN()), 0);
    uint64_t wide = 0;
    store_element(onefold_u64, &wide, 0x1p64);
    EXPECT_EQ(wide, std::numeric_limits<uint64_t>::max());
    EXPECT_EQ(element_text(onefold_u64, &wide), "18446744073709551615");
    int64_t lowest = 0;
    store_element(onefold_s64, &lowest, -0x1p70);
    EXPECT_EQ(lowest, std::numeric_limits<int64_t>::min());
}

TEST(driver_buffer, elements_lie_where_the_strides_say) {
    buffer b = make(onefold_f32, {2, 3, 4}, {1, 40, 5});
    ASSERT_EQ(b.count(), 24);
    ASSERT_EQ(b.bytes(), 97 * sizeof(float));
    std::vector<double> values(24);
    std::iota(values.begin(), values.end(), 0);
    b.store_all(values);
    EXPECT_EQ(b.load_all(), values);
    const auto *memory = static_cast<const float *>(b.data());
    EXPECT_EQ(memory[1 + 2 * 40 + 3 * 5], 23);
    for (int64_t i = 0; i < 24; ++i) {
        EXPECT_EQ(b.load(i), static_cast<double>(i));
        EXPECT_EQ(static_cast<double>(memory[b.offset_of(i)]), b.load(i));
    }
}

TEST(driver_buffer, gaps_and_fresh_memory_are_poisoned) {
    buffer b = make(onefold_bf16, {2, 2}, {3, 1});
    for (const double value : b.load_all())
        EXPECT_TRUE(std::isnan(value));
    b.store_all(std::vector<double>{1, 2, 3, 4});
    EXPECT_TRUE(std::isnan(load_element(onefold_bf16, static_cast<const uint16_t *>(b.data()) + 2)));
    b.poison();
    EXPECT_TRUE(std::isnan(b.load(0)));
    const buffer integers = make(onefold_s16, {2}, {2});
    EXPECT_EQ(static_cast<const int16_t *>(integers.data())[1], -32768);
}

TEST(driver_buffer, gather_and_scatter) {
    buffer permuted = make(onefold_s64, {2, 3}, {1, 2});
    std::vector<int64_t> exact{1, -1, (int64_t{1} << 53) + 1, std::numeric_limits<int64_t>::min(), 5, 6};
    std::vector<std::byte> dense(exact.size() * sizeof(int64_t));
    std::memcpy(dense.data(), exact.data(), dense.size());
    permuted.scatter(dense);
    EXPECT_EQ(permuted.gather(), dense);
    EXPECT_EQ(static_cast<const int64_t *>(permuted.data())[1], exact[3]);
    EXPECT_EQ(permuted.text(2), "9007199254740993");
}

TEST(driver_buffer, empty_and_scalar) {
    buffer empty(impl::make_dense(0, onefold_f32, {2, 0, 3}));
    EXPECT_EQ(empty.data(), nullptr);
    EXPECT_EQ(empty.bytes(), 0U);
    empty.poison();
    EXPECT_TRUE(empty.load_all().empty());
    EXPECT_TRUE(empty.gather().empty());
    buffer scalar(impl::make_dense(0, onefold_f64, {}));
    EXPECT_EQ(scalar.count(), 1);
    scalar.store(0, 0.5);
    EXPECT_EQ(scalar.load(0), 0.5);
}

TEST(driver_buffer, what_it_cannot_hold) {
    EXPECT_THROW(buffer(impl::make_dense(0, onefold_s4, {2})), impl::error);
    EXPECT_THROW(buffer(impl::make_dense(0, onefold_data_type_undef, {2})), impl::error);
    EXPECT_THROW(buffer(impl::make_dense(0, onefold_f32, {impl::unknown_dim})), impl::error);
}

} // namespace
