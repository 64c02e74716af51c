// Reductions with ops fused in front of them, which make the elements in tiles of 1024, and behind them.
#include "support/bits.hpp"
#include "support/chain.hpp"
#include "support/expected.hpp"

using namespace onefold_test;

namespace {

/// Values on their way through a chain, and how far from them the computed ones may be.
struct tracked {
    long double value;
    long double error;
};

/// What the chain must give, op by op, each rounded once to the arithmetic type.
class reference {
public:
    reference(data_type type, const array &src)
        : unit_(type == data_type::f64 ? 0x1p-53L : 0x1p-24L), longest_(type == data_type::f64 ? 16 : 4), shape_(src.shape()) {
        for (const double x : src.values())
            values_.push_back({static_cast<long double>(x), 0});
    }

    void apply(op::kind kind) {
        for (tracked &v : values_)
            v = of_one(kind, v);
    }
    void apply(op::kind kind, const array &other) {
        const auto second = spread(other, shape_);
        for (size_t i = 0; i < values_.size(); ++i)
            values_[i] = of_two(kind, values_[i], static_cast<long double>(second[i]));
    }
    /// Of a matrix.
    void reduce(op::kind kind, int64_t axis) {
        const auto columns = static_cast<size_t>(shape_[1]);
        const auto kept = static_cast<size_t>(shape_[axis == 0 ? 1 : 0]);
        std::vector<std::vector<tracked>> groups(kept);
        for (size_t i = 0; i < values_.size(); ++i)
            groups[axis == 0 ? i % columns : i / columns].push_back(values_[i]);
        values_.clear();
        for (const auto &group : groups)
            values_.push_back(is_extreme(kind) ? extreme_of(kind, group) : sum_of(kind, group));
        shape_ = {static_cast<int64_t>(kept)};
    }

    expected_tensor result() const {
        expected_tensor all{shape_, {}, {}};
        for (const tracked &v : values_) {
            all.value.push_back(static_cast<double>(v.value));
            all.error.push_back(static_cast<double>(v.error));
        }
        return all;
    }

private:
    static bool is_extreme(op::kind kind) { return kind == op::kind::ReduceMax || kind == op::kind::ReduceMin; }

    tracked rounded(long double value, long double error) const { return {value, error + unit_ * std::abs(value)}; }

    tracked of_one(op::kind kind, const tracked &x) const {
        if (kind == op::kind::Abs) return {std::abs(x.value), x.error};
        if (kind == op::kind::Square) return rounded(x.value * x.value, (2 * std::abs(x.value) + x.error) * x.error);
        const long double root = std::sqrt(x.value);
        return rounded(root, x.error / root); // twice what the slope gives
    }

    tracked of_two(op::kind kind, const tracked &x, long double y) const {
        const long double difference = x.value - y;
        switch (kind) {
        case op::kind::Multiply:
            return rounded(x.value * y, x.error * std::abs(y));
        case op::kind::Subtract:
            return rounded(difference, x.error);
        default: { // SquaredDifference
            const tracked d = rounded(difference, x.error);
            return rounded(d.value * d.value, (2 * std::abs(d.value) + d.error) * d.error);
        }
        }
    }

    static tracked extreme_of(op::kind kind, const std::vector<tracked> &group) {
        tracked best = group[0];
        for (const tracked &v : group) {
            const bool is_better = kind == op::kind::ReduceMax ? v.value > best.value : v.value < best.value;
            const long double error = std::max(best.error, v.error);
            if (!std::isnan(best.value) && (std::isnan(v.value) || is_better)) best.value = v.value;
            best.error = error;
        }
        return best;
    }

    tracked sum_of(op::kind kind, const std::vector<tracked> &group) const {
        long double sum = 0;
        long double magnitudes = 0;
        long double error = 0;
        for (const tracked &v : group) {
            const tracked term = kind == op::kind::ReduceL2 ? of_one(op::kind::Square, v) : v;
            const long double value = kind == op::kind::ReduceL1 ? std::abs(term.value) : term.value;
            sum += value;
            magnitudes += std::abs(value);
            error += term.error;
        }
        const tracked total = {sum, error + longest_ * unit_ * magnitudes};
        const auto count = static_cast<long double>(group.size());
        if (kind == op::kind::ReduceMean) return {total.value / count, total.error / count};
        return kind == op::kind::ReduceL2 ? of_one(op::kind::Sqrt, total) : total;
    }

    long double unit_;
    long double longest_; // roundings of a sum
    dims shape_;
    std::vector<tracked> values_;
};

enum operand : size_t { nothing, in_front, behind }; // which source is the second operand

using kinds = std::vector<std::pair<op::kind, operand>>;

const kinds chains[] = {
    {{op::kind::Square, nothing}, {op::kind::ReduceMean, nothing}},
    {{op::kind::Subtract, in_front}, {op::kind::Abs, nothing}, {op::kind::ReduceMax, nothing}},
    {{op::kind::Multiply, in_front}, {op::kind::ReduceSum, nothing}, {op::kind::Multiply, behind}},
    {{op::kind::Subtract, in_front},
     {op::kind::Square, nothing},
     {op::kind::ReduceMean, nothing},
     {op::kind::Sqrt, nothing},
     {op::kind::Multiply, behind}},
    {{op::kind::Abs, nothing}, {op::kind::ReduceMin, nothing}, {op::kind::Sqrt, nothing}, {op::kind::Multiply, behind}},
    {{op::kind::Multiply, in_front}, {op::kind::ReduceL2, nothing}},
    {{op::kind::Subtract, in_front}, {op::kind::ReduceL1, nothing}, {op::kind::Sqrt, nothing}},
};

const kinds chains_of_binaries[] = {
    {{op::kind::Multiply, in_front}, {op::kind::ReduceSum, nothing}, {op::kind::Multiply, behind}},
    {{op::kind::Subtract, in_front}, {op::kind::ReduceMax, nothing}},
    {{op::kind::SquaredDifference, in_front}, {op::kind::ReduceMean, nothing}, {op::kind::Subtract, behind}},
    {{op::kind::Subtract, in_front}, {op::kind::ReduceL2, nothing}, {op::kind::Multiply, behind}},
    {{op::kind::Multiply, in_front}, {op::kind::ReduceMin, nothing}},
};

bool is_reduction(op::kind kind) {
    return std::find(std::begin(reductions), std::end(reductions), kind) != std::end(reductions);
}

/// The chain over one axis of the source, with operands of those shapes.
void check_chain(const kinds &chain, const array &src, int64_t axis, const dims &other, const dims &other_behind) {
    const data_type type = src.type();
    const array sources[] = {src, array(type, other, random_values(type, count_of(other), 72)),
                             array(type, other_behind, random_values(type, count_of(other_behind), 73))};
    reference expected(type, src);
    std::vector<array> srcs = {src};
    std::vector<chain_link> links;
    std::string text = std::string(name_of(type)) + testing::PrintToString(src.shape()) + " with " +
                       testing::PrintToString(other) + " and " + testing::PrintToString(other_behind) + ":";
    for (const auto &[kind, second] : chain) {
        text += " " + name_of(kind);
        links.push_back({kind, is_reduction(kind) ? over({axis}) : attributes{}, second == nothing ? 0 : srcs.size()});
        if (second != nothing) srcs.push_back(sources[second]);
        if (is_reduction(kind))
            expected.reduce(kind, axis);
        else if (second == nothing)
            expected.apply(kind);
        else
            expected.apply(kind, sources[second]);
    }
    ASSERT_TRUE(are_within(run_chain(links, srcs), expected.result())) << text;
}

void check_chains(const array &src, int64_t axis, const std::vector<dims> &others) {
    const int64_t kept = src.shape()[axis == 0 ? 1 : 0];
    const bool is_f64 = src.type() == data_type::f64; // the unary ops do not take it
    const std::vector<kinds> all(is_f64 ? std::begin(chains_of_binaries) : std::begin(chains),
                                 is_f64 ? std::end(chains_of_binaries) : std::end(chains));
    for (const dims &other : others)
        for (size_t i = 0; i < all.size(); ++i)
            check_chain(all[i], src, axis, other, i % 2 ? dims{1} : dims{kept});
}

array source_of(data_type type, const dims &shape) { return array(type, shape, random_values(type, count_of(shape), 71)); }

class around_reduction : public testing::TestWithParam<data_type> {};

TEST_P(around_reduction, of_rows) {
    for (const int64_t length : {1023, 1024, 1025, 2049})
        check_chains(source_of(GetParam(), {3, length}), 1, {{length}, {3, 1}, {3, length}, {1}});
    check_chains(source_of(GetParam(), {2, 70001}), 1, {{70001}, {2, 1}});
    check_chains(source_of(GetParam(), {150, 7}), 1, {{7}, {150, 1}});
}

TEST_P(around_reduction, of_columns) {
    for (const int64_t length : {1023, 1024, 1025, 2049})
        check_chains(source_of(GetParam(), {length, 3}), 0, {{3}, {length, 1}, {length, 3}, {1}});
    check_chains(source_of(GetParam(), {70001, 2}), 0, {{2}, {70001, 1}});
    for (const int64_t width : {1023, 1024, 1025, 2049})
        check_chains(source_of(GetParam(), {17, width}), 0, {{width}, {17, 1}, {17, width}});
}

TEST_P(around_reduction, nan_goes_through) {
    for (const auto &[shape, axis] : {std::pair{dims{3, 2049}, 1}, std::pair{dims{2049, 3}, 0}, std::pair{dims{17, 1025}, 0}})
        for (const size_t at : {size_t{0}, size_t{1023}, size_t{1024}, count_of(shape) / 2, count_of(shape) - 1}) {
            array src = source_of(GetParam(), shape);
            set_bits(src, at, nans_of(GetParam())[at % 8]);
            check_chains(src, axis, {{1}});
        }
}

INSTANTIATE_TEST_SUITE_P(all, around_reduction, testing::ValuesIn(every_float_type),
                         [](const auto &one) { return std::string(name_of(one.param)); });

} // namespace
