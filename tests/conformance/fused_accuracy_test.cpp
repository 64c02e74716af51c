// Exp, Log, Sigmoid and powers that are roots inside fused partitions: within 4 units in the last place of f32, whatever the
// magnitude.
#include "support/expected.hpp"
#include "support/one_partition.hpp"

using namespace onefold_test;

namespace {

using row = std::vector<double>;

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double exponential(long double x) { return std::exp(x); }
long double logarithm(long double x) { return std::log(x); }
long double root(long double x) { return std::pow(x, 0.5L); } // of -0 and -infinity not what sqrt gives
long double inverse_root(long double x) { return std::pow(x, -0.5L); }

struct function {
    const char *name;
    op::kind kind;
    long double (*exact)(long double x);
    float exponent = 0; // of a power

    attributes attrs() const { return exponent == 0 ? attributes() : attributes{{op::attr::beta, exponent}}; }
};
void PrintTo(const function &f, std::ostream *out) { *out << f.name; }

/// How far a number of f32 is from the exact one; infinity, where one is not as the other in what has no distance.
double units_between(double got, long double exact) {
    if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0 : infinity;
    if (std::isinf(exact) || exact == 0) return is_identical(got, static_cast<double>(exact)) ? 0 : infinity;
    constexpr long double beyond = 0x1p128L; // what rounds to infinity
    const auto finite = [=](long double x) { return std::max(-beyond, std::min(x, beyond)); };
    int exponent = 0;
    std::frexp(finite(exact), &exponent);
    const int unit = std::max(std::min(exponent, 128) - 24, -149);
    return static_cast<double>(std::ldexp(std::abs(finite(static_cast<long double>(got)) - finite(exact)), -unit));
}

float from_bits(uint32_t bits) {
    float f = 0;
    std::memcpy(&f, &bits, sizeof f);
    return f;
}

/// Finite ones: of each exponent the ends of the fractions, and some between; and many where functions have most of their
/// values.
row all_magnitudes(int in_each_range = 10000) {
    std::mt19937 random(29);
    row values;
    for (uint32_t exponent = 0; exponent < 255; ++exponent)
        for (const uint32_t sign : {0U, 0x80000000U}) {
            for (const uint32_t fraction : {0U, 1U, 0x400000U, 0x7FFFFEU, 0x7FFFFFU})
                values.push_back(static_cast<double>(from_bits(sign | exponent << 23 | fraction)));
            for (int k = 0; k < 6; ++k)
                values.push_back(static_cast<double>(from_bits(sign | exponent << 23 | random() % 0x800000U)));
        }
    for (const auto &[least, most] : {std::pair(-105.0, 90.0), std::pair(-1.0, 1.0), std::pair(0.5, 2.0)})
        for (int k = 0; k < in_each_range; ++k)
            values.push_back(round_to(data_type::f32, least + (most - least) * static_cast<double>(random()) * 0x1p-32));
    return values;
}

constexpr int64_t length = 100;

/// Rows of some elements, of which a part is zeros in front.
array in_rows(row values, size_t zeros) {
    const size_t a_row = static_cast<size_t>(length) - zeros;
    const size_t count = (values.size() + a_row - 1) / a_row;
    values.resize(count * a_row, 1);
    row spread;
    for (size_t r = 0; r < count; ++r) {
        spread.insert(spread.end(), zeros, 0);
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(r * a_row);
        spread.insert(spread.end(), first, first + static_cast<std::ptrdiff_t>(a_row));
    }
    return {data_type::f32, {static_cast<int64_t>(count), length}, spread};
}

void expect_within_4_units(const row &got, const row &src, long double (*exact)(long double x)) {
    ASSERT_EQ(got.size(), src.size());
    for (size_t i = 0; i < src.size(); ++i) {
        const long double y = exact(static_cast<long double>(src[i]));
        ASSERT_LE(units_between(got[i], y), 4) << "of " << src[i] << " it is " << got[i] << ", not " << y;
    }
}

constexpr const char *isas[] = {"AVX512_CORE_BF16", "AVX512_CORE", "AVX2", "SSE41", "SCALAR"};

/// y = f(x) is an output and reduced; (y - reduced) * y is another, so that it is not taken apart.
row of_elements(const function &f, op::kind reduction, axes_list axes, const array &src) {
    one_partition p(std::move(axes));
    const auto y = p.add(f.kind, {p.add_source(src)}, f.attrs());
    p.compile({y, p.add(op::kind::Multiply, {p.add(op::kind::Subtract, {y, p.add(reduction, {y})}), y})});
    return testing::Test::HasFatalFailure() ? row() : p.run()[0].values();
}

class fused_accuracy : public testing::TestWithParam<function> {};

TEST_P(fused_accuracy, of_elements_of_rows_and_columns) {
    const array src = in_rows(all_magnitudes(), 0);
    for (const char *isa : isas)
        for (const int64_t axis : {-1, 0}) {
            SCOPED_TRACE(testing::Message() << isa << ", axis " << axis);
            const setting capped("ONEFOLD_MAX_CPU_ISA", isa);
            expect_within_4_units(of_elements(GetParam(), op::kind::ReduceSum, {axis}, src), src.values(), GetParam().exact);
            if (HasFatalFailure()) return;
        }
}

/// Rows whose sums are not finite, or in doubt, go another way.
TEST_P(fused_accuracy, of_special_values_beside_others) {
    const row specials = {0.0, -0.0, infinity, -infinity, not_a_number, 0x1p-149, -0x1p-149, f32_max, -f32_max};
    row values;
    for (const double special : specials)
        for (size_t i = 0; i < static_cast<size_t>(length); ++i)
            values.push_back(i % 17 == 5 ? special : static_cast<double>(i) / 16 + 0.5);
    const array src = in_rows(values, 0);
    for (const char *isa : isas)
        for (const op::kind reduction : {op::kind::ReduceMax, op::kind::ReduceMean, op::kind::ReduceL2}) {
            const setting capped("ONEFOLD_MAX_CPU_ISA", isa);
            expect_within_4_units(of_elements(GetParam(), reduction, {-1}, src), values, GetParam().exact);
            if (HasFatalFailure()) return;
        }
}

/// One value a row is computed apart from the elements.
TEST_P(fused_accuracy, of_one_value_a_row) {
    row values = all_magnitudes(500);
    values.insert(values.end(), {0.0, -0.0, infinity, -infinity, not_a_number});
    const auto rows = static_cast<int64_t>(values.size());
    row spread;
    for (const double x : values)
        spread.insert(spread.end(), 64, x);
    for (const char *isa : isas) {
        const setting capped("ONEFOLD_MAX_CPU_ISA", isa);
        one_partition p;
        const auto x = p.add_source({data_type::f32, {rows, 64}, spread});
        const auto y = p.add(GetParam().kind, {p.add(op::kind::ReduceMax, {x})}, GetParam().attrs());
        const auto centred = p.add(op::kind::Subtract, {x, y});
        p.compile({y, p.add(op::kind::Subtract, {centred, p.add(op::kind::ReduceMean, {centred})})});
        if (HasFatalFailure()) return;
        expect_within_4_units(p.run()[0].values(), values, GetParam().exact);
        if (HasFatalFailure()) return;
    }
}

const function functions[] = {{"exp", op::kind::Exp, exponential},
                              {"log", op::kind::Log, logarithm},
                              {"sigmoid", op::kind::Sigmoid, sigmoid},
                              {"root", op::kind::Pow, root, 0.5F},
                              {"inverse_root", op::kind::Pow, inverse_root, -0.5F}};

INSTANTIATE_TEST_SUITE_P(all, fused_accuracy, testing::ValuesIn(functions),
                         [](const auto &one) { return std::string(one.param.name); });

/// The exponentials are an output beside their sum.
TEST(fused_accuracy_of_softmax, exponentials_of_what_is_not_above_the_maximum) {
    row below;
    for (const double x : all_magnitudes())
        below.push_back(-std::abs(x));
    below.insert(below.end(), {-0.0, -infinity, -infinity});
    const array src = in_rows(below, 1);
    for (const char *isa : isas) {
        const setting capped("ONEFOLD_MAX_CPU_ISA", isa);
        one_partition p;
        const auto x = p.add_source(src);
        const auto y = p.add(op::kind::Exp, {p.add(op::kind::Subtract, {x, p.add(op::kind::ReduceMax, {x})})});
        const auto sum = p.add(op::kind::ReduceSum, {y});
        p.compile({y, sum});
        if (HasFatalFailure()) return;
        // What the fill is, 1, is above 0, so that the last row is not expected to be as the others.
        row got = p.run()[0].values();
        row expected = src.values();
        got.resize(got.size() - static_cast<size_t>(length));
        expected.resize(got.size());
        expect_within_4_units(got, expected, exponential);
        if (HasFatalFailure()) return;
    }
}

/// A sum of one element that is not 0 is exact.
TEST(fused_accuracy_of_softmax, the_logarithm_of_a_sum) {
    const array src = in_rows(
        [] {
            row values;
            for (const double x : all_magnitudes())
                values.insert(values.end(), {x, 0});
            return values;
        }(),
        static_cast<size_t>(length) - 2);
    row sums;
    const row elements = src.values();
    for (size_t i = 0; i + 1 < elements.size(); i += static_cast<size_t>(length))
        sums.push_back(elements[i + static_cast<size_t>(length) - 2]);
    for (const char *isa : isas) {
        const setting capped("ONEFOLD_MAX_CPU_ISA", isa);
        one_partition p;
        const auto x = p.add_source(src);
        const auto y = p.add(op::kind::Log, {p.add(op::kind::ReduceSum, {x})});
        p.compile({y, p.add(op::kind::Subtract, {x, y})});
        if (HasFatalFailure()) return;
        expect_within_4_units(p.run()[0].values(), sums, logarithm);
        if (HasFatalFailure()) return;
    }
}

} // namespace
