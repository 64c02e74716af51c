// LayerNorm by every lowering that takes it: oneDNN's primitive and programs of our own, against f64, with values that
// overflow, vanish or are no numbers on the way.
#include "support/expected.hpp"
#include "support/setting.hpp"

using namespace onefold_test;

namespace {

using attr = op::attr;

using row = std::vector<double>;

row filled(size_t length, const std::function<double(size_t)> &at) {
    row values(length);
    for (size_t i = 0; i < length; ++i)
        values[i] = at(i);
    return values;
}

row with(double special, size_t length, size_t at) {
    row values(length, 3);
    values[at] = special;
    return values;
}

/// Rows that vanish, overflow on the way or hold what is no number.
std::vector<row> special_rows(size_t length) {
    const auto alternating = [&](double x) { return filled(length, [=](size_t i) { return i % 2 ? x : -x; }); };
    return {row(length, 0.0),
            row(length, -2.5),
            filled(length, [](size_t i) { return static_cast<double>(i % 3) * 1e-40; }),
            filled(length, [](size_t i) { return static_cast<double>(i % 3) * 0x1p-24; }),
            filled(length, [](size_t i) { return static_cast<double>(i % 3) * 1e-20; }),
            alternating(60000),
            alternating(1e18),
            alternating(1e19),
            alternating(2e38), // the variance is beyond f32
            row(length, 1e38),
            row(length, -3e38),
            with(infinity, length, length / 2),
            with(-infinity, length, length - 1),
            with(not_a_number, length, 0),
            with(not_a_number, length, length - 1),
            row(length, infinity),
            row(length, -infinity),
            row(length, not_a_number)};
}

struct affine {
    array gamma;
    array beta;
};

std::vector<double> expect(const array &src, const affine *weights) {
    const std::vector<double> values = src.values();
    const auto length = static_cast<size_t>(src.shape().back());
    const row gamma = weights ? weights->gamma.values() : row(length, 1.0);
    const row beta = weights ? weights->beta.values() : row(length, 0.0);
    std::vector<double> result(values.size());
    for (size_t begin = 0; begin < values.size(); begin += length) {
        double mean = 0;
        double variance = 0;
        for (size_t i = 0; i < length; ++i)
            mean += values[begin + i];
        mean /= static_cast<double>(length);
        for (size_t i = 0; i < length; ++i)
            variance += (values[begin + i] - mean) * (values[begin + i] - mean) / static_cast<double>(length);
        variance = round_to(data_type::f32, variance); // infinite where it is beyond f32
        for (size_t i = 0; i < length; ++i)
            result[begin + i] = (values[begin + i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
    }
    return result;
}

testing::AssertionResult are_near(const array &got, const std::vector<double> &expected) {
    // Terms of a sum, of a lane one after the other, and of a shift, which may cancel.
    expected_tensor all{got.shape(), expected, {}};
    for (const double value : expected)
        all.error.push_back(8e-6 * (1 + std::abs(value)));
    return are_within(got, all);
}

struct outcome {
    std::string steps;
    array dst;
};

outcome normalize(array src, const affine *weights, unsigned threads = 0) {
    const attributes attrs = {{attr::begin_norm_axis, int64_t{-1}}, {attr::keep_stats, false}, {attr::use_affine, !!weights}};
    std::vector<array> srcs = {std::move(src)};
    if (weights) srcs.insert(srcs.end(), {weights->gamma, weights->beta});
    array dst(srcs[0].type(), srcs[0].shape());
    const auto compiled = compile_op(op::kind::LayerNorm, attrs, describe(srcs), dst.describe(dst_id));
    execute(compiled, srcs, dst, threads);
    return {compiled.get_info(), std::move(dst)};
}

array two_rows(data_type type, row first, const row &second) {
    const auto length = static_cast<int64_t>(first.size());
    first.insert(first.end(), second.begin(), second.end());
    for (double &value : first)
        value = round_to(type, value);
    return {type, {2, length}, first};
}

affine random_weights(size_t length) {
    const dims shape = {static_cast<int64_t>(length)};
    return {{data_type::f32, shape, random_values(data_type::f32, length, 3)},
            {data_type::f32, shape, random_values(data_type::f32, length, 4)}};
}

bool is_of_onednn(const outcome &o) { return o.steps.find("onednn:layer_normalization") == 0; }

/// Every special row between others that are not, by that lowering: how many of the executions were oneDNN's.
size_t check_special_rows(const char *lowering, data_type type, size_t length) {
    const setting only("ONEFOLD_LOWERING", lowering);
    const affine weights = random_weights(length);
    const row ordinary = random_values(type, length, 5);
    size_t of_onednn = 0;
    for (const row &special : special_rows(length))
        for (const affine *affine : {static_cast<const struct affine *>(nullptr), &weights})
            for (const array &src : {two_rows(type, ordinary, special), two_rows(type, special, ordinary)}) {
                const outcome got = normalize(src, affine);
                EXPECT_TRUE(are_near(got.dst, expect(src, affine)))
                    << got.steps << " of " << name_of(type) << ", rows of " << length << " with " << special.front() << " and "
                    << special.back() << (affine ? ", affine" : "");
                of_onednn += is_of_onednn(got);
            }
    return of_onednn;
}

TEST(layer_norm_ways, rows_that_overflow_or_are_no_numbers) {
    for (const data_type type : float_types)
        for (const size_t length : {1U, 2U, 5U, 16U, 17U, 64U, 100U, 1000U, 1024U}) {
            EXPECT_EQ(check_special_rows("simd", type, length), 0U);
            const size_t of_onednn = check_special_rows("onednn", type, length);
            // In 16 bits not every processor has a primitive.
            if (type == data_type::f32) {
                EXPECT_EQ(of_onednn, length > 1 ? 4 * special_rows(length).size() : 0);
            }
        }
}

TEST(layer_norm_ways, weights_that_overflow_or_are_no_numbers) {
    constexpr int64_t length = 48;
    const array src = two_rows(data_type::f32, random_values(data_type::f32, length, 6), row(length, 7));
    for (const double special : {0.0, 1e38, -1e38, 1e-40, infinity, -infinity, not_a_number})
        for (const bool is_shift : {false, true}) {
            affine weights = random_weights(length);
            array &changed = is_shift ? weights.beta : weights.gamma;
            std::vector<double> values = changed.values();
            values[5] = values[47] = special;
            changed.set(values);
            for (const char *lowering : {"onednn", "simd"}) {
                const setting only("ONEFOLD_LOWERING", lowering);
                const outcome got = normalize(src, &weights);
                EXPECT_TRUE(are_near(got.dst, expect(src, &weights))) << got.steps << " with " << special << is_shift;
                EXPECT_EQ(is_of_onednn(got), std::string(lowering) == "onednn");
            }
        }
}

TEST(layer_norm_ways, many_rows_of_random_values) {
    for (const data_type type : float_types)
        for (const dims &shape : {dims{1024}, dims{300, 7}, dims{4, 50, 130}, dims{70, 1024}}) {
            const array src(type, shape, random_values(type, count_of(shape), 8));
            const affine weights = random_weights(static_cast<size_t>(shape.back()));
            for (const char *lowering : {"onednn", "simd"}) {
                const setting only("ONEFOLD_LOWERING", lowering);
                const outcome got = normalize(src, &weights);
                EXPECT_TRUE(are_near(got.dst, expect(src, &weights))) << got.steps << testing::PrintToString(shape);
            }
        }
}

TEST(layer_norm_ways, of_onednn_gives_the_same_bits_with_any_number_of_threads) {
    const setting only("ONEFOLD_LOWERING", "onednn");
    array src(data_type::f32, {37, 1000}, random_values(data_type::f32, 37000, 9));
    for (const double last : {1.0, 3e38}) {
        auto values = src.values();
        values.back() = last;
        src.set(values);
        const outcome one = normalize(src, nullptr, 1);
        ASSERT_TRUE(is_of_onednn(one));
        for (const unsigned threads : {2U, 3U})
            EXPECT_TRUE(are_identical(normalize(src, nullptr, threads).dst.values(), one.dst.values()));
    }
}

} // namespace
