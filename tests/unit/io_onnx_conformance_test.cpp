// ONNX's own node cases (tests/conformance/onnx_node_cases.json): each becomes a model of one node that is imported, compiled
// and run. Axes at run time are skipped where they are not supported, with the reason.

#include <cmath>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io_onnx_model.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using nlohmann::json;

struct type_row {
    const char *numpy;
    int onnx;
    impl::data_type type;
};

const type_row &type_of(const std::string &numpy) {
    static const std::vector<type_row> rows = {
        {"float32", pb::TensorProto::FLOAT, onefold_f32},   {"float64", pb::TensorProto::DOUBLE, onefold_f64},
        {"float16", pb::TensorProto::FLOAT16, onefold_f16}, {"int8", pb::TensorProto::INT8, onefold_s8},
        {"int16", pb::TensorProto::INT16, onefold_s16},     {"int32", pb::TensorProto::INT32, onefold_s32},
        {"int64", pb::TensorProto::INT64, onefold_s64},     {"uint8", pb::TensorProto::UINT8, onefold_u8},
        {"uint16", pb::TensorProto::UINT16, onefold_u16},   {"uint32", pb::TensorProto::UINT32, onefold_u32},
        {"uint64", pb::TensorProto::UINT64, onefold_u64},   {"bool", pb::TensorProto::BOOL, onefold_boolean},
    };
    for (const type_row &row : rows)
        if (numpy == row.numpy) return row;
    throw std::runtime_error("no type " + numpy);
}

double number_of(const json &value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number()) return value.get<double>();
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    return value == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

onnx_values values_of(const json &tensor) {
    onnx_values result{tensor["shape"].get<impl::dims>(), {}, type_of(tensor["dtype"]).type};
    for (const json &value : tensor["data"])
        result.values.push_back(number_of(value));
    return result;
}

const std::vector<json> &all_cases() {
    static const std::vector<json> cases = [] {
        std::ifstream stream(ONEFOLD_SOURCE_DIR "/tests/conformance/onnx_node_cases.json");
        return json::parse(stream).get<std::vector<json>>();
    }();
    return cases;
}

bool has_axes(const json &c) { return c["inputs"].size() == 2 && c["op"].get<std::string>().starts_with("Reduce"); }

/// The model of a case; axes are an initializer, or an input like any other.
pb::ModelProto model_of(const json &c, bool axes_at_run_time) {
    onnx_model m(c["opset"]);
    pb::NodeProto &node = m.node(c["op"], c["input_names"], {"dst"});
    for (const auto &[name, value] : c["attrs"].items())
        set(node, name, value.get<int64_t>());
    for (size_t i = 0; i < c["inputs"].size(); ++i) {
        const json &tensor = c["inputs"][i];
        if (i == 1 && has_axes(c) && !axes_at_run_time)
            m.integers(c["input_names"][i], tensor["data"]);
        else
            m.input(c["input_names"][i], type_of(tensor["dtype"]).onnx, tensor["shape"]);
    }
    const json &expected = c["outputs"][0];
    auto &declared = *m.output("dst").mutable_type()->mutable_tensor_type();
    declared.set_elem_type(type_of(expected["dtype"]).onnx);
    declared.mutable_shape();
    for (const int64_t dim : expected["shape"].get<impl::dims>())
        declared.mutable_shape()->add_dim()->set_dim_value(dim);
    return m.proto;
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
    if (const std::string reason = reason_against(c, true); !reason.empty()) {
        EXPECT_TRUE(may_be_missing(c)) << reason;
        GTEST_SKIP() << reason;
    }
    check(c, true);
}

INSTANTIATE_TEST_SUITE_P(onnx, io_onnx_node_case, testing::ValuesIn(positions([](const json &) { return true; })), name_of);
INSTANTIATE_TEST_SUITE_P(onnx, io_onnx_axes_at_run_time, testing::ValuesIn(positions(has_axes)), name_of);

} // namespace
