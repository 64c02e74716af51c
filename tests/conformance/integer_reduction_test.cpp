// Reductions of integers of every type over rows and columns of many sizes, against sums in 128 bits and more.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

__extension__ using wide = __int128;
__extension__ using wide_unsigned = unsigned __int128;

/// Everything that a reduction may ask of the elements, exactly.
struct exact_total {
    wide sum = 0;
    wide magnitudes = 0;
    wide most = std::numeric_limits<int64_t>::min();
    wide least = std::numeric_limits<uint64_t>::max();
    uint64_t product = 1; // modulo 2^64
    wide_unsigned squares = 0;
    uint64_t squares_above = 0; // in units of 2^128

    void add(wide x) {
        sum += x;
        const wide magnitude = x < 0 ? -x : x;
        magnitudes += magnitude;
        product *= static_cast<uint64_t>(x);
        const auto square = static_cast<wide_unsigned>(magnitude) * static_cast<wide_unsigned>(magnitude);
        squares += square;
        squares_above += squares < square ? 1 : 0;
        most = std::max(most, x);
        least = std::min(least, x);
    }

    /// The root of the squares rounded down, a binary digit at a time.
    wide_unsigned root() const {
        wide_unsigned root = 0;
        wide_unsigned rest = 0;
        for (int place = 95; place >= 0; --place) {
            const auto pair = place >= 64 ? squares_above >> (2 * place - 128) : static_cast<uint64_t>(squares >> 2 * place);
            rest = rest << 2 | (pair & 3);
            const wide_unsigned trial = root << 2 | 1;
            root = root << 1 | (rest >= trial ? 1 : 0);
            rest -= rest >= trial ? trial : 0;
        }
        return root;
    }

    /// To be wrapped to the type.
    uint64_t result(op::kind kind, size_t count) const {
        switch (kind) {
        case op::kind::ReduceSum:
            return static_cast<uint64_t>(sum);
        case op::kind::ReduceMean:
            return static_cast<uint64_t>(sum / static_cast<wide>(count));
        case op::kind::ReduceProd:
            return product;
        case op::kind::ReduceL1:
            return static_cast<uint64_t>(magnitudes);
        case op::kind::ReduceL2:
            return static_cast<uint64_t>(root());
        case op::kind::ReduceSumSquare:
            return static_cast<uint64_t>(squares);
        default:
            return static_cast<uint64_t>(kind == op::kind::ReduceMax ? most : least);
        }
    }
};

uint64_t random_bits(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15U;
    i = (i ^ i >> 29) * 0xbf58476d1ce4e5b9U;
    return i ^ i >> 32;
}

enum class filling { random, lowest, highest, alternating, around_0, nearly_equal };
constexpr filling fillings[] = {filling::random,      filling::lowest,   filling::highest,
                                filling::alternating, filling::around_0, filling::nearly_equal};

/// Element `i` of those that make result `which`.
template <typename T>
T element_of(filling f, size_t which, size_t i, size_t count) {
    constexpr T lowest = std::numeric_limits<T>::lowest();
    constexpr T highest = std::numeric_limits<T>::max();
    switch (f) {
    case filling::lowest:
        return lowest;
    case filling::highest:
        return highest;
    case filling::alternating:
        return (which + i) % 2 ? lowest : highest;
    case filling::around_0:
        return static_cast<T>(random_bits(which * count + i) % 5 - (std::is_signed_v<T> ? 2 : 0));
    case filling::nearly_equal: // a sum that is a multiple of the count, but for 1: to be truncated
        return static_cast<T>(random_bits(which) ^ (i == which % count ? 1 : 0));
    default:
        return static_cast<T>(random_bits(which * count + i));
    }
}

/// A source of {outer, reduced, inner} or, without an inner dim, {outer, reduced}; with gaps between the elements or without.
struct layout {
    size_t outer, reduced, inner;
    bool has_gaps = false;

    dims shape() const {
        dims all = {static_cast<int64_t>(outer), static_cast<int64_t>(reduced), static_cast<int64_t>(inner)};
        if (inner == 1) all.pop_back();
        return all;
    }
    dims strides() const {
        dims all = row_major(shape());
        for (int64_t &stride : all)
            stride *= has_gaps ? 2 : 1;
        return all;
    }
};

std::string text_of(data_type type, const layout &l, filling f) {
    return std::string(name_of(type)) + testing::PrintToString(l.shape()) + (l.has_gaps ? " with gaps" : "") + " filling " +
           std::to_string(static_cast<int>(f));
}

template <typename T>
void check_typed(data_type type, const layout &l, filling f, const std::vector<op::kind> &kinds) {
    std::vector<array> srcs = {array::strided(type, l.shape(), l.strides())};
    auto *first = static_cast<T *>(srcs[0].data());
    std::vector<exact_total> totals(l.outer * l.inner);
    const int64_t gap = l.has_gaps ? 2 : 1;
    for (size_t o = 0, at = 0; o < l.outer; ++o)
        for (size_t r = 0; r < l.reduced; ++r)
            for (size_t k = 0; k < l.inner; ++k, ++at) {
                const size_t which = o * l.inner + k;
                const T x = element_of<T>(f, which, r, l.reduced);
                first[static_cast<int64_t>(at) * gap] = x;
                totals[which].add(x);
            }
    for (const op::kind kind : kinds) {
        const auto compiled = compile_op(kind, over({1}), describe(srcs), open_tensor(dst_id, type));
        array dst(type, compiled.query_logical_tensor(dst_id).get_dims());
        execute(compiled, srcs, dst);
        ASSERT_EQ(dst.count(), totals.size());
        ASSERT_TRUE(dst.gaps_are_untouched());
        const auto *results = static_cast<const T *>(dst.data());
        for (size_t i = 0; i < totals.size(); ++i)
            ASSERT_EQ(results[i], static_cast<T>(totals[i].result(kind, l.reduced)))
                << name_of(kind) << " of " << text_of(type, l, f) << ", result " << i;
    }
}

const std::vector<op::kind> all_kinds = {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceProd,
                                         op::kind::ReduceL1,  op::kind::ReduceL2,   op::kind::ReduceSumSquare,
                                         op::kind::ReduceMax, op::kind::ReduceMin};
const std::vector<op::kind> exact_kinds = {op::kind::ReduceMean, op::kind::ReduceL2};

class integer_reduction : public testing::TestWithParam<data_type> {
protected:
    static void check(const layout &l, const std::vector<op::kind> &kinds, std::initializer_list<filling> some) {
        for (const filling f : some)
            visit_plain_type(GetParam(), [&](auto zero) {
                if constexpr (std::is_integral_v<decltype(zero)>) check_typed<decltype(zero)>(GetParam(), l, f, kinds);
            });
    }
    static void check_all(const layout &l) {
        for (const filling f : fillings)
            check(l, all_kinds, {f});
    }
};

TEST_P(integer_reduction, of_rows) {
    for (const size_t length : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 16U, 49U, 64U, 1000U})
        for (const bool has_gaps : {false, true})
            check_all({21, length, 1, has_gaps});
    check({600, 8, 1}, all_kinds, {filling::random});
    check({1, 70001, 1}, all_kinds, {filling::random});
}

TEST_P(integer_reduction, of_columns) {
    for (const size_t width : {1U, 3U, 64U, 65U, 130U, 2100U})
        for (const size_t rows : {3U, 8U, 17U, 100U})
            check_all({1, rows, width});
    for (const size_t width : {1U, 3U, 64U, 65U, 130U})
        check({1, 4099, width}, all_kinds, {filling::random, filling::lowest, filling::alternating});
    check({1, 4099, 2100}, {op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceMax}, {filling::random});
    check_all({5, 17, 33});
    check({2, 100, 70, true}, all_kinds, {filling::random});
}

TEST_P(integer_reduction, of_more_than_2_to_the_17) {
    for (const size_t count : {131071U, 131072U, 131073U})
        for (const filling f : {filling::random, filling::nearly_equal, filling::around_0})
            check({1, count, 9}, exact_kinds, {f});
    for (const size_t count : {131072U, 131073U})
        check({9, count, 1}, exact_kinds, {filling::random, filling::nearly_equal, filling::lowest});
}

INSTANTIATE_TEST_SUITE_P(all, integer_reduction, testing::ValuesIn(integer_types),
                         [](const auto &one) { return std::string(name_of(one.param)); });

} // namespace
