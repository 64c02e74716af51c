// 16-bit results are the f32 value rounded once, to nearest even, and conversions are exact to the bit.
#include <cmath>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr data_type halves[] = {data_type::bf16, data_type::f16};

/// Every value of a 16-bit type but NaN, in bit order.
std::vector<double> all_values(data_type type) {
    std::vector<double> values;
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        const auto element = static_cast<uint16_t>(bits);
        const double value = load(type, &element);
        if (!std::isnan(value)) values.push_back(value);
    }
    return values;
}

array cast(const std::vector<double> &values, data_type from, data_type to) {
    return run(op::kind::TypeCast, {}, {array(from, {static_cast<int64_t>(values.size())}, values)}, to);
}

TEST(rounding, every_16_bit_value_is_an_f32) {
    for (const data_type type : halves) {
        const auto values = all_values(type);
        EXPECT_TRUE(are_identical(cast(values, type, data_type::f32).values(), values)) << name_of(type);
        EXPECT_TRUE(are_identical(cast(values, data_type::f32, type).values(), values)) << name_of(type);
    }
}

TEST(rounding, a_cast_rounds_ties_to_even) {
    for (const data_type type : halves) {
        // Around every midpoint between neighbours, overflow and underflow among them.
        std::vector<double> values;
        std::vector<double> expected;
        for (const double value : all_values(type)) {
            if (std::isinf(value)) continue;
            const double unit = std::abs(value) < std::ldexp(1.0, type == data_type::f16 ? -14 : -126)
                                    ? std::ldexp(1.0, type == data_type::f16 ? -24 : -133)
                                    : std::ldexp(1.0, std::ilogb(value) - (type == data_type::f16 ? 10 : 7));
            const auto middle = static_cast<float>(value + std::copysign(unit / 2, value));
            for (const float x : {middle, std::nextafter(middle, 0.0F), std::nextafter(middle, middle * 2)}) {
                values.push_back(static_cast<double>(x));
                expected.push_back(round_to(type, static_cast<double>(x)));
            }
        }
        EXPECT_TRUE(are_identical(cast(values, data_type::f32, type).values(), expected)) << name_of(type);
    }
}

TEST(rounding, a_cast_of_nan_and_of_what_is_too_large) {
    for (const data_type type : halves) {
        const double limit = type == data_type::f16 ? 65520 : 0x1.ffp127; // half a unit above the largest value
        const std::vector<double> values = {not_a_number, -not_a_number, infinity, -infinity, limit,
                                            -limit,       f32_max,       0,        -0.0,      0x1p-149};
        std::vector<double> expected;
        for (const double value : values)
            expected.push_back(round_to(type, value));
        EXPECT_EQ(expected[4], infinity);
        EXPECT_TRUE(are_identical(cast(values, data_type::f32, type).values(), expected)) << name_of(type);
    }
}

TEST(rounding, a_nan_keeps_being_one_whatever_its_payload) {
    for (const uint32_t bits : {0x7f800001U, 0x7f80ffffU, 0x7fffffffU, 0xff800001U, 0xffffffffU, 0x7fc00000U})
        for (const data_type type : halves) {
            array src(data_type::f32, {17}, std::vector<double>(17, 1));
            std::memcpy(static_cast<float *>(src.data()) + 16, &bits, sizeof bits);
            std::memcpy(src.data(), &bits, sizeof bits);
            const auto values = run(op::kind::TypeCast, {}, {src}, type).values();
            EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[16]) && values[1] == 1) << std::hex << bits;
        }
}

TEST(rounding, a_reorder_keeps_every_bit) {
    for (const data_type type : halves) {
        array src(type, {256, 256});
        for (uint32_t bits = 0; bits < 65536; ++bits) {
            const auto element = static_cast<uint16_t>(bits);
            std::memcpy(static_cast<uint16_t *>(src.data()) + bits, &element, sizeof element);
        }
        array dst(type, {256, 256});
        run_into(dst, op::kind::Reorder, {}, {src});
        EXPECT_EQ(dst.memory(), src.memory()) << name_of(type);
    }
}

TEST(rounding, means_of_powers_of_two_are_exact_before_it) {
    // Up to 16 values within 6 binades add up exactly in f32.
    for (const data_type type : halves)
        for (const int64_t count : {2, 4, 16}) {
            const dims shape = {count, 500};
            const array columns(type, shape, random_values(type, count_of(shape), 31));
            const dims turned = {500, count};
            const array rows(type, turned, random_values(type, count_of(turned), 32));
            for (const op::kind kind : {op::kind::ReduceMean, op::kind::ReduceSum, op::kind::ReduceL1}) {
                expected_tensor expected = expect_reduction(kind, columns.values(), shape, {0});
                for (double &value : expected.value)
                    value = round_to(type, value);
                EXPECT_TRUE(are_identical(reduce(kind, columns, {0}).values(), expected.value))
                    << name_of(kind) << name_of(type);
                expected = expect_reduction(kind, rows.values(), turned, {1});
                for (double &value : expected.value)
                    value = round_to(type, value);
                EXPECT_TRUE(are_identical(reduce(kind, rows, {1}).values(), expected.value)) << name_of(kind) << name_of(type);
            }
        }
}

TEST(rounding, of_broadcast_ops) {
    struct binary_op {
        op::kind kind;
        double (*f)(double a, double b);
    };
    const binary_op binaries[] = {
        {op::kind::Add, [](double a, double b) { return a + b; }},
        {op::kind::Subtract, [](double a, double b) { return a - b; }},
        {op::kind::Multiply, [](double a, double b) { return a * b; }},
        {op::kind::Divide, [](double a, double b) { return a / b; }},
    };
    for (const data_type type : float_types) {
        const array a(type, {5000}, random_values(type, 5000, 33));
        const array b(type, {5000}, random_values(type, 5000, 34));
        const auto x = a.values();
        const auto y = b.values();
        for (const binary_op &binary : binaries) {
            std::vector<double> expected(x.size());
            for (size_t i = 0; i < x.size(); ++i)
                expected[i] = round_to(type, round_to(data_type::f32, binary.f(x[i], y[i])));
            EXPECT_TRUE(are_identical(run(binary.kind, {}, {a, b}).values(), expected))
                << name_of(binary.kind) << name_of(type);
        }
    }
}

TEST(rounding, of_products_and_quotients_of_mixed_types) {
    for (const data_type first : float_types)
        for (const data_type second : float_types)
            for (const data_type result : float_types) {
                const array a(first, {1003}, random_values(first, 1003, 35));
                const array b(second, {1003}, random_values(second, 1003, 36));
                const auto x = a.values();
                const auto y = b.values();
                std::vector<double> product(x.size());
                std::vector<double> quotient(x.size());
                for (size_t i = 0; i < x.size(); ++i) {
                    product[i] = round_to(result, round_to(data_type::f32, x[i] * y[i]));
                    quotient[i] = round_to(result, round_to(data_type::f32, x[i] / y[i]));
                }
                SCOPED_TRACE(std::string(name_of(first)) + " and " + name_of(second) + " to " + name_of(result));
                EXPECT_TRUE(are_identical(run(op::kind::Multiply, {}, {a, b}, result).values(), product));
                EXPECT_TRUE(are_identical(run(op::kind::Divide, {}, {a, b}, result).values(), quotient));
            }
}

TEST(rounding, of_exact_unary_ops) {
    struct unary_op {
        op::kind kind;
        attributes attrs;
        double (*f)(double x);
    };
    const unary_op unaries[] = {
        {op::kind::Abs, {}, [](double x) { return std::abs(x); }},
        {op::kind::ReLU, {}, [](double x) { return x > 0 ? x : 0; }},
        {op::kind::Round, {}, [](double x) { return std::nearbyint(x); }},
        {op::kind::Square, {}, [](double x) { return x * x; }},
        {op::kind::Sqrt, {}, [](double x) { return std::sqrt(x); }},
        {op::kind::Clamp,
         {{op::attr::min, -0.75F}, {op::attr::max, 2.5F}},
         [](double x) { return std::min(std::max(x, -0.75), 2.5); }},
        {op::kind::LeakyReLU, {{op::attr::alpha, 0.25F}}, [](double x) { return x > 0 ? x : 0.25 * x; }},
    };
    for (const data_type type : float_types) {
        std::vector<double> values = random_values(type, 1000, 37);
        for (int i = -20; i <= 20; ++i)
            values.push_back(0.5 * i); // ties of rounding to integers
        const array src(type, {static_cast<int64_t>(values.size())}, values);
        for (const unary_op &unary : unaries) {
            std::vector<double> expected;
            for (double x : values) {
                if (unary.kind == op::kind::Sqrt) x = std::abs(x);
                expected.push_back(round_to(type, round_to(data_type::f32, unary.f(x))));
            }
            array from = src;
            if (unary.kind == op::kind::Sqrt) from = run(op::kind::Abs, {}, {src});
            const auto got = run(unary.kind, unary.attrs, {from}).values();
            for (size_t i = 0; i < got.size(); ++i)
                ASSERT_EQ(got[i], expected[i]) << name_of(unary.kind) << " of " << name_of(type) << " " << values[i];
        }
    }
}

} // namespace
