// Maxima and minima: NaN wins wherever it stands, -0 < +0, and nothing but infinities is an infinity.
#include "support/bits.hpp"
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr op::kind reduction_extremes[] = {op::kind::ReduceMax, op::kind::ReduceMin};

TEST(extreme, nan_wins_at_every_position_of_a_row) {
    for (const data_type type : every_float_type)
        for (const size_t length : std::vector<size_t>{1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129})
            for (size_t at = 0; at < length; ++at) {
                // Row 0 has none, row 1 has one, row 2 nothing else.
                std::vector<double> values(3 * length, 1);
                values[length + at] = not_a_number;
                std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(2 * length), length, not_a_number);
                const array src(type, {3, static_cast<int64_t>(length)}, values);
                for (const op::kind kind : reduction_extremes)
                    ASSERT_TRUE(are_identical(reduce(kind, src, {1}).values(), {1, not_a_number, not_a_number}))
                        << name_of(kind) << " of " << name_of(type) << ", " << at << " of " << length;
            }
}

TEST(extreme, nan_wins_at_every_position_of_a_column) {
    for (const data_type type : every_float_type)
        for (const size_t columns : std::vector<size_t>{1, 5, 16, 37})
            for (const size_t length : std::vector<size_t>{2, 7, 8, 9, 17})
                for (size_t at = 0; at < length * columns; ++at) {
                    std::vector<double> values(length * columns, -2);
                    values[at] = not_a_number;
                    std::vector<double> expected(columns, -2);
                    expected[at % columns] = not_a_number;
                    const array src(type, {static_cast<int64_t>(length), static_cast<int64_t>(columns)}, values);
                    for (const op::kind kind : reduction_extremes)
                        ASSERT_TRUE(are_identical(reduce(kind, src, {0}).values(), expected))
                            << name_of(kind) << " of " << name_of(type) << ", " << at << " of " << length << "x" << columns;
                }
}

/// One NaN after the other, each in a share of its own, in a source that is reduced over `axis`.
void check_every_share(data_type type, const dims &shape, int64_t axis) {
    const size_t length = count_of(shape);
    const array clean(type, shape, random_values(type, length, 21));
    const uint64_t nan = nans_of(type).back();
    for (const op::kind kind : reduction_extremes) {
        const auto compiled = compile_op(kind, over({axis}), {clean.describe(0)}, open_tensor(dst_id, type));
        array dst(type, compiled.query_logical_tensor(dst_id).get_dims());
        std::vector<array> srcs = {clean};
        execute(compiled, srcs, dst);
        const std::vector<double> finite = dst.values();
        EXPECT_TRUE(are_identical(finite, expect_reduction(kind, clean.values(), shape, {axis}).value));
        for (size_t at = 0; at < length; at += 9973) {
            srcs[0] = clean;
            set_bits(srcs[0], at, nan);
            execute(compiled, srcs, dst);
            std::vector<double> expected = finite;
            expected[shape.size() == 1 ? 0 : at % static_cast<size_t>(shape[1])] = not_a_number;
            ASSERT_TRUE(are_identical(dst.values(), expected)) << name_of(kind) << " of " << name_of(type) << " at " << at;
        }
    }
}

TEST(extreme, nan_wins_in_every_share_of_a_long_row) {
    for (const data_type type : every_float_type)
        check_every_share(type, {300001}, 0);
}

TEST(extreme, nan_wins_in_every_share_of_columns) {
    for (const data_type type : every_float_type)
        for (const dims &shape : {dims{50001, 5}, dims{401, 701}})
            check_every_share(type, shape, 0);
}

TEST(extreme, a_signalling_or_negative_nan_is_a_nan) {
    for (const data_type type : every_float_type)
        for (const uint64_t bits : nans_of(type))
            for (const size_t at : std::vector<size_t>{0, 5, 16, 19, 37, 70}) {
                array src(type, {71}, std::vector<double>(71, 3));
                set_bits(src, at, bits);
                const auto as = [&](const dims &shape) {
                    array same(type, shape);
                    std::memcpy(same.data(), src.data(), src.count() * size_of(type));
                    return same;
                };
                std::vector<double> one_is_nan(71, 3);
                one_is_nan[at] = not_a_number;
                const array threes(type, {71}, std::vector<double>(71, 3));
                for (const op::kind kind : reduction_extremes) {
                    EXPECT_TRUE(std::isnan(reduce(kind, src, {0}).values()[0])) << name_of(type) << std::hex << bits;
                    EXPECT_TRUE(std::isnan(reduce(kind, as({71, 1}), {0}).values()[0])) << name_of(type) << std::hex << bits;
                    EXPECT_TRUE(are_identical(reduce(kind, as({1, 71}), {0}).values(), one_is_nan)) << name_of(type);
                }
                for (const op::kind kind : {op::kind::Maximum, op::kind::Minimum, op::kind::Max, op::kind::Min}) {
                    EXPECT_TRUE(are_identical(run(kind, {}, {src, threes}).values(), one_is_nan)) << name_of(kind);
                    EXPECT_TRUE(are_identical(run(kind, {}, {threes, src}).values(), one_is_nan)) << name_of(kind);
                }
            }
}

TEST(extreme, nan_wins_between_two) {
    const std::vector<double> specials = {not_a_number, 1, -1, infinity, -infinity, 0, -0.0};
    for (const data_type type : every_float_type)
        for (const op::kind kind : {op::kind::Maximum, op::kind::Minimum})
            for (const double other : specials)
                for (const bool first : {false, true}) {
                    // 19 elements: whole vectors and a tail.
                    const array nans(type, {19}, std::vector<double>(19, not_a_number));
                    const array others(type, {19}, std::vector<double>(19, other));
                    const array dst = first ? run(kind, {}, {nans, others}) : run(kind, {}, {others, nans});
                    EXPECT_TRUE(are_identical(dst.values(), std::vector<double>(19, not_a_number)))
                        << name_of(kind) << " " << other;
                }
}

TEST(extreme, zeros_have_an_order) {
    const std::vector<double> a = {0, -0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0};
    const std::vector<double> b = {-0.0, 0, 0, -0.0, -0.0, 0, 0, -0.0, -0.0, 0, 0, -0.0, -0.0, 0, 0, -0.0, -0.0, 0, 0};
    std::vector<double> most(a.size());
    std::vector<double> least(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
        most[i] = std::signbit(a[i]) && std::signbit(b[i]) ? -0.0 : 0.0;
        least[i] = std::signbit(a[i]) || std::signbit(b[i]) ? -0.0 : 0.0;
    }
    for (const data_type type : every_float_type) {
        const array x(type, {19}, a);
        const array y(type, {19}, b);
        EXPECT_TRUE(are_identical(run(op::kind::Maximum, {}, {x, y}).values(), most)) << name_of(type);
        EXPECT_TRUE(are_identical(run(op::kind::Minimum, {}, {x, y}).values(), least)) << name_of(type);
    }
}

TEST(extreme, zeros_have_an_order_at_every_position) {
    for (const data_type type : every_float_type)
        for (const int64_t length : {2, 3, 16, 17, 33, 70})
            for (int64_t at = 0; at < length; ++at)
                for (const bool columns : {false, true}) {
                    std::vector<double> values(static_cast<size_t>(length), -0.0);
                    values[static_cast<size_t>(at)] = 0;
                    for (double &value : values) // max of -0s and one +0 is +0; min of +0s and one -0 is -0
                        value = -value;
                    const dims shape = columns ? dims{length, 1} : dims{1, length};
                    const axes_list axis = {columns ? 0 : 1};
                    ASSERT_TRUE(are_identical(reduce(op::kind::ReduceMin, array(type, shape, values), axis).values(), {-0.0}));
                    for (double &value : values)
                        value = -value;
                    ASSERT_TRUE(are_identical(reduce(op::kind::ReduceMax, array(type, shape, values), axis).values(), {0.0}));
                }
}

TEST(extreme, of_only_infinities_is_an_infinity) {
    for (const data_type type : every_float_type)
        for (const int64_t length : {1, 5, 16, 40, 1000}) {
            const std::vector<double> lowest(static_cast<size_t>(2 * length), -infinity);
            const std::vector<double> highest(static_cast<size_t>(2 * length), infinity);
            for (const axes_list &axes : {axes_list{0}, axes_list{1}, axes_list{0, 1}}) {
                const array low(type, {2, length}, lowest);
                for (const double result : reduce(op::kind::ReduceMax, low, axes).values())
                    EXPECT_EQ(result, -infinity);
                for (const double result : reduce(op::kind::ReduceMin, array(type, {2, length}, highest), axes).values())
                    EXPECT_EQ(result, infinity);
            }
        }
}

TEST(extreme, of_finite_values_is_one_of_them) {
    for (const data_type type : every_float_type) {
        const std::vector<double> values = random_values(type, 37 * 41, 22);
        const array src(type, {37, 41}, values);
        for (const op::kind kind : reduction_extremes)
            for (const axes_list &axes : {axes_list{0}, axes_list{1}, axes_list{0, 1}}) {
                const expected_tensor expected = expect_reduction(kind, src.values(), src.shape(), axes);
                EXPECT_TRUE(are_identical(reduce(kind, src, axes).values(), expected.value));
            }
        const array lowest(type, {5}, std::vector<double>(5, -largest_of(type)));
        EXPECT_EQ(reduce(op::kind::ReduceMax, lowest, {0}).values()[0], -largest_of(type));
    }
}

} // namespace
