// document_examples.json: every example of the ONNX documents Mean-13, Mean-8 and ReduceMean-18, with the values that stand
// there, through the C++ API. A case has
//   document, name, opset, op, attrs, input_names
//   inputs    dtype, shape, data; the second one of a reduction is its axes
//   outputs   dtype, shape, data
//   refused   where it cannot be right as it is printed: words of the message that refuses it
// ONNX's Max has no examples; the Graph document's ReduceMean has one, by a formula.
#include <fstream>

#include <nlohmann/json.hpp>

#include "support/expected.hpp"

using namespace onefold_test;
using nlohmann::json;

namespace {

const std::vector<json> &all_examples() {
    static const std::vector<json> examples = [] {
        std::ifstream file(ONEFOLD_SOURCE_DIR "/tests/conformance/document_examples.json");
        return json::parse(file).get<std::vector<json>>();
    }();
    return examples;
}

data_type type_of(const json &tensor) {
    const std::string name = tensor.at("dtype");
    return name == "float32" ? data_type::f32 : name == "float64" ? data_type::f64 : data_type::s64;
}

array array_of(const json &tensor) {
    return {type_of(tensor), tensor.at("shape").get<dims>(), tensor.at("data").get<std::vector<double>>()};
}

bool is_mean(const json &example) { return example.at("op") == "Mean"; }
bool has_axes(const json &example) { return !is_mean(example) && example.at("inputs").size() == 2; }
bool keeps_dims(const json &example) { return example.at("attrs").value("keepdims", 1) != 0; }

/// All sources of a Mean, the only one of a ReduceMean.
std::vector<array> sources_of(const json &example) {
    std::vector<array> srcs;
    for (const json &tensor : example.at("inputs"))
        if (is_mean(example) || srcs.empty()) srcs.push_back(array_of(tensor));
    return srcs;
}

/// As the attribute of the Graph specification, for which no axes mean none: ONNX's absent axes are all of them.
axes_list axes_of(const json &example, size_t rank) {
    if (has_axes(example)) return example.at("inputs")[1].at("data").get<axes_list>();
    axes_list all(rank);
    for (size_t i = 0; i < rank; ++i)
        all[i] = static_cast<int64_t>(i);
    return all;
}

void expect_output(const array &dst, const json &example) {
    const json &expected = example.at("outputs").at(0);
    EXPECT_EQ(dst.type(), type_of(expected));
    ASSERT_EQ(dst.shape(), expected.at("shape").get<dims>());
    const auto wanted = expected.at("data").get<std::vector<double>>();
    const auto got = dst.values();
    for (size_t i = 0; i < wanted.size(); ++i)
        EXPECT_LE(std::abs(got[i] - wanted[i]),
                  example.at("atol").get<double>() + example.at("rtol").get<double>() * std::abs(wanted[i]))
            << "element " << i << " is " << got[i] << ", not " << wanted[i];
}

class document_example : public testing::TestWithParam<size_t> {
protected:
    const json &example() const { return all_examples()[GetParam()]; }
};

std::string name_of_example(const testing::TestParamInfo<size_t> &info) { return all_examples()[info.param].at("name"); }

TEST_P(document_example, has_its_values) {
    const auto srcs = sources_of(example());
    if (is_mean(example())) return expect_output(run(op::kind::Mean, {}, srcs), example());
    const auto compute = [&] {
        return reduce(op::kind::ReduceMean, srcs[0], axes_of(example(), srcs[0].shape().size()), keeps_dims(example()));
    };
    if (!example().contains("refused")) return expect_output(compute(), example());
    for (const std::string words : example().at("refused"))
        EXPECT_TRUE(fails(onefold_invalid_arguments, {words, "op 0", "ReduceMean"}, compute));
}

INSTANTIATE_TEST_SUITE_P(onnx, document_example, testing::Range(size_t{0}, all_examples().size()), name_of_example);

std::vector<size_t> examples_with_axes() {
    std::vector<size_t> result;
    for (size_t i = 0; i < all_examples().size(); ++i)
        if (has_axes(all_examples()[i])) result.push_back(i);
    return result;
}

class document_example_with_axes_tensor : public document_example {};

TEST_P(document_example_with_axes_tensor, has_its_values) {
    const json &c = example();
    const array axes(data_type::s32, c.at("inputs")[1].at("shape").get<dims>(),
                     c.at("inputs")[1].at("data").get<std::vector<double>>());
    std::vector<array> srcs = {sources_of(c)[0], axes};
    array dst(srcs[0].type(), c.at("outputs")[0].at("shape").get<dims>());
    const auto before = dst.memory();
    const attributes attrs = {{op::attr::keep_dims, keeps_dims(c)}};
    const partition part(make_op(0, op::kind::ReduceMean, attrs, describe(srcs), dst.describe(dst_id)), engine::kind::cpu);
    if (!part.is_supported()) GTEST_SKIP() << "axes that are known at execution only are not supported";
    const compiled_partition compiled = part.compile(describe(srcs), {dst.describe(dst_id)}, cpu());
    if (!c.contains("refused")) {
        execute(compiled, srcs, dst);
        return expect_output(dst, c);
    }
    for (const std::string words : c.at("refused"))
        EXPECT_TRUE(fails(onefold_invalid_arguments, {words, "ReduceMean"}, [&] { execute(compiled, srcs, dst); }));
    EXPECT_EQ(dst.memory(), before) << "the output was written to";
}

INSTANTIATE_TEST_SUITE_P(onnx, document_example_with_axes_tensor, testing::ValuesIn(examples_with_axes()), name_of_example);

// The Graph document: "Take channel axis = 0 and keep_dims = True": dst[0, ...] is the mean over src's channels.
TEST(graph_document, channel_axis_0_keeping_dims) {
    const int64_t channels = 5;
    const dims rest = {2, 3};
    const size_t elements = count_of(rest);
    std::vector<double> values;
    for (size_t i = 0; i < static_cast<size_t>(channels) * elements; ++i)
        values.push_back(static_cast<double>((i * 7) % 11) - 4);
    std::vector<double> means(elements, 0);
    for (size_t i = 0; i < values.size(); ++i)
        means[i % elements] += values[i] / static_cast<double>(channels);
    for (const data_type type : float_types) {
        const array dst = reduce(op::kind::ReduceMean, array(type, {channels, rest[0], rest[1]}, values), {0}, true);
        EXPECT_EQ(dst.shape(), (dims{1, rest[0], rest[1]})) << name_of(type);
        for (size_t i = 0; i < elements; ++i)
            EXPECT_TRUE(is_within(type, dst.values()[i], means[i], 1e-6)) << name_of(type) << " element " << i;
    }
}

TEST(graph_document, no_axes_is_the_identity_and_all_axes_give_one_value) {
    const array src(data_type::f32, {3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    EXPECT_EQ(reduce(op::kind::ReduceMean, src, {}).values(), src.values());
    for (const bool keep_dims : {false, true}) {
        const array dst = reduce(op::kind::ReduceMean, src, {0, 1, 2}, keep_dims);
        EXPECT_EQ(dst.shape(), keep_dims ? dims(3, 1) : dims{});
        EXPECT_EQ(dst.values(), std::vector<double>{6.5});
    }
}

} // namespace
