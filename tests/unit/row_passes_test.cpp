// Row programs over rows that do not fit in cache, on every ISA: against f64, and with several threads.
#include <functional>
#include <random>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "compile/row_instructions.hpp"
#include "simd/row_program_step.hpp"
#include "support/array.hpp"

using namespace onefold::impl;
using onefold_test::array;
using onefold_test::infinity;
using onefold_test::not_a_number;

namespace {

using row = std::vector<double>;

double mean_of(const row &x) {
    long double sum = 0;
    for (const double value : x)
        sum += value;
    return static_cast<float>(sum / static_cast<long double>(x.size()));
}

row less(const row &x, double centre) {
    row result;
    for (const double value : x)
        result.push_back(value - centre);
    return result;
}

double variance_of(const row &x) {
    row squares = less(x, mean_of(x));
    for (double &value : squares)
        value *= value;
    return mean_of(squares);
}

/// A NaN is larger than all.
double maximum_of(const row &x) {
    return *std::max_element(x.begin(), x.end(), [](double a, double b) { return !std::isnan(a) && (std::isnan(b) || a < b); });
}

double sum_of_exponentials(const row &x) {
    long double sum = 0;
    for (const double value : less(x, maximum_of(x)))
        sum += std::exp(value);
    return static_cast<double>(sum);
}

/// A program over one source, and what its one output is for a row: as many values as elements, or one.
struct row_function {
    const char *name;
    std::function<size_t(row_instructions &, size_t src)> build;
    bool has_elements;
    std::function<row(const row &)> reference;
};

void PrintTo(const row_function &f, std::ostream *out) { *out << f.name; }

size_t deviations(row_instructions &made, size_t src) {
    return made.binary(onefold_op_subtract, src, made.reduce(onefold_op_reduce_mean, src));
}
size_t variance(row_instructions &made, size_t src) {
    return made.reduce(onefold_op_reduce_mean, made.unary(onefold_op_square, {}, deviations(made, src)));
}
size_t shifted(row_instructions &made, size_t src) {
    return made.binary(onefold_op_subtract, src, made.reduce(onefold_op_reduce_max, src));
}

const row_function functions[] = {
    {"variance", variance, false, [](const row &x) { return row{variance_of(x)}; }},
    {"variance_of_negated",
     [](row_instructions &made, size_t src) {
         const size_t mean = made.reduce(onefold_op_reduce_mean, src);
         return made.reduce(onefold_op_reduce_mean, made.binary(onefold_op_squared_difference, mean, src));
     },
     false, [](const row &x) { return row{variance_of(x)}; }},
    {"standardization",
     [](row_instructions &made, size_t src) {
         return made.binary(onefold_op_divide, deviations(made, src), made.unary(onefold_op_sqrt, {}, variance(made, src)));
     },
     true,
     [](const row &x) {
         row result = less(x, mean_of(x));
         const double deviation = std::sqrt(variance_of(x));
         for (double &value : result)
             value /= deviation;
         return result;
     }},
    {"softmax",
     [](row_instructions &made, size_t src) {
         const size_t exponentials = made.unary(onefold_op_exp, {}, shifted(made, src));
         return made.binary(onefold_op_divide, exponentials, made.reduce(onefold_op_reduce_sum, exponentials));
     },
     true,
     [](const row &x) {
         row result = less(x, maximum_of(x));
         const double sum = sum_of_exponentials(x);
         for (double &value : result)
             value = std::exp(value) / sum;
         return result;
     }},
    {"log_softmax",
     [](row_instructions &made, size_t src) {
         const size_t below = shifted(made, src);
         const size_t sum = made.reduce(onefold_op_reduce_sum, made.unary(onefold_op_exp, {}, below));
         return made.binary(onefold_op_subtract, below, made.unary(onefold_op_log, {}, sum));
     },
     true, [](const row &x) { return less(less(x, maximum_of(x)), std::log(sum_of_exponentials(x))); }},
};

/// Loop dims, which of them are reduced, and the source's strides.
struct shape {
    dims sizes;
    std::vector<bool> reduced;
    dims strides;

    dims kept() const {
        dims d = sizes;
        for (size_t i = 0; i < d.size(); ++i)
            if (reduced[i]) d[i] = 1;
        return d;
    }
    /// Of each element in row-major order: the row that it belongs to.
    std::vector<size_t> rows() const {
        dims to_row(sizes.size(), 0);
        int64_t next = 1;
        for (size_t i = sizes.size(); i-- > 0;)
            if (!reduced[i]) to_row[i] = std::exchange(next, next * sizes[i]);
        std::vector<size_t> rows(onefold_test::count_of(sizes));
        onefold_test::for_each_element(sizes, to_row, [&](size_t i, int64_t at) { rows[i] = static_cast<size_t>(at); });
        return rows;
    }
};

const shape shapes[] = {
    {{1, 300007}, {false, true}, {300007, 1}},
    {{3, 140001}, {false, true}, {140001, 1}},
    {{2, 300, 501}, {false, true, true}, {180600, 600, 1}},
    {{140001, 3}, {true, false}, {3, 1}},
    {{2, 70001, 5}, {false, true, false}, {350005, 5, 1}},
    {{300007, 1}, {true, false}, {2, 1}},
};

dims strides_of(const array &a) {
    dims strides = a.strides();
    for (size_t i = 0; i < strides.size(); ++i)
        if (a.shape()[i] == 1) strides[i] = 0;
    return strides;
}

array run(const row_function &f, const shape &s, array &src, const simd::isa &on, int threads) {
    row_instructions made;
    std::vector<size_t> values = {f.build(made, made.load(0, true))};
    array dst(onefold_test::data_type::f32, f.has_elements ? s.sizes : s.kept());
    row_program p;
    p.space = {s.sizes, s.reduced};
    p.inputs.push_back({0, static_cast<data_type>(src.type()), strides_of(src)});
    p.instructions = made.finish(values);
    p.outputs.push_back({values[0], {1, onefold_f32, strides_of(dst)}});
    const auto step = simd::make_row_program_step(p, on);
    std::byte *buffers[] = {static_cast<std::byte *>(src.data()), static_cast<std::byte *>(dst.data())};
    std::vector<std::byte> scratch(step->scratch_bytes() + 64);
    auto *aligned = scratch.data() + (64 - reinterpret_cast<uintptr_t>(scratch.data()) % 64);
    tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
    tbb::task_arena arena(threads);
    arena.execute([&] { step->run(buffers, aligned, executor()); });
    EXPECT_TRUE(dst.gaps_are_untouched());
    return dst;
}

/// `tolerance`: relative to 1 and the value.
void check_on(const row_function &f, const shape &s, array &src, double tolerance, const simd::isa &on) {
    SCOPED_TRACE(testing::Message() << f.name << " of " << testing::PrintToString(s.sizes) << " "
                                    << onefold_test::name_of(src.type()) << " on " << on.name);
    const array dst = run(f, s, src, on, 1);
    for (const int threads : {2, 3})
        EXPECT_TRUE(run(f, s, src, on, threads).memory() == dst.memory()) << threads << " threads";
    const row elements = src.values();
    const std::vector<size_t> rows = s.rows();
    std::vector<row> of_rows(onefold_test::count_of(s.kept()));
    for (size_t i = 0; i < elements.size(); ++i)
        of_rows[rows[i]].push_back(elements[i]);
    for (row &x : of_rows)
        x = f.reference(x);
    const row got = dst.values();
    std::vector<size_t> next(of_rows.size(), 0);
    for (size_t i = 0; i < got.size(); ++i) {
        const size_t r = f.has_elements ? rows[i] : i;
        const double expected = static_cast<float>(of_rows[r][next[r]++]);
        ASSERT_TRUE(
            onefold_test::is_within(onefold_test::data_type::f32, got[i], expected, tolerance * (1 + std::abs(expected))))
            << "element " << i << " is " << got[i] << ", not " << expected;
    }
}

void check(const row_function &f, const shape &s, array &src, double tolerance) {
    for (const simd::isa &on : simd::usable_isas())
        check_on(f, s, src, tolerance, on);
}

/// About 0 with deviation 1, but for a slow change by `drift` from the first element in memory to the last.
row random_values(const shape &s, double drift) {
    std::mt19937 random(17);
    std::normal_distribution<double> normal;
    row values(onefold_test::count_of(s.sizes));
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = normal(random) + drift * static_cast<double>(i) / static_cast<double>(values.size());
    return values;
}

TEST(row_passes, are_near_f64_in_any_type_and_layout) {
    for (const shape &s : shapes)
        for (const auto type : onefold_test::float_types) {
            array src(type, s.sizes, random_values(s, 3), s.strides);
            for (const row_function &f : functions)
                check_on(f, s, src, 4e-6, simd::usable_isas()[0]);
        }
}

TEST(row_passes, are_near_f64_on_every_isa) {
    for (const shape &s : {shapes[1], shapes[4]}) {
        array src(onefold_test::data_type::bf16, s.sizes, random_values(s, 3), s.strides);
        for (const row_function &f : functions)
            check(f, s, src, 4e-6);
    }
}

TEST(row_passes, bear_a_large_offset) {
    for (const shape &s : {shapes[0], shapes[2], shapes[3]}) {
        row values = random_values(s, 2);
        for (double &value : values)
            value += 1e6;
        array src(onefold_test::data_type::f32, s.sizes, values, s.strides);
        // The mean is known to a sixteenth.
        check(functions[0], s, src, 0x1p-8);
        check(functions[1], s, src, 0x1p-8);
    }
}

/// The values of the first row's first 65536 elements and more, or of elements 100000 to 100003 of it, are others.
class row_passes_extremes : public testing::TestWithParam<row_function> {
protected:
    void check_with(double value, bool in_a_whole_block) {
        for (const shape &s : {shapes[1], shapes[3]}) {
            row values = random_values(s, 3);
            const std::vector<size_t> rows = s.rows();
            size_t in_row = 0;
            for (size_t i = 0; i < values.size(); ++i) {
                if (rows[i] != 0) continue;
                const bool is_other = in_a_whole_block ? in_row < 70000 : in_row >= 100000 && in_row < 100004;
                ++in_row;
                if (is_other) values[i] = value;
            }
            array src(onefold_test::data_type::f32, s.sizes, values, s.strides);
            check_on(GetParam(), s, src, 4e-6, simd::usable_isas()[0]);
        }
    }
};

TEST_P(row_passes_extremes, a_nan) { check_with(not_a_number, false); }
TEST_P(row_passes_extremes, infinity_in_places) { check_with(infinity, false); }
TEST_P(row_passes_extremes, negative_infinity_in_places) { check_with(-infinity, false); }
TEST_P(row_passes_extremes, a_block_of_negative_infinity) { check_with(-infinity, true); }
TEST_P(row_passes_extremes, a_block_of_infinity) { check_with(infinity, true); }
TEST_P(row_passes_extremes, huge_values_in_places) { check_with(1e38, false); }
TEST_P(row_passes_extremes, a_block_of_huge_values) { check_with(1e38, true); }
TEST_P(row_passes_extremes, a_block_of_huge_negative_values) { check_with(-3e38, true); }

INSTANTIATE_TEST_SUITE_P(all, row_passes_extremes, testing::ValuesIn(functions),
                         [](const auto &one) { return one.param.name; });

TEST(row_passes, a_sum_of_huge_values_may_leave_the_range) {
    const shape &s = shapes[1];
    array src(onefold_test::data_type::f32, s.sizes, row(onefold_test::count_of(s.sizes), 3e38), s.strides);
    check(functions[0], s, src, 0);
}

TEST(row_passes, equal_values_have_no_variance) {
    for (const double value : {0.1, 3.7, -1e-20}) {
        const shape &s = shapes[0];
        array src(onefold_test::data_type::f32, s.sizes, row(onefold_test::count_of(s.sizes), value), s.strides);
        check(functions[0], s, src, 1e-12);
    }
}

} // namespace
