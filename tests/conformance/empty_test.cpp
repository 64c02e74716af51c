// Dims of size 0.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

double value_of_nothing(op::kind kind) {
    switch (kind) {
    case op::kind::ReduceProd:
        return 1;
    case op::kind::ReduceMean:
        return not_a_number;
    case op::kind::ReduceMax:
        return -infinity;
    case op::kind::ReduceMin:
        return infinity;
    default:
        return 0;
    }
}

TEST(empty, reducing_nothing_gives_the_value_of_nothing) {
    struct empty_case {
        dims src;
        axes_list axes;
        dims dst;
    };
    const empty_case cases[] = {
        {{0}, {0}, {}},           {{3, 0}, {1}, {3}},       {{0, 5}, {0}, {5}},   {{2, 0, 3}, {1}, {2, 3}},
        {{2, 0, 3}, {1, 2}, {2}}, {{4, 0, 0}, {1, 2}, {4}}, {{0, 4}, {0, 1}, {}}, {{0, 3, 0, 2}, {0, 2}, {3, 2}},
    };
    for (const op::kind kind : reductions)
        for (const data_type type : float_types)
            for (const empty_case &c : cases)
                for (const bool keep_dims : {false, true}) {
                    SCOPED_TRACE(name_of(kind) + " of " + name_of(type) + testing::PrintToString(c.src));
                    const array dst = reduce(kind, array(type, c.src), c.axes, keep_dims);
                    EXPECT_EQ(dst.shape(), keep_dims ? expect_reduction(kind, {}, c.src, c.axes, true).shape : c.dst);
                    const size_t count = count_of(c.dst);
                    EXPECT_TRUE(are_identical(dst.values(), std::vector<double>(count, value_of_nothing(kind))));
                }
}

TEST(empty, reducing_nothing_into_many) {
    // More results than one vector, one tile, one thread's share.
    for (const op::kind kind : reductions)
        for (const data_type type : float_types) {
            const array dst = reduce(kind, array(type, {0, 100003}), {0});
            EXPECT_TRUE(are_identical(dst.values(), std::vector<double>(100003, value_of_nothing(kind)))) << name_of(kind);
        }
}

/// Of integers, the mean is 0 and extremes are the type's own.
double value_of_nothing(op::kind kind, data_type type) {
    if (type == data_type::f64) return value_of_nothing(kind);
    return visit_plain_type(type, [&](auto zero) {
        using limits = std::numeric_limits<decltype(zero)>;
        if (kind == op::kind::ReduceMax) return static_cast<double>(limits::lowest());
        if (kind == op::kind::ReduceMin) return static_cast<double>(limits::max());
        return kind == op::kind::ReduceProd ? 1.0 : 0.0;
    });
}

TEST(empty, reducing_nothing_of_other_types) {
    std::vector<op::kind> kinds(std::begin(reductions), std::end(reductions));
    kinds.push_back(op::kind::ReduceSumSquare);
    std::vector<data_type> types(std::begin(integer_types), std::end(integer_types));
    types.push_back(data_type::f64);
    for (const data_type type : types)
        for (const op::kind kind : kinds)
            for (const auto &[shape, axis] : {std::pair{dims{0}, 0}, std::pair{dims{3, 0}, 1}, std::pair{dims{0, 2101}, 0},
                                              std::pair{dims{2101, 0}, 1}, std::pair{dims{5, 0, 7}, 1}}) {
                const auto got = reduce(kind, array(type, shape), {axis}).values();
                ASSERT_TRUE(are_identical(got, std::vector<double>(got.size(), value_of_nothing(kind, type))))
                    << name_of(kind) << " of " << name_of(type) << testing::PrintToString(shape);
                ASSERT_FALSE(got.empty());
            }
}

TEST(empty, reducing_nothing_into_strides_with_gaps) {
    for (const op::kind kind : reductions) {
        array dst = array::strided(data_type::f32, {3, 2}, {7, 2});
        run_into(dst, kind, over({1}), {array(data_type::f32, {3, 0, 2})});
        EXPECT_TRUE(are_identical(dst.values(), std::vector<double>(6, value_of_nothing(kind))));
    }
}

TEST(empty, dst_is_a_no_op) {
    for (const op::kind kind : reductions)
        for (const dims &shape : {dims{0, 5}, dims{3, 0, 4}, dims{2, 3, 0}, dims{0, 0}}) {
            const auto last = static_cast<int64_t>(shape.size()) - 1;
            for (int64_t axis = 0; axis <= last; ++axis)
                for (const bool keep_dims : {false, true}) {
                    const array dst = reduce(kind, array(data_type::f32, shape), {axis}, keep_dims);
                    EXPECT_EQ(dst.shape(), expect_reduction(kind, {}, shape, {axis}, keep_dims).shape);
                }
        }
    for (const op::kind kind : {op::kind::Abs, op::kind::Exp, op::kind::Reorder})
        EXPECT_EQ(run(kind, {}, {array(data_type::bf16, {3, 0})}).shape(), (dims{3, 0}));
}

TEST(empty, over_no_axes_stays_empty) {
    for (const op::kind kind : reductions)
        EXPECT_EQ(reduce(kind, array(data_type::f32, {2, 0}), {}).shape(), (dims{2, 0}));
}

TEST(empty, broadcast_against_1_stays_0) {
    struct broadcast_case {
        dims a, b, dst;
    };
    const broadcast_case cases[] = {
        {{0}, {1}, {0}},          {{1}, {0}, {0}},       {{0}, {}, {0}},           {{3, 0}, {3, 1}, {3, 0}},
        {{0, 1}, {1, 5}, {0, 5}}, {{2, 1}, {0}, {2, 0}}, {{1, 0}, {7, 1}, {7, 0}}, {{0}, {0}, {0}},
    };
    for (const op::kind kind : {op::kind::Add, op::kind::Maximum, op::kind::SquaredDifference})
        for (const broadcast_case &c : cases) {
            const array dst = run(kind, {},
                                  {array(data_type::f32, c.a, std::vector<double>(count_of(c.a), 1)),
                                   array(data_type::f32, c.b, std::vector<double>(count_of(c.b), 1))});
            EXPECT_EQ(dst.shape(), c.dst);
        }
}

TEST(empty, broadcast_against_2_is_refused) {
    for (const auto &[a, b] : {std::pair{dims{0}, dims{2}}, std::pair{dims{2}, dims{0}}, std::pair{dims{3, 0}, dims{3, 4}}})
        EXPECT_TRUE(fails(onefold_invalid_shape, {"Add", "broadcast"}, [&, a = a, b = b] {
            compile_op(op::kind::Add, {}, {dense(0, data_type::f32, a), dense(1, data_type::f32, b)},
                       open_tensor(dst_id, data_type::f32));
        }));
}

/// src -> reduction -> Abs -> Add(other) -> dst, as one partition.
std::vector<double> reduce_and_go_on(op::kind kind, const dims &shape, const axes_list &axes, array other) {
    const data_type type = other.type();
    array src(type, shape);
    array dst(type, other.shape());
    graph g(engine::kind::cpu);
    g.add_op(make_op(0, kind, over(axes), {src.describe(0)}, open_tensor(1, type)));
    g.add_op(make_op(1, op::kind::Abs, {}, {open_tensor(1, type)}, open_tensor(2, type)));
    g.add_op(make_op(2, op::kind::Add, {}, {open_tensor(2, type), other.describe(3)}, dst.describe(dst_id)));
    g.finalize();
    const auto partitions = g.get_partitions();
    EXPECT_EQ(partitions.size(), 1U);
    const auto compiled = partitions.at(0).compile({src.describe(0), other.describe(3)}, {dst.describe(dst_id)}, cpu());
    stream s(cpu());
    compiled.execute(s, {tensor(src.describe(0), cpu(), src.data()), tensor(other.describe(3), cpu(), other.data())},
                     {tensor(dst.describe(dst_id), cpu(), dst.data())});
    return dst.values();
}

TEST(empty, reducing_nothing_with_ops_behind) {
    for (const op::kind kind : reductions)
        for (const data_type type : float_types) {
            SCOPED_TRACE(name_of(kind) + " of " + name_of(type));
            const double expected = std::abs(value_of_nothing(kind)) + 2.5;
            EXPECT_TRUE(are_identical(reduce_and_go_on(kind, {3, 0}, {1}, array(type, {3}, {2.5, 2.5, 2.5})),
                                      {expected, expected, expected}));
            EXPECT_TRUE(are_identical(reduce_and_go_on(kind, {0}, {0}, array(type, {}, {2.5})), {expected}));
            EXPECT_TRUE(are_identical(reduce_and_go_on(kind, {3, 0}, {0}, array(type, {0})), {}));
        }
}

} // namespace
