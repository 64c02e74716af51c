// Every op kind that is compiled in every element type, through the C++ API: the right values, or a refusal that says why. What
// came of a type is recorded as a property of the test; scripts/conformance_table makes docs/conformance.md of it.
#include <functional>
#include <map>
#include <numeric>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

constexpr data_type all_types[] = {data_type::f32, data_type::bf16, data_type::f16,    data_type::f64, data_type::s8,
                                   data_type::u8,  data_type::s16,  data_type::u16,    data_type::s32, data_type::u32,
                                   data_type::s64, data_type::u64,  data_type::boolean};

using list = std::vector<double>;

/// What an op makes of the elements that meet: of one, of two, or of any number.
struct expected_op {
    std::function<double(const list &)> compute;
    attributes attrs = {};
    size_t sources = 1; // of an element-wise op
    bool is_reduction = false;
    bool is_positive = false;      // its sources are
    bool is_normalization = false; // what meets in an element of dst is that element of the source, then all of its row
};

double sum(const list &x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double sum_of(const list &x, double (*f)(double)) {
    return std::accumulate(x.begin(), x.end(), 0.0, [f](double total, double e) { return total + f(e); });
}
double square(double x) { return x * x; }
double magnitude(double x) { return std::abs(x); }
double mean(const list &x) { return sum(x) / static_cast<double>(x.size()); }
double greatest(const list &x) { return *std::max_element(x.begin(), x.end()); }
double least(const list &x) { return *std::min_element(x.begin(), x.end()); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::log1p(std::exp(x)); }

expected_op unary(double (*f)(double), attributes attrs = {}) {
    return {[f](const list &x) { return f(x[0]); }, std::move(attrs)};
}
expected_op positive(expected_op o) {
    o.is_positive = true;
    return o;
}
expected_op binary(double (*f)(double, double)) {
    return {[f](const list &x) { return f(x[0], x[1]); }, {}, 2};
}
expected_op nary(double (*f)(const list &)) { return {f, {}, 3}; }
expected_op normalization(double (*f)(const list &), attributes attrs = {}) {
    return {f, std::move(attrs), 1, false, false, true};
}
expected_op reduction(std::function<double(const list &)> f) { return {std::move(f), over({1}), 1, true}; }

/// The row behind the element that it belongs to.
list row_of(const list &x) { return {x.begin() + 1, x.end()}; }
double sum_of_exponentials(const list &x) {
    return sum_of(row_of(x), [](double e) { return std::exp(e); });
}
double layer_norm(const list &x) {
    const list row = row_of(x);
    const double average = mean(row);
    const double of_squares = sum_of(row, square) / static_cast<double>(row.size());
    return (x[0] - average) / std::sqrt(of_squares - square(average) + 1e-5);
}
double rms_norm(const list &x) {
    const list row = row_of(x);
    return x[0] / std::sqrt(sum_of(row, square) / static_cast<double>(row.size()) + 1e-5);
}

const std::map<std::string, expected_op> &expected_ops() {
    using attr = op::attr;
    static const std::map<std::string, expected_op> ops = {
        {"Abs", unary(magnitude)},
        {"Clamp", unary([](double x) { return std::clamp(x, -1.0, 2.0); }, {{attr::min, -1.0F}, {attr::max, 2.0F}})},
        {"Elu", unary([](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }, {{attr::alpha, 0.5F}})},
        {"Exp", unary([](double x) { return std::exp(x); })},
        {"GELU", unary([](double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; })},
        {"HardSigmoid",
         unary([](double x) { return std::clamp(0.25 * x + 0.5, 0.0, 1.0); }, {{attr::alpha, 0.25F}, {attr::beta, 0.5F}})},
        {"HardSwish", unary([](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); })},
        {"LeakyReLU", unary([](double x) { return x < 0 ? 0.25 * x : x; }, {{attr::alpha, 0.25F}})},
        {"Log", positive(unary([](double x) { return std::log(x); }))},
        {"Mish", unary([](double x) { return x * std::tanh(softplus(x)); })},
        {"Neg", unary([](double x) { return -x; })},
        {"Pow", unary(square, {{attr::beta, 2.0F}})},
        {"Reciprocal", positive(unary([](double x) { return 1 / x; }))},
        {"ReLU", unary([](double x) { return std::max(x, 0.0); })},
        {"Reorder", unary([](double x) { return x; })},
        {"Round", unary([](double x) { return std::nearbyint(x); })},
        {"Sigmoid", unary(sigmoid)},
        {"SoftPlus", unary(softplus)},
        {"Sqrt", positive(unary([](double x) { return std::sqrt(x); }))},
        {"Square", unary(square)},
        {"Tanh", unary([](double x) { return std::tanh(x); })},
        {"TypeCast_from", unary([](double x) { return x; })},
        {"TypeCast_to", unary([](double x) { return x; })},
        {"Add", binary([](double x, double y) { return x + y; })},
        {"Divide", binary([](double x, double y) { return x / y; })},
        {"Maximum", binary([](double x, double y) { return std::max(x, y); })},
        {"Minimum", binary([](double x, double y) { return std::min(x, y); })},
        {"Multiply", binary([](double x, double y) { return x * y; })},
        {"SquaredDifference", binary([](double x, double y) { return square(x - y); })},
        {"Subtract", binary([](double x, double y) { return x - y; })},
        {"Max", nary(greatest)},
        {"Mean", nary(mean)},
        {"Min", nary(least)},
        {"Sum", nary(sum)},
        {"LayerNorm", normalization(layer_norm, {{attr::keep_stats, false}, {attr::use_affine, false}})},
        {"LogSoftmax", normalization([](const list &x) { return x[0] - std::log(sum_of_exponentials(x)); })},
        {"RMSNorm", normalization(rms_norm)},
        {"SoftMax", normalization([](const list &x) { return std::exp(x[0]) / sum_of_exponentials(x); })},
        {"ReduceL1", reduction([](const list &x) { return sum_of(x, magnitude); })},
        {"ReduceL2", reduction([](const list &x) { return std::sqrt(sum_of(x, square)); })},
        {"ReduceLogSum", positive(reduction([](const list &x) { return std::log(sum(x)); }))},
        {"ReduceLogSumExp", reduction([](const list &x) { return std::log(sum_of(x, [](double e) { return std::exp(e); })); })},
        {"ReduceMax", reduction(greatest)},
        {"ReduceMean", reduction(mean)},
        {"ReduceMin", reduction(least)},
        {"ReduceProd", reduction([](const list &x) { return std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>()); })},
        {"ReduceSum", reduction(sum)},
        {"ReduceSumSquare", reduction([](const list &x) { return sum_of(x, square); })},
    };
    return ops;
}

constexpr bool is_float(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16 || type == data_type::f64;
}
constexpr bool is_signed(data_type type) {
    return is_float(type) || type == data_type::s8 || type == data_type::s16 || type == data_type::s32 ||
           type == data_type::s64;
}

/// Small values that every type has, and results that every type of integers has too. Source 0 is never less than the others
/// where there is no sign.
list values_of(data_type type, size_t source, size_t count, const expected_op &o) {
    static constexpr int cycle[] = {1, 2, 3, 0, 1, 2, -1, 1, 3, -2, 3, 1};
    list values(count);
    for (size_t i = 0; i < count; ++i) {
        double value = cycle[(i + 2 * source) % std::size(cycle)];
        if (type == data_type::boolean)
            value = value > 1 ? 1 : 0;
        else {
            if (is_float(type)) value *= 0.75;
            if (o.is_positive || !is_signed(type)) value = std::abs(value);
            if (o.is_positive || source > 0) value += value == 0 ? 1 : 0; // what divides
            if (source == 0 && o.sources > 1) value += 3;
        }
        values[i] = value;
    }
    return values;
}

const dims shape = {3, 4};
const dims reduced_shape = {3};
const dims other_shape = {4}; // of the sources but the first, which are broadcast

/// The elements that meet in each element of dst.
std::vector<list> meetings(const expected_op &o, const std::vector<array> &srcs) {
    std::vector<list> result(count_of(o.is_reduction ? reduced_shape : shape));
    for (const array &src : srcs) {
        const list values = spread(src, shape);
        for (size_t i = 0; o.is_normalization && i < values.size(); ++i) {
            result[i] = {values[i]};
            result[i].insert(result[i].end(), values.begin() + static_cast<std::ptrdiff_t>(i / 4 * 4),
                             values.begin() + static_cast<std::ptrdiff_t>(i / 4 * 4 + 4));
        }
        if (o.is_normalization) continue;
        for (size_t i = 0; i < values.size(); ++i)
            result[o.is_reduction ? i / 4 : i].push_back(values[i]);
    }
    return result;
}

void expect_values(const array &dst, const expected_op &o, const std::vector<array> &srcs) {
    const std::vector<list> elements = meetings(o, srcs);
    const list got = dst.values();
    ASSERT_EQ(got.size(), elements.size());
    for (size_t i = 0; i < got.size(); ++i) {
        double exact = o.compute(elements[i]);
        if (dst.type() == data_type::boolean) exact = exact == 0 ? 0 : 1;
        const bool is_small = is_half(dst.type()) || dst.type() == data_type::f32;
        const double error = is_float(dst.type()) ? (is_small ? 2e-6 : 1e-12) * (std::abs(exact) + 0.1) : 0;
        if (!is_float(dst.type())) exact = std::trunc(exact);
        EXPECT_TRUE(is_within(dst.type(), got[i], exact, error))
            << name_of(dst.type()) << ": element " << i << " is " << got[i] << ", not " << exact;
    }
}

op::kind kind_of(const std::string &name) {
    for (int kind = 0; kind < onefold_op_kind_count; ++kind)
        if (name.substr(0, name.find('_')) == onefold_op_kind_name(static_cast<onefold_op_kind>(kind)))
            return static_cast<op::kind>(kind);
    return op::kind::LastSymbol;
}

/// "pass", or the reason why the kind does not take the type.
std::string outcome_of(const std::string &name, const expected_op &o, data_type type) {
    const data_type other = type == data_type::f32 ? data_type::bf16 : data_type::f32;
    const data_type src_type = name == "TypeCast_to" ? other : type;
    const data_type dst_type = name == "TypeCast_from" ? other : type;
    std::vector<array> srcs;
    for (size_t source = 0; source < o.sources; ++source) {
        const dims &of_source = source == 0 ? shape : other_shape;
        srcs.emplace_back(src_type, of_source,
                          values_of(name == "TypeCast_to" ? dst_type : src_type, source, count_of(of_source), o));
    }
    array dst(dst_type, o.is_reduction ? reduced_shape : shape);
    try {
        run_into(dst, kind_of(name), o.attrs, srcs);
    } catch (const onefold::error &e) {
        const bool is_refusal = e.status == onefold_invalid_graph_op || e.status == onefold_unimplemented;
        EXPECT_TRUE(is_refusal) << name_of(type) << ": " << onefold_status_name(e.status) << ": " << e.what();
        return e.what();
    }
    expect_values(dst, o, srcs);
    return "pass";
}

class kind : public testing::TestWithParam<std::string> {};

TEST_P(kind, in_every_type) {
    if (kind_of(GetParam()) == op::kind::LastSymbol) GTEST_SKIP() << "there is no such op kind";
    const expected_op &o = expected_ops().at(GetParam());
    size_t passed = 0;
    for (const data_type type : all_types) {
        const std::string outcome = outcome_of(GetParam(), o, type);
        RecordProperty(name_of(type), outcome);
        passed += outcome == "pass";
    }
    EXPECT_GE(passed, 3U) << "f32, bf16 and f16 at the least";
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const auto &[name, o] : expected_ops())
        result.push_back(name);
    return result;
}

INSTANTIATE_TEST_SUITE_P(all, kind, testing::ValuesIn(names()), [](const auto &one) { return one.param; });

/// Whether the kind can be compiled with so many f32 inputs and no attributes.
bool is_compiled(op::kind k, size_t inputs) {
    std::vector<logical_tensor> srcs;
    while (srcs.size() < inputs)
        srcs.push_back(dense(srcs.size(), data_type::f32, {2, 2}));
    try {
        return partition(make_op(0, k, {}, srcs, open_tensor(dst_id, data_type::f32)), engine::kind::cpu).is_supported();
    } catch (const onefold::error &) {
        return false;
    }
}

TEST(kind_table, has_every_kind_that_is_compiled) {
    for (int k = 0; k < onefold_op_kind_count; ++k) {
        const std::string name = onefold_op_kind_name(static_cast<onefold_op_kind>(k));
        for (const size_t inputs : {size_t{1}, size_t{2}})
            EXPECT_TRUE(expected_ops().count(name) != 0 || !is_compiled(static_cast<op::kind>(k), inputs)) << name;
    }
}

} // namespace
