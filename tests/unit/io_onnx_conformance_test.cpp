// ONNX's own node cases (tests/conformance/onnx_node_cases.json): each becomes a model of one node that is imported, compiled
// and run, axes as an initializer and at run time.

#include <cmath>

#include <gtest/gtest.h>

#include "io_onnx_cases.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

const std::vector<json> &all_cases() {
    static const std::vector<json> cases = read_cases(ONEFOLD_SOURCE_DIR "/tests/conformance/onnx_node_cases.json");
    return cases;
}

void check(const json &c, bool axes_at_run_time) {
    std::map<std::string, onnx_values> inputs;
    for (size_t i = 0; i < c["inputs"].size(); ++i)
        inputs.emplace(c["input_names"][i], values_of(c["inputs"][i]));
    const auto outputs = run(model_of(c, axes_at_run_time), inputs);
    const onnx_values &actual = outputs.at("dst");
    const onnx_values expected = values_of(c["outputs"][0]);
    EXPECT_EQ(actual.dims, expected.dims);
    EXPECT_EQ(actual.type, expected.type);
    ASSERT_EQ(actual.values.size(), expected.values.size());
    for (size_t i = 0; i < expected.values.size(); ++i) {
        const double e = expected.values[i], a = actual.values[i];
        if (a == e || (std::isnan(a) && std::isnan(e))) continue;
        EXPECT_LE(std::abs(a - e), c["atol"].get<double>() + c["rtol"].get<double>() * std::abs(e)) << "element " << i;
    }
}

/// Nothing where the case's op is supported, else why not.
std::string reason_against(const json &c, bool axes_at_run_time) {
    const impl::io::onnx_graph graph = impl::io::import_model(model_of(c, axes_at_run_time), {});
    return graph.unsupported.empty() ? "" : graph.unsupported.begin()->second;
}

std::string name_of(const testing::TestParamInfo<size_t> &info) { return all_cases()[info.param]["name"]; }

std::vector<size_t> positions(bool (*wanted)(const json &)) {
    std::vector<size_t> result;
    for (size_t i = 0; i < all_cases().size(); ++i)
        if (wanted(all_cases()[i])) result.push_back(i);
    return result;
}

class io_onnx_node_case : public testing::TestWithParam<size_t> {};

TEST_P(io_onnx_node_case, gives_the_expected_outputs) {
    const json &c = all_cases()[GetParam()];
    ASSERT_EQ(reason_against(c, false), "");
    check(c, false);
}

class io_onnx_axes_at_run_time : public testing::TestWithParam<size_t> {};

TEST_P(io_onnx_axes_at_run_time, gives_the_expected_outputs) {
    const json &c = all_cases()[GetParam()];
    ASSERT_EQ(reason_against(c, true), "");
    check(c, true);
}

INSTANTIATE_TEST_SUITE_P(onnx, io_onnx_node_case, testing::ValuesIn(positions([](const json &) { return true; })), name_of);
INSTANTIATE_TEST_SUITE_P(onnx, io_onnx_axes_at_run_time, testing::ValuesIn(positions(has_axes)), name_of);

} // namespace
