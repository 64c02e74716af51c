// Unary ops where arithmetic ends: NaN, infinities, zeros, the edge of overflow.
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

struct unary_op {
    op::kind kind;
    attributes attrs;
};

const unary_op unaries[] = {
    {op::kind::Abs, {}},
    {op::kind::Clamp, {{op::attr::min, -1.0F}, {op::attr::max, 2.0F}}},
    {op::kind::Elu, {{op::attr::alpha, 0.5F}}},
    {op::kind::Exp, {}},
    {op::kind::GELU, {}},
    {op::kind::GELU, {{op::attr::mode, std::string("gelu_tanh")}}},
    {op::kind::HardSigmoid, {{op::attr::alpha, 0.25F}, {op::attr::beta, 0.5F}}},
    {op::kind::HardSwish, {}},
    {op::kind::LeakyReLU, {{op::attr::alpha, 0.25F}}},
    {op::kind::Log, {}},
    {op::kind::Mish, {}},
    {op::kind::Neg, {}},
    {op::kind::Pow, {{op::attr::beta, 2.0F}}},
    {op::kind::Pow, {{op::attr::beta, 0.5F}}},
    {op::kind::Pow, {{op::attr::beta, -1.5F}}},
    {op::kind::Reciprocal, {}},
    {op::kind::ReLU, {}},
    {op::kind::Reorder, {}},
    {op::kind::Round, {}},
    {op::kind::Sigmoid, {}},
    {op::kind::SoftPlus, {}},
    {op::kind::Sqrt, {}},
    {op::kind::Square, {}},
    {op::kind::Tanh, {}},
};

class unary : public testing::TestWithParam<size_t> {
protected:
    const unary_op &tested() const { return unaries[GetParam()]; }
};

/// `src` through Add(0) and the op behind it, in one partition.
std::vector<double> run_behind_add(const unary_op &u, array src) {
    array zeros(src.type(), src.shape(), std::vector<double>(src.count(), 0));
    array dst(src.type(), src.shape());
    graph g(engine::kind::cpu);
    g.add_op(make_op(0, op::kind::Add, {}, {src.describe(0), zeros.describe(1)}, open_tensor(2, src.type())));
    g.add_op(make_op(1, u.kind, u.attrs, {open_tensor(2, src.type())}, dst.describe(dst_id)));
    g.finalize();
    std::vector<array> srcs = {src, zeros};
    for (const partition &p : g.get_partitions())
        if (p.get_ops_num() == 2) execute(p.compile(describe(srcs), {dst.describe(dst_id)}, cpu()), srcs, dst);
    return dst.values();
}

constexpr data_type all_floats[] = {data_type::f32, data_type::bf16, data_type::f16, data_type::f64};

TEST_P(unary, of_nan_is_nan_wherever_it_stands) {
    for (const data_type type : all_floats)
        for (const int64_t length : {1, 5, 16, 19, 37, 1000}) {
            std::vector<double> values(static_cast<size_t>(length), 0.75);
            for (size_t at = 0; at < values.size(); at += 1 + values.size() / 40) {
                values[at] = not_a_number;
                const array src(type, {length}, values);
                const auto alone = run(tested().kind, tested().attrs, {src}).values();
                const bool chains = tested().kind != op::kind::Reorder;
                const auto behind = chains ? run_behind_add(tested(), src) : alone;
                for (size_t i = 0; i < values.size(); ++i) {
                    ASSERT_EQ(std::isnan(alone[i]), i == at) << name_of(type) << " " << at << " of " << length;
                    ASSERT_EQ(std::isnan(behind[i]), i == at) << name_of(type) << " behind Add, " << at << " of " << length;
                }
                values[at] = 0.75;
            }
        }
}

INSTANTIATE_TEST_SUITE_P(all, unary, testing::Range(size_t{0}, std::size(unaries)),
                         [](const auto &one) { return name_of(unaries[one.param].kind) + "_" + std::to_string(one.param); });

struct limit {
    op::kind kind;
    attributes attrs;
    double x, y;
};
const attributes clamp_attributes = {{op::attr::min, -1.0F}, {op::attr::max, 2.0F}};
const attributes elu_attributes = {{op::attr::alpha, 0.5F}};
const limit limits[] = {
    {op::kind::Abs, {}, -infinity, infinity},
    {op::kind::Abs, {}, -0.0, 0},
    {op::kind::Clamp, clamp_attributes, -infinity, -1},
    {op::kind::Clamp, clamp_attributes, infinity, 2},
    {op::kind::Elu, elu_attributes, infinity, infinity},
    {op::kind::Elu, elu_attributes, -infinity, -0.5},
    {op::kind::Exp, {}, infinity, infinity},
    {op::kind::Exp, {}, -infinity, 0},
    {op::kind::Exp, {}, 0, 1},
    {op::kind::Exp, {}, 89, infinity}, // not in f64
    {op::kind::Exp, {}, 710, infinity},
    {op::kind::Exp, {}, -800, 0},
    {op::kind::GELU, {}, infinity, infinity},
    {op::kind::HardSwish, {}, infinity, infinity},
    {op::kind::Log, {}, 0, -infinity},
    {op::kind::Log, {}, infinity, infinity},
    {op::kind::Log, {}, -1, not_a_number},
    {op::kind::Log, {}, 1, 0},
    {op::kind::Mish, {}, infinity, infinity},
    {op::kind::Neg, {}, 0, -0.0},
    {op::kind::Neg, {}, -0.0, 0},
    {op::kind::Neg, {}, -infinity, infinity},
    {op::kind::Reciprocal, {}, 0, infinity},
    {op::kind::Reciprocal, {}, -0.0, -infinity},
    {op::kind::Reciprocal, {}, infinity, 0},
    {op::kind::ReLU, {}, infinity, infinity},
    {op::kind::ReLU, {}, -infinity, 0},
    {op::kind::Round, {}, infinity, infinity},
    {op::kind::Round, {}, -infinity, -infinity},
    {op::kind::Sigmoid, {}, infinity, 1},
    {op::kind::Sigmoid, {}, -infinity, 0},
    {op::kind::SoftPlus, {}, infinity, infinity},
    {op::kind::SoftPlus, {}, -infinity, 0},
    {op::kind::Sqrt, {}, infinity, infinity},
    {op::kind::Sqrt, {}, -1, not_a_number},
    {op::kind::Square, {}, -infinity, infinity},
    {op::kind::Tanh, {}, infinity, 1},
    {op::kind::Tanh, {}, -infinity, -1},
};

TEST(unary_limits, are_those_of_the_functions) {
    for (const data_type type : all_floats)
        for (const limit &l : limits) {
            if (type == data_type::f64 && l.kind == op::kind::Exp && l.x == 89) continue;
            // 19 elements: whole vectors and a tail.
            const auto got = run(l.kind, l.attrs, {array(type, {19}, std::vector<double>(19, l.x))}).values();
            for (const double y : got)
                if (std::isnan(l.y))
                    ASSERT_TRUE(std::isnan(y)) << name_of(l.kind) << " of " << name_of(type) << " " << l.x;
                else
                    ASSERT_TRUE(y == l.y && (l.kind != op::kind::Neg || std::signbit(y) == std::signbit(l.y)))
                        << name_of(l.kind) << " of " << name_of(type) << " " << l.x << " is " << y;
        }
}

TEST(unary_limits, exp_is_finite_up_to_the_largest_value) {
    std::vector<double> values;
    for (double x = 87; x < 88.72; x += 0x1p-8)
        values.push_back(x);
    const auto got = run(op::kind::Exp, {}, {array(data_type::f32, {static_cast<int64_t>(values.size())}, values)}).values();
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_NEAR(got[i], std::exp(values[i]), 8 * f32_unit * std::exp(values[i])) << values[i];
}

} // namespace
