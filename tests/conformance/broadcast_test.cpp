// NumPy's multidirectional broadcasting.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

struct binary_op {
    op::kind kind;
    double (*f)(double a, double b);
};

const binary_op binaries[] = {
    {op::kind::Add, [](double a, double b) { return a + b; }},
    {op::kind::Subtract, [](double a, double b) { return a - b; }},
    {op::kind::Multiply, [](double a, double b) { return a * b; }},
    {op::kind::Divide, [](double a, double b) { return a / b; }},
    {op::kind::Maximum, [](double a, double b) { return a > b ? a : b; }},
    {op::kind::Minimum, [](double a, double b) { return a < b ? a : b; }},
    {op::kind::SquaredDifference, [](double a, double b) { return (a - b) * (a - b); }},
};

dims broadcast_shape(const dims &a, const dims &b) {
    dims shape(std::max(a.size(), b.size()), 1);
    for (const dims *one : {&a, &b})
        for (size_t i = 0; i < one->size(); ++i) {
            int64_t &size = shape[shape.size() - one->size() + i];
            if ((*one)[i] != 1) size = (*one)[i];
        }
    return shape;
}

void check(const binary_op &binary, const array &a, const array &b) {
    SCOPED_TRACE(name_of(binary.kind) + " of " + name_of(a.type()) + testing::PrintToString(a.shape()) + " and " +
                 testing::PrintToString(b.shape()));
    const dims shape = broadcast_shape(a.shape(), b.shape());
    const auto x = spread(a, shape);
    const auto y = spread(b, shape);
    // Both sources in one magnitude: the f32 steps of all but Divide are exact or rounded once, as here.
    std::vector<double> expected(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        double result = binary.f(x[i], y[i]);
        if (binary.kind == op::kind::SquaredDifference) {
            const double difference = round_to(data_type::f32, x[i] - y[i]);
            result = difference * difference;
        }
        expected[i] = round_to(a.type(), round_to(data_type::f32, result));
    }
    const array dst = run(binary.kind, {}, {a, b});
    EXPECT_EQ(dst.shape(), shape);
    EXPECT_TRUE(are_identical(dst.values(), expected));
}

TEST(broadcast, goes_both_ways) {
    const std::pair<dims, dims> shapes[] = {
        {{2, 3, 4}, {2, 3, 4}}, {{2, 3, 4}, {4}},       {{4}, {2, 3, 4}},        {{2, 3, 4}, {3, 1}},
        {{3, 1}, {2, 3, 4}},    {{2, 3, 4}, {}},        {{}, {2, 3, 4}},         {{}, {}},
        {{2, 1, 4}, {1, 3, 1}}, {{1, 3, 1}, {2, 1, 4}}, {{5, 1}, {1, 7}},        {{1, 1, 7}, {5, 1, 1}},
        {{2, 3, 4}, {2, 1, 1}}, {{2, 3, 4}, {1, 1, 4}}, {{2, 3, 4}, {1, 3, 4}},  {{17, 33}, {33}},
        {{17, 33}, {17, 1}},    {{1}, {1, 1, 1}},       {{6, 1, 35}, {6, 9, 1}}, {{2, 2, 2, 2}, {2, 1, 2, 1}},
    };
    for (const binary_op &binary : binaries)
        for (const data_type type : float_types)
            for (const auto &[a, b] : shapes)
                check(binary, array(type, a, random_values(type, count_of(a), 11)),
                      array(type, b, random_values(type, count_of(b), 12)));
}

TEST(broadcast, of_more_than_a_thread_handles) {
    for (const binary_op &binary : binaries)
        for (const auto &[a, b] : {std::pair{dims{90, 1001}, dims{1001}}, std::pair{dims{90, 1}, dims{1, 1001}},
                                   std::pair{dims{}, dims{90, 1001}}, std::pair{dims{90, 1001}, dims{90, 1}}})
            check(binary, array(data_type::f32, a, random_values(data_type::f32, count_of(a), 13)),
                  array(data_type::f32, b, random_values(data_type::f32, count_of(b), 14)));
}

TEST(broadcast, a_tensor_with_itself) {
    const array src(data_type::f32, {3, 5}, random_values(data_type::f32, 15, 15));
    for (const binary_op &binary : binaries) {
        const op o = make_op(0, binary.kind, {}, {src.describe(0), src.describe(0)}, src.describe(dst_id));
        array dst(data_type::f32, {3, 5});
        std::vector<array> srcs = {src};
        execute(partition(o, engine::kind::cpu).compile({src.describe(0)}, {dst.describe(dst_id)}, cpu()), srcs, dst);
        std::vector<double> expected;
        for (const double x : src.values())
            expected.push_back(round_to(data_type::f32, binary.f(x, x)));
        EXPECT_TRUE(are_identical(dst.values(), expected)) << name_of(binary.kind);
    }
}

TEST(broadcast, none_demands_equal_shapes) {
    const attributes none = {{op::attr::auto_broadcast, std::string("none")}};
    const attributes numpy = {{op::attr::auto_broadcast, std::string("numpy")}};
    const auto compile = [](op::kind kind, const attributes &attrs, const dims &a, const dims &b) {
        return compile_op(kind, attrs, {dense(0, data_type::f32, a), dense(1, data_type::f32, b)},
                          open_tensor(dst_id, data_type::f32));
    };
    for (const binary_op &binary : binaries) {
        for (const auto &[a, b] : {std::pair{dims{2, 3}, dims{3}}, std::pair{dims{2, 3}, dims{1, 3}},
                                   std::pair{dims{1}, dims{}}, std::pair{dims{3}, dims{1, 3}}, std::pair{dims{0}, dims{1}}}) {
            EXPECT_TRUE(fails(onefold_invalid_shape, {name_of(binary.kind), "auto_broadcast"},
                              [&, a = a, b = b] { compile(binary.kind, none, a, b); }));
            EXPECT_NO_THROW(compile(binary.kind, numpy, a, b));
            EXPECT_NO_THROW(compile(binary.kind, {}, a, b));
        }
        for (const dims &same : {dims{2, 3}, dims{}, dims{0, 2}, dims{1}})
            EXPECT_EQ(compile(binary.kind, none, same, same).query_logical_tensor(dst_id).get_dims(), same);
    }
}

TEST(broadcast, of_shapes_that_do_not_go_together_is_refused) {
    for (const binary_op &binary : binaries)
        for (const auto &[a, b] : {std::pair{dims{2, 3}, dims{2}}, std::pair{dims{2, 3}, dims{3, 2}},
                                   std::pair{dims{4}, dims{3}}, std::pair{dims{2, 1, 3}, dims{3, 2, 2}}})
            EXPECT_TRUE(fails(onefold_invalid_shape, {name_of(binary.kind)}, [&, a = a, b = b] {
                compile_op(binary.kind, {}, {dense(0, data_type::f32, a), dense(1, data_type::f32, b)},
                           open_tensor(dst_id, data_type::f32));
            }));
}

} // namespace
