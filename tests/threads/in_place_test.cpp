// Fused normalizations whose output shares the memory of an input: the same bits as with memory of its own.
#include <algorithm>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

/// A graph of f32 that is one partition: source 0 is the data, the others are what the ops need beside it.
class one_partition {
public:
    one_partition(dims shape, const std::vector<dims> &others) : shape_(std::move(shape)) {
        add_source(shape_);
        for (const dims &other : others)
            add_source(other);
        kept_ = shape_;
        kept_.back() = 1;
    }

    const dims &shape() const { return shape_; }
    const dims &kept() const { return kept_; }
    logical_tensor source(size_t i) const { return srcs_[i].describe(i); }

    logical_tensor add(op::kind kind, const std::vector<logical_tensor> &srcs, const dims &dst) {
        const logical_tensor result = dense(next_++, data_type::f32, dst);
        const bool is_reduction = name_of(kind).find("Reduce") == 0;
        graph_.add_op(make_op(result.get_id(), kind, is_reduction ? over({-1}, true) : attributes(), srcs, result));
        return result;
    }

    void compile(const std::vector<logical_tensor> &outputs) {
        for (const logical_tensor &output : outputs)
            graph_.add_op(op(next_++, op::kind::End, {output}, {}));
        graph_.finalize();
        const auto partitions = graph_.get_partitions();
        ASSERT_TRUE(partitions.front().is_supported());
        for (size_t i = 1; i < partitions.size(); ++i)
            ASSERT_FALSE(partitions[i].is_supported()) << "more than one partition computes something";
        outputs_ = outputs;
        compiled_ =
            partitions.front().compile(partitions.front().get_input_ports(), partitions.front().get_output_ports(), cpu());
        ASSERT_NE(compiled_.get_info().find("row_program"), std::string::npos) << compiled_.get_info();
    }

    bool is_offered(size_t input, const logical_tensor &output) const {
        const auto pairs = compiled_.get_inplace_ports();
        return std::find(pairs.begin(), pairs.end(), std::pair<size_t, size_t>(input, output.get_id())) != pairs.end();
    }

    /// The outputs, of which one may lie where a copy of an input does.
    std::vector<std::vector<double>> run(unsigned threads, size_t input = SIZE_MAX, size_t output = SIZE_MAX) {
        std::vector<array> srcs = srcs_;
        std::vector<array> dsts;
        for (const logical_tensor &t : outputs_)
            dsts.emplace_back(data_type::f32, t.get_dims());
        std::vector<tensor> inputs;
        std::vector<tensor> outputs;
        for (size_t i = 0; i < srcs.size(); ++i)
            inputs.emplace_back(source(i), cpu(), srcs[i].data());
        for (size_t o = 0; o < dsts.size(); ++o)
            outputs.emplace_back(outputs_[o], cpu(), o == output ? srcs[input].data() : dsts[o].data());
        stream s(cpu(), threads);
        compiled_.execute(s, inputs, outputs);
        std::vector<std::vector<double>> values;
        for (size_t o = 0; o < dsts.size(); ++o)
            values.push_back(o == output ? srcs[input].values() : dsts[o].values());
        return values;
    }

private:
    void add_source(const dims &shape) {
        std::vector<double> values = random_values(data_type::f32, count_of(shape), static_cast<unsigned>(srcs_.size()) + 5);
        // A row whose sums are taken once more.
        if (srcs_.empty()) values.at(values.size() / 2) = infinity;
        srcs_.emplace_back(data_type::f32, shape, values);
    }

    dims shape_;
    dims kept_;
    std::vector<array> srcs_;
    graph graph_{engine::kind::cpu};
    size_t next_ = dst_id;
    std::vector<logical_tensor> outputs_;
    compiled_partition compiled_;
};

void expect_same_in_place(one_partition &p, size_t input, size_t output) {
    const auto expected = p.run(1);
    for (const unsigned threads : {1U, 2U}) {
        const auto got = p.run(threads, input, output);
        for (size_t o = 0; o < expected.size(); ++o)
            EXPECT_TRUE(are_identical(got[o], expected[o])) << "output " << o << ", " << threads << " threads";
    }
}

/// Rows that fit together into a piece, some long ones, and two that are gone over pass by pass.
class in_place : public testing::TestWithParam<dims> {};

TEST_P(in_place, layer_norm) {
    const int64_t row = GetParam().back();
    one_partition p(GetParam(), {{row}, {row}, {1}});
    const auto difference =
        p.add(op::kind::Subtract, {p.source(0), p.add(op::kind::ReduceMean, {p.source(0)}, p.kept())}, p.shape());
    const auto variance = p.add(op::kind::ReduceMean, {p.add(op::kind::Square, {difference}, p.shape())}, p.kept());
    const auto root = p.add(op::kind::Sqrt, {p.add(op::kind::Add, {variance, p.source(3)}, p.kept())}, p.kept());
    const auto scaled =
        p.add(op::kind::Multiply, {p.add(op::kind::Divide, {difference, root}, p.shape()), p.source(1)}, p.shape());
    const auto y = p.add(op::kind::Add, {scaled, p.source(2)}, p.shape());
    p.compile({y});
    EXPECT_TRUE(p.is_offered(0, y));
    EXPECT_FALSE(p.is_offered(1, y));
    expect_same_in_place(p, 0, 0);
}

TEST_P(in_place, softmax) {
    one_partition p(GetParam(), {});
    const auto below = p.add(op::kind::Subtract, {p.source(0), p.add(op::kind::ReduceMax, {p.source(0)}, p.kept())}, p.shape());
    const auto exponentials = p.add(op::kind::Exp, {below}, p.shape());
    const auto y = p.add(op::kind::Divide, {exponentials, p.add(op::kind::ReduceSum, {exponentials}, p.kept())}, p.shape());
    p.compile({y});
    EXPECT_TRUE(p.is_offered(0, y));
    expect_same_in_place(p, 0, 0);
}

/// The sum is stored before the last pass reads its operands again.
TEST_P(in_place, an_output_that_is_stored_early_has_memory_of_its_own) {
    one_partition p(GetParam(), {GetParam()});
    const auto sum = p.add(op::kind::Add, {p.source(0), p.source(1)}, p.shape());
    const auto y = p.add(op::kind::Subtract, {sum, p.add(op::kind::ReduceMean, {sum}, p.kept())}, p.shape());
    p.compile({sum, y});
    for (const size_t input : {0U, 1U}) {
        EXPECT_FALSE(p.is_offered(input, sum));
        EXPECT_TRUE(p.is_offered(input, y));
        expect_same_in_place(p, input, 1);
    }
}

/// Of two outputs of the last pass the first would take away what the second needs.
TEST_P(in_place, nothing_reads_an_input_behind_the_output_in_its_place) {
    one_partition p(GetParam(), {});
    const auto mean = p.add(op::kind::ReduceMean, {p.source(0)}, p.kept());
    const auto first = p.add(op::kind::Maximum, {p.source(0), mean}, p.shape());
    const auto second = p.add(op::kind::Minimum, {p.source(0), mean}, p.shape());
    p.compile({first, second});
    const size_t offered = p.is_offered(0, first) ? 0 : 1;
    EXPECT_NE(p.is_offered(0, first), p.is_offered(0, second));
    expect_same_in_place(p, 0, offered);
}

/// Of values that nearly cancel sums are taken twice.
TEST_P(in_place, a_pass_that_may_run_again_writes_over_nothing) {
    one_partition p(GetParam(), {});
    const auto twice = p.add(op::kind::Add, {p.source(0), p.source(0)}, p.shape());
    const auto mean = p.add(op::kind::ReduceMean, {twice}, p.kept());
    p.compile({twice, mean});
    EXPECT_FALSE(p.is_offered(0, twice));
}

INSTANTIATE_TEST_SUITE_P(all, in_place, testing::Values(dims{50, 64}, dims{70, 1001}, dims{9, 20000}, dims{2, 140000}));

TEST(in_place_of_results, one_value_a_row_is_read_before_it_is_written) {
    one_partition p({40, 600}, {{40, 1}});
    const auto mean = p.add(op::kind::ReduceMean, {p.source(0)}, p.kept());
    const auto y = p.add(op::kind::Multiply, {p.add(op::kind::Square, {mean}, p.kept()), p.source(1)}, p.kept());
    const auto z = p.add(op::kind::Subtract, {p.source(0), y}, p.shape());
    p.compile({y, z});
    EXPECT_TRUE(p.is_offered(1, y));
    expect_same_in_place(p, 1, 0);
    EXPECT_TRUE(p.is_offered(0, z));
    expect_same_in_place(p, 0, 1);
}

} // namespace
