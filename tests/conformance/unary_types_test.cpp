// Unary ops in f64, whose accuracy is judged in long double, and in integers, which are exact.
#include <cmath>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

/// An op, its function in long double, and how many ulp it may be off. Where a function is x times one that vanishes, the
/// error may stay that of x.
struct f64_op {
    op::kind kind;
    attributes attrs;
    long double (*f)(long double);
    double ulp;
    bool vanishes = false;
    double lowest = -40;
};

long double softplus(long double x) { return std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))); }
long double erf_form(long double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0L)); }
long double tanh_form(long double x) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x)));
}

const f64_op f64_ops[] = {
    {op::kind::Abs, {}, [](long double x) { return std::abs(x); }, 0},
    {op::kind::Elu, {{op::attr::alpha, 0.5F}}, [](long double x) { return x > 0 ? x : std::expm1(x) / 2; }, 4},
    {op::kind::Exp, {}, [](long double x) { return std::exp(x); }, 2, false, -740},
    {op::kind::GELU, {}, erf_form, 6, false, -37},
    {op::kind::GELU, {{op::attr::mode, std::string("gelu_tanh")}}, tanh_form, 4, true},
    {op::kind::HardSigmoid,
     {{op::attr::alpha, 0.25F}, {op::attr::beta, 0.5F}},
     [](long double x) { return std::clamp(x / 4 + 0.5L, 0.0L, 1.0L); },
     1},
    {op::kind::HardSwish, {}, [](long double x) { return x * std::clamp(x / 6 + 0.5L, 0.0L, 1.0L); }, 3, true},
    {op::kind::LeakyReLU, {{op::attr::alpha, 0.25F}}, [](long double x) { return x > 0 ? x : x / 4; }, 1},
    {op::kind::Log, {}, [](long double x) { return std::log(x); }, 4, false, 0},
    {op::kind::Mish, {}, [](long double x) { return x * std::tanh(softplus(x)); }, 6},
    {op::kind::Neg, {}, [](long double x) { return -x; }, 0},
    {op::kind::Pow, {{op::attr::beta, 2.5F}}, [](long double x) { return std::pow(x, 2.5L); }, 1, false, 0},
    {op::kind::Pow, {{op::attr::beta, -3.0F}}, [](long double x) { return std::pow(x, -3.0L); }, 1},
    {op::kind::Reciprocal, {}, [](long double x) { return 1 / x; }, 1},
    {op::kind::ReLU, {}, [](long double x) { return std::max(x, 0.0L); }, 0},
    {op::kind::Round, {}, [](long double x) { return std::nearbyint(x); }, 0},
    {op::kind::Sigmoid, {}, [](long double x) { return 1 / (1 + std::exp(-x)); }, 3},
    {op::kind::SoftPlus, {}, softplus, 4},
    {op::kind::Sqrt, {}, [](long double x) { return std::sqrt(x); }, 1, false, 0},
    {op::kind::Square, {}, [](long double x) { return x * x; }, 1},
    {op::kind::Tanh, {}, [](long double x) { return std::tanh(x); }, 4},
};

std::vector<double> f64_values(double lowest) {
    std::mt19937_64 random(11);
    std::vector<double> values;
    while (values.size() < 20011) {
        const double fraction = static_cast<double>(random() >> 11) * 0x1p-53;
        values.push_back(lowest + (40 - lowest) * fraction);
        const double small = std::ldexp(1 + fraction, -static_cast<int>(random() % 60));
        values.push_back(lowest < 0 && random() % 2 ? -small : small);
        if (random() % 64 == 0) values.push_back(std::ldexp(static_cast<double>(random() % 64) + 0.5, 0)); // ties
    }
    return values;
}

TEST(unary_f64, is_within_a_few_ulp_of_long_double) {
    for (const f64_op &tested : f64_ops) {
        const auto values = f64_values(tested.lowest);
        const array src(data_type::f64, {static_cast<int64_t>(values.size())}, values);
        const auto got = run(tested.kind, tested.attrs, {src}).values();
        double worst = 0;
        double worst_x = 0;
        for (size_t i = 0; i < got.size(); ++i) {
            const long double exact = tested.f(values[i]);
            const double size = std::max(std::abs(static_cast<double>(exact)), tested.vanishes ? std::abs(values[i]) : 0);
            const double unit = std::max(std::ldexp(1.0, std::ilogb(std::max(size, 0x1p-1022)) - 52), 0x1p-1074);
            const auto off = static_cast<double>(std::abs(static_cast<long double>(got[i]) - exact)) / unit;
            if (off > worst) worst_x = values[i];
            worst = std::max(worst, off);
        }
        EXPECT_LE(worst, tested.ulp) << name_of(tested.kind) << " at " << worst_x;
    }
}

template <typename T>
class integer_unary : public testing::Test {
protected:
    static constexpr T lowest = std::numeric_limits<T>::lowest();
    static constexpr T highest = std::numeric_limits<T>::max();

    static data_type type() {
        for (const data_type candidate : integer_types)
            if (size_of(candidate) == sizeof(T) &&
                visit_plain_type(candidate, [](auto zero) { return std::is_signed_v<decltype(zero)>; }) == std::is_signed_v<T>)
                return candidate;
        return data_type::undef;
    }

    /// Of 40 times the values: whole vectors and parts.
    static std::vector<T> of(op::kind kind, const attributes &attrs, const std::vector<T> &values) {
        std::vector<T> src;
        for (int k = 0; k < 40; ++k)
            src.insert(src.end(), values.begin(), values.end());
        const logical_tensor in = dense(0, type(), {static_cast<int64_t>(src.size())});
        const logical_tensor out = dense(dst_id, type(), {static_cast<int64_t>(src.size())});
        std::vector<T> dst(src.size());
        stream s(cpu());
        compile_op(kind, attrs, {in}, out).execute(s, {tensor(in, cpu(), src.data())}, {tensor(out, cpu(), dst.data())});
        const std::vector<T> first(dst.begin(), dst.begin() + static_cast<std::ptrdiff_t>(values.size()));
        for (size_t i = 0; i < dst.size(); ++i)
            EXPECT_EQ(dst[i], first[i % first.size()]) << i;
        return first;
    }
    static std::vector<T> clamp(float min, float max, const std::vector<T> &values) {
        return of(op::kind::Clamp, {{op::attr::min, min}, {op::attr::max, max}}, values);
    }
    static std::vector<T> pow(float exponent, const std::vector<T> &values) {
        return of(op::kind::Pow, {{op::attr::beta, exponent}}, values);
    }
    using list = std::vector<T>;
};
using integers = testing::Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(integer_unary, integers);

TYPED_TEST(integer_unary, abs_and_neg_wrap) {
    using T = TypeParam;
    const std::vector<T> values = {this->lowest, static_cast<T>(this->lowest + 1), static_cast<T>(-1), 0, 1, this->highest};
    if (!std::is_signed_v<T>) {
        EXPECT_EQ(this->of(op::kind::Abs, {}, values), values);
        EXPECT_TRUE(fails(onefold_invalid_graph_op, {"Neg", "src", name_of(this->type()), "allowed"},
                          [&] { this->of(op::kind::Neg, {}, values); }));
        return;
    }
    const T most = this->highest;
    const auto negative = static_cast<T>(-most);
    EXPECT_EQ(this->of(op::kind::Abs, {}, values), (std::vector<T>{this->lowest, most, 1, 0, 1, most}));
    EXPECT_EQ(this->of(op::kind::Neg, {}, values), (std::vector<T>{this->lowest, most, 1, 0, static_cast<T>(-1), negative}));
}

TYPED_TEST(integer_unary, relu_and_square) {
    using T = TypeParam;
    const std::vector<T> values = {this->lowest, static_cast<T>(-3), 0, 5, this->highest};
    const auto from_minus_3 = std::is_signed_v<T> ? T{0} : static_cast<T>(-3);
    EXPECT_EQ(this->of(op::kind::ReLU, {}, values), (std::vector<T>{0, from_minus_3, 0, 5, this->highest}));
    EXPECT_EQ(this->of(op::kind::Square, {}, values), (std::vector<T>{0, 9, 0, 25, 1}));
}

TYPED_TEST(integer_unary, clamp_is_to_the_whole_numbers_between_the_bounds) {
    using T = TypeParam;
    const std::vector<T> values = {this->lowest, 0, 1, 2, 3, this->highest};
    const T nothing = std::is_signed_v<T> ? static_cast<T>(-1) : T{0};
    EXPECT_EQ(this->clamp(-1, 2, values), (std::vector<T>{nothing, 0, 1, 2, 2, 2}));
    EXPECT_EQ(this->clamp(0.5F, 2.5F, values), (std::vector<T>{1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(this->clamp(-1.5F, 0.5F, values), (std::vector<T>{nothing, 0, 0, 0, 0, 0}));
    EXPECT_EQ(this->clamp(3, 1, values), std::vector<T>(6, 1));
    EXPECT_EQ(this->clamp(0.25F, 0.75F, values), std::vector<T>(6, 0));
}

TYPED_TEST(integer_unary, clamp_by_bounds_beyond_the_range) {
    using T = TypeParam;
    const std::vector<T> values = {this->lowest, 0, 1, this->highest};
    constexpr float infinite = std::numeric_limits<float>::infinity();
    EXPECT_EQ(this->clamp(-1e30F, 1e30F, values), values);
    EXPECT_EQ(this->clamp(-infinite, infinite, values), values);
    EXPECT_EQ(this->clamp(std::nanf(""), std::nanf(""), values), values);
    EXPECT_EQ(this->clamp(1e30F, infinite, values), std::vector<T>(4, this->highest));
    EXPECT_EQ(this->clamp(-infinite, -1e30F, values), std::vector<T>(4, this->lowest));
}

TYPED_TEST(integer_unary, pow_wraps_by_whole_exponents_and_truncates_by_others) {
    using T = TypeParam;
    const std::vector<T> values = {0, 1, 2, 3, 10, static_cast<T>(-1), this->highest};
    EXPECT_EQ(this->pow(0, values), std::vector<T>(7, 1));
    EXPECT_EQ(this->pow(1, values), values);
    EXPECT_EQ(this->pow(3, values), (std::vector<T>{0, 1, 8, 27, static_cast<T>(1000), static_cast<T>(-1), this->highest}));
    const auto odd = this->pow(41, {3});
    uint64_t power = 1;
    for (int k = 0; k < 41; ++k)
        power *= 3;
    EXPECT_EQ(odd, std::vector<T>{static_cast<T>(power)});
    EXPECT_EQ(this->pow(0.5F, {0, 1, 3, 4, 100}), (std::vector<T>{0, 1, 1, 2, 10}));
    EXPECT_EQ(this->pow(-1, {1, 2}), (std::vector<T>{1, 0}));
    EXPECT_EQ(this->pow(-1, {0}), std::vector<T>{this->highest}); // infinite
}

TEST(unary_types, what_needs_fractions_takes_no_integers) {
    for (const op::kind kind : {op::kind::Exp, op::kind::Sqrt, op::kind::Reciprocal, op::kind::Round, op::kind::Tanh})
        EXPECT_TRUE(fails(onefold_invalid_graph_op, {name_of(kind), "src", "s32", "allowed: f16, bf16, f32, f64"}, [&] {
            run(kind, {}, {array(data_type::s32, {2}, {1, 2})});
        }));
}

/// Squared, clamped, negated, and then summed, of which the magnitude is taken.
TEST(unary_types, are_fused_before_and_behind_a_reduction) {
    for (const data_type type : {data_type::f64, data_type::s8, data_type::s32, data_type::s64}) {
        const dims shape = {6, 50};
        std::vector<double> values(300);
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<double>(i % 7) - 3;
        const attributes at_most_4 = {{op::attr::min, 0.0F}, {op::attr::max, 4.0F}};
        std::vector<array> srcs = {array(type, shape, values)};
        array dst(type, {6});
        graph g(engine::kind::cpu);
        g.add_op(make_op(0, op::kind::Square, {}, {srcs[0].describe(0)}, open_tensor(1, type)));
        g.add_op(make_op(1, op::kind::Clamp, at_most_4, {open_tensor(1, type)}, open_tensor(2, type)));
        g.add_op(make_op(2, op::kind::Neg, {}, {open_tensor(2, type)}, open_tensor(3, type)));
        g.add_op(make_op(3, op::kind::ReduceSum, over({1}), {open_tensor(3, type)}, open_tensor(4, type)));
        g.add_op(make_op(4, op::kind::Abs, {}, {open_tensor(4, type)}, dst.describe(dst_id)));
        g.finalize();
        const auto partitions = g.get_partitions();
        ASSERT_EQ(partitions.size(), 1U);
        execute(partitions[0].compile(describe(srcs), {dst.describe(dst_id)}, cpu()), srcs, dst);
        for (size_t row = 0; row < 6; ++row) {
            double sum = 0;
            for (size_t i = 0; i < 50; ++i)
                sum += std::min(values[row * 50 + i] * values[row * 50 + i], 4.0);
            EXPECT_EQ(dst.values()[row],
                      type == data_type::s8 ? std::abs(static_cast<double>(static_cast<int8_t>(-sum))) : sum);
        }
    }
}

} // namespace
