// Fused normalizations of rows some of which hold what is no number, overflow, vanish or have a divisor without a reciprocal.
#include "support/normalizations.hpp"

using namespace onefold_test;

namespace {

using row = std::vector<double>;

row filled(size_t length, const std::function<double(size_t)> &at) {
    row values(length);
    for (size_t i = 0; i < length; ++i)
        values[i] = to_f32(at(i));
    return values;
}

row with(size_t length, size_t at, double special) {
    return filled(length, [=](size_t i) { return i == at ? special : static_cast<double>(i % 7) - 2.5; });
}

/// No sum of which is plain, or no quotient.
std::vector<row> special_rows(size_t length) {
    const auto scaled = [&](double scale) {
        return filled(length, [=](size_t i) { return (static_cast<double>(i % 5) - 2) * scale; });
    };
    return {with(length, 0, not_a_number),
            with(length, length - 1, not_a_number),
            with(length, length / 2, infinity),
            with(length, length - 1, -infinity),
            filled(length, [](size_t i) { return i % 2 ? infinity : -infinity; }),
            row(length, infinity),
            row(length, -infinity),
            row(length, to_f32(3e38)), // a sum of them is beyond f32
            row(length, to_f32(-3e38)),
            filled(length, [](size_t i) { return i % 2 ? 3e38 : -3e38; }),
            with(length, length / 3, 3e38),
            scaled(1e-30), // the squares are 0
            scaled(1e-23), // the squares are subnormal
            scaled(1e18),
            scaled(1e20), // the squares are infinite
            row(length, 0.0),
            row(length, -0.0),
            row(length, 2.5),
            scaled(0x1p-149),
            scaled(0x1p-140),
            scaled(0x1p-128),
            scaled(0x1p-126),
            scaled(0x1p124),
            scaled(0x1p125)};
}

constexpr size_t rows = 20;

/// Special rows in those places, one after the other; others are random, the same whatever stands between them.
row with_rows(size_t length, const std::vector<size_t> &places, const std::vector<row> &specials, size_t first) {
    row values = random_values(data_type::f32, rows * length, 11);
    for (size_t k = 0; k < places.size(); ++k) {
        const row &special = specials[(first + k) % specials.size()];
        std::copy(special.begin(), special.end(), values.begin() + static_cast<std::ptrdiff_t>(places[k] * length));
    }
    return values;
}

class fused_extremes : public testing::TestWithParam<normalization> {};

const std::vector<std::vector<size_t>> all_places = {{0}, {7}, {19}, {3, 4}, {0, 8, 16}, {1, 6, 9, 15, 18}};

TEST_P(fused_extremes, a_special_row_is_as_f64_has_it_and_changes_no_bit_of_the_others) {
    for (const size_t length : {5U, 16U, 50U, 100U, 1000U}) {
        const std::vector<row> specials = special_rows(length);
        one_partition p;
        compile_normalization(p, GetParam(),
                              {data_type::f32, {rows, static_cast<int64_t>(length)}, with_rows(length, {}, {}, 0)});
        if (HasFatalFailure()) return;
        const row ordinary = p.run()[0].values();
        for (const std::vector<size_t> &places : all_places)
            for (size_t first = 0; first < specials.size(); ++first) {
                array &src = p.elements_of_source(0).set(with_rows(length, places, specials, first));
                const array got = p.run()[0];
                ASSERT_TRUE(are_within(got, expect_along(GetParam(), src, 1)))
                    << "rows of " << length << ", special ones from " << first << " on, the first at " << places[0];
                row values = got.values();
                for (const size_t place : places)
                    std::copy_n(ordinary.begin() + static_cast<std::ptrdiff_t>(place * length), length,
                                values.begin() + static_cast<std::ptrdiff_t>(place * length));
                ASSERT_TRUE(are_identical(values, ordinary))
                    << "rows of " << length << ", special ones from " << first << " on, the first at " << places[0];
            }
    }
}

TEST_P(fused_extremes, special_rows_among_many_have_the_same_bits_with_any_number_of_threads) {
    constexpr size_t length = 1000;
    constexpr int64_t copies = 15;
    const std::vector<row> specials = special_rows(length);
    row values;
    for (size_t k = 0; k < copies; ++k) {
        const row part = with_rows(length, all_places[k % all_places.size()], specials, k * 5);
        values.insert(values.end(), part.begin(), part.end());
    }
    one_partition p;
    const array src(data_type::f32, {copies * static_cast<int64_t>(rows), length}, values);
    compile_normalization(p, GetParam(), src);
    if (HasFatalFailure()) return;
    const array one = p.run(1)[0];
    EXPECT_TRUE(are_within(one, expect_along(GetParam(), src, 1)));
    for (const unsigned threads : {2U, 3U})
        EXPECT_TRUE(are_identical(p.run(threads)[0].values(), one.values())) << threads << " threads";
}

TEST_P(fused_extremes, special_columns_and_those_beside_them_are_near_f64) {
    for (const size_t length : {5U, 16U, 50U}) {
        const std::vector<row> specials = special_rows(length);
        one_partition p({0});
        compile_normalization(p, GetParam(), {data_type::f32, {static_cast<int64_t>(length), rows}, row(rows * length)});
        if (HasFatalFailure()) return;
        for (const std::vector<size_t> &places : all_places)
            for (size_t first = 0; first < specials.size(); ++first) {
                const row by_rows = with_rows(length, places, specials, first);
                row by_columns;
                for (size_t i = 0; i < length; ++i)
                    for (size_t r = 0; r < rows; ++r)
                        by_columns.push_back(by_rows[r * length + i]);
                array &src = p.elements_of_source(0).set(by_columns);
                ASSERT_TRUE(are_within(p.run()[0], expect_along(GetParam(), src, 0)))
                    << "columns of " << length << ", special ones from " << first << " on, the first at " << places[0];
            }
    }
}

/// Elsewhere elements are multiplied by the reciprocal, which is rounded itself.
TEST(fused_quotients, by_divisors_whose_reciprocal_is_subnormal_or_infinite_are_rounded_once) {
    constexpr size_t length = 100;
    const normalization &min_max = normalizations[3];
    ASSERT_EQ(min_max.add, add_min_max);
    one_partition p;
    compile_normalization(p, min_max, {data_type::f32, {rows, length}, row(rows * length)});
    if (HasFatalFailure()) return;
    std::mt19937 random(3);
    for (const int exponent : {126, 127, -127, -130, -140}) {
        row values;
        for (size_t r = 0; r < rows; ++r) {
            const double span = std::ldexp(1 + (1 + static_cast<double>(random() % 8191)) / 8192, exponent);
            for (size_t i = 0; i < length; ++i)
                values.push_back(to_f32(span * (i == 0 ? 0 : i == 1 ? 1 : static_cast<double>(random()) * 0x1p-32)));
        }
        p.elements_of_source(0).set(values);
        const row got = p.run()[0].values();
        for (size_t i = 0; i < got.size(); ++i)
            ASSERT_EQ(got[i], to_f32(values[i] / values[i / length * length + 1])) << "element " << i << ", 2^" << exponent;
    }
}

INSTANTIATE_TEST_SUITE_P(all, fused_extremes, testing::ValuesIn(normalizations),
                         [](const auto &one) { return std::string(one.param.name); });

} // namespace
