// Maxima and minima by every way that a kernel may take: alone and with ops fused around them, which decides in what type they
// are compared; with gaps; of any number of sources; of every pattern of 16 bits.
#include <functional>

#include "support/bits.hpp"
#include "support/chain.hpp"
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr op::kind reduction_extremes[] = {op::kind::ReduceMax, op::kind::ReduceMin};

struct ways_case {
    dims shape;
    int64_t axis;
    bool has_gaps;
};

const ways_case ways_cases[] = {{{3, 2}, 1, false},  {{3, 4}, 1, false},   {{9, 7}, 1, false},   {{20, 8}, 1, false},
                                {{3, 33}, 1, false}, {{3, 100}, 1, false}, {{2, 3}, 0, false},   {{8, 33}, 0, false},
                                {{9, 70}, 0, false}, {{33, 3}, 0, false},  {{17, 40}, 0, false}, {{3, 7}, 1, true},
                                {{3, 33}, 1, true},  {{8, 33}, 0, true},   {{17, 40}, 0, true},  {{1, 45}, 1, false},
                                {{600, 1}, 0, false}};

/// A filler everywhere, but for one element of each result.
constexpr std::pair<double, double> fillers[] = {
    {1, not_a_number}, {-infinity, not_a_number}, {-0.0, 0.0},      {0.0, -0.0}, {-infinity, 1}, {infinity, 1},
    {-1, infinity},    {-1, -infinity},           {not_a_number, 1}};

void check_fillers(const std::vector<chain_link> &links, op::kind kind, data_type type, const ways_case &c) {
    const int64_t gap = c.has_gaps ? 2 : 1;
    std::vector<array> srcs = {array::strided(type, c.shape, {gap * c.shape[1] + gap - 1, gap}), array(type, {1}, {1})};
    if (links.size() == 1) srcs.pop_back();
    const auto compiled = compile_chain(links, srcs);
    array dst(type, compiled.query_logical_tensor(dst_id).get_dims());
    const auto rows = static_cast<size_t>(c.shape[0]);
    const auto columns = static_cast<size_t>(c.shape[1]);
    const size_t length = c.axis == 0 ? rows : columns;
    const size_t step = length > 100 ? 31 : 1;
    for (const auto &[filler, special] : fillers)
        for (size_t at = 0; at < length; at += step) {
            std::vector<double> values(rows * columns, filler);
            for (size_t k = 0; k < values.size() / length; ++k)
                values[c.axis == 0 ? (at + k) % rows * columns + k : k * columns + (at + k) % columns] = special;
            srcs[0].set(values);
            execute(compiled, srcs, dst);
            ASSERT_TRUE(are_identical(dst.values(), expect_reduction(kind, values, c.shape, {c.axis}).value))
                << name_of(kind) << " of " << name_of(type) << testing::PrintToString(c.shape) << " over " << c.axis << ": "
                << special << " at " << at << " among " << filler << ", ops " << links.size();
        }
}

TEST(extreme, of_special_values_by_every_way) {
    for (const data_type type : every_float_type)
        for (const ways_case &c : ways_cases)
            for (const op::kind kind : reduction_extremes) {
                const chain_link reduction = {kind, over({c.axis})};
                const chain_link by_1 = {op::kind::Multiply, {}, 1};
                for (const std::vector<chain_link> &links :
                     {std::vector<chain_link>{reduction}, {reduction, by_1}, {by_1, reduction}, {by_1, reduction, by_1}})
                    check_fillers(links, kind, type, c);
            }
}

op::kind reduction_over_sources(op::kind kind) {
    switch (kind) {
    case op::kind::Max:
        return op::kind::ReduceMax;
    case op::kind::Min:
        return op::kind::ReduceMin;
    case op::kind::Mean:
        return op::kind::ReduceMean;
    default:
        return op::kind::ReduceSum;
    }
}

/// Whether dst is what the op makes of the sources, element by element.
void check_nary(op::kind kind, const std::vector<array> &srcs) {
    const data_type type = srcs[0].type();
    const auto got = run(kind, {}, srcs).values();
    std::vector<std::vector<double>> values;
    for (const array &src : srcs)
        values.push_back(src.values());
    const double unit = type == data_type::f64 ? 0x1p-29 : 1; // of f32's
    for (size_t i = 0; i < got.size(); ++i) {
        gathered expected{reduction_over_sources(kind), {}};
        for (const auto &value : values)
            expected.add(value[i]);
        const double exact = expected.result(srcs.size());
        const bool is_extreme = kind == op::kind::Max || kind == op::kind::Min;
        ASSERT_TRUE(is_extreme ? is_identical(got[i], exact)
                               : is_within(type, got[i], exact, unit * expected.error(srcs.size())))
            << name_of(kind) << " of " << srcs.size() << " in " << name_of(type) << ": element " << i << " is " << got[i]
            << ", not " << exact;
    }
}

/// In source `which` every third element is special.
std::vector<array> sources_with(data_type type, size_t number, size_t which, double filler, double special, int64_t stride) {
    const size_t count = number < 8 ? 301 : 75;
    std::vector<array> srcs;
    for (size_t k = 0; k < number; ++k) {
        std::vector<double> values(count, filler);
        for (size_t i = which % 3; i < count && k == which; i += 3)
            values[i] = special;
        srcs.emplace_back(type, dims{static_cast<int64_t>(count)}, values, dims{k % 2 ? stride : 1});
    }
    return srcs;
}

TEST(extreme, special_values_in_every_source) {
    for (const data_type type : every_float_type)
        for (const size_t number : {2U, 3U, 8U, 9U})
            for (size_t which = 0; which < number; ++which)
                for (const auto &[filler, special] : fillers)
                    for (const op::kind kind : {op::kind::Max, op::kind::Min, op::kind::Mean, op::kind::Sum})
                        check_nary(kind, sources_with(type, number, which, filler, special, which % 2 ? 3 : 1));
}

TEST(extreme, every_nan_in_every_source) {
    for (const data_type type : every_float_type)
        for (const size_t number : {2U, 3U, 8U, 9U})
            for (size_t which = 0; which < number; ++which) {
                std::vector<array> srcs = sources_with(type, number, 0, 2, 2, 1);
                const auto nans = nans_of(type);
                for (size_t i = 0; i < srcs[which].count(); i += 2)
                    set_bits(srcs[which], i, nans[i / 2 % nans.size()]);
                for (const op::kind kind : {op::kind::Max, op::kind::Min, op::kind::Mean, op::kind::Sum})
                    check_nary(kind, srcs);
            }
}

/// A plain extreme: NaN wins, -0 < +0.
double extreme_of(bool is_max, double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return not_a_number;
    if (a == b) return std::signbit(a) == is_max ? b : a;
    return (a > b) == is_max ? a : b;
}

constexpr size_t patterns = 65536;

std::vector<double> value_of_every_pattern(data_type type) {
    std::vector<double> values(patterns);
    for (size_t bits = 0; bits < patterns; ++bits) {
        const auto pattern = static_cast<uint16_t>(bits);
        values[bits] = load(type, &pattern);
    }
    return values;
}

array of_patterns(data_type type, const dims &shape, const std::function<size_t(size_t)> &pattern) {
    array a(type, shape);
    auto *elements = static_cast<uint16_t *>(a.data());
    for (size_t i = 0; i < a.count(); ++i)
        elements[i] = static_cast<uint16_t>(pattern(i));
    return a;
}

void check_patterns(array got, const std::vector<double> &value, const std::vector<double> &expected) {
    const auto *elements = static_cast<const uint16_t *>(got.data());
    ASSERT_EQ(got.count(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_TRUE(is_identical(value[elements[i]], expected[i]))
            << "result " << i << " is " << value[elements[i]] << ", not " << expected[i];
}

TEST(extreme, of_every_pattern_of_16_bits_and_another) {
    constexpr size_t others[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01,
                                 0x7e00, 0xfe00, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0xff81, 0x7fff, 0xffff};
    for (const data_type type : {data_type::bf16, data_type::f16}) {
        const auto value = value_of_every_pattern(type);
        const array every = of_patterns(type, {patterns}, [](size_t i) { return i; });
        for (const size_t other : others)
            for (const bool is_max : {false, true}) {
                SCOPED_TRACE(std::string(name_of(type)) + (is_max ? " max with " : " min with ") + std::to_string(other));
                std::vector<double> expected(patterns);
                for (size_t i = 0; i < patterns; ++i)
                    expected[i] = extreme_of(is_max, value[i], value[other]);
                const op::kind kind = is_max ? op::kind::ReduceMax : op::kind::ReduceMin;
                const auto columns = of_patterns(type, {2, patterns}, [&](size_t i) { return i < patterns ? i : other; });
                check_patterns(reduce(kind, columns, {0}), value, expected);
                const auto rows = of_patterns(type, {patterns, 2}, [&](size_t i) { return i % 2 ? i / 2 : other; });
                check_patterns(reduce(kind, rows, {1}), value, expected);
                const array one = of_patterns(type, {patterns}, [&](size_t) { return other; });
                check_patterns(run(is_max ? op::kind::Maximum : op::kind::Minimum, {}, {every, one}), value, expected);
                check_patterns(run(is_max ? op::kind::Max : op::kind::Min, {}, {one, every}), value, expected);
            }
    }
}

void check_rows_and_columns(array src, bool is_max, const std::vector<double> &value) {
    const auto rows = static_cast<size_t>(src.shape()[0]);
    const auto columns = static_cast<size_t>(src.shape()[1]);
    const auto *elements = static_cast<const uint16_t *>(src.data());
    std::vector<double> of_rows(rows, is_max ? -infinity : infinity);
    std::vector<double> of_columns(columns, is_max ? -infinity : infinity);
    for (size_t i = 0; i < src.count(); ++i) {
        double &of_row = of_rows[i / columns];
        double &of_column = of_columns[i % columns];
        of_row = extreme_of(is_max, of_row, value[elements[i]]);
        of_column = extreme_of(is_max, of_column, value[elements[i]]);
    }
    const op::kind kind = is_max ? op::kind::ReduceMax : op::kind::ReduceMin;
    check_patterns(reduce(kind, src, {1}), value, of_rows);
    check_patterns(reduce(kind, src, {0}), value, of_columns);
}

TEST(extreme, of_every_pattern_of_16_bits_in_rows_and_columns) {
    for (const data_type type : {data_type::bf16, data_type::f16}) {
        const auto value = value_of_every_pattern(type);
        const size_t positive = type == data_type::bf16 ? 0x7f81 : 0x7c01; // patterns without a NaN: 0 to infinity
        const auto in_order = of_patterns(type, {512, 128}, [](size_t i) { return i; });
        const auto in_disorder =
            of_patterns(type, {512, 128}, [&](size_t i) { return i * 40503 % positive + (i % 3 ? 0x8000 : 0); });
        const auto all_negative = of_patterns(type, {128, 512}, [&](size_t i) { return 0x8000 + i * 40503 % positive; });
        for (const bool is_max : {false, true})
            for (const array &src : {in_order, in_disorder, all_negative})
                check_rows_and_columns(src, is_max, value);
    }
}

} // namespace
