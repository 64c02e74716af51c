#include "io_onnx_cases.hpp"

#include <fstream>
#include <limits>
#include <stdexcept>

namespace onefold::test {

namespace {

double number_of(const json &value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number()) return value.get<double>();
    if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
    return value == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

} // namespace

const onnx_type_row &type_of(const std::string &numpy) {
    static const std::vector<onnx_type_row> rows = {
        {"float32", pb::TensorProto::FLOAT, onefold_f32},   {"float64", pb::TensorProto::DOUBLE, onefold_f64},
        {"float16", pb::TensorProto::FLOAT16, onefold_f16}, {"int8", pb::TensorProto::INT8, onefold_s8},
        {"int16", pb::TensorProto::INT16, onefold_s16},     {"int32", pb::TensorProto::INT32, onefold_s32},
        {"int64", pb::TensorProto::INT64, onefold_s64},     {"uint8", pb::TensorProto::UINT8, onefold_u8},
        {"uint16", pb::TensorProto::UINT16, onefold_u16},   {"uint32", pb::TensorProto::UINT32, onefold_u32},
        {"uint64", pb::TensorProto::UINT64, onefold_u64},   {"bool", pb::TensorProto::BOOL, onefold_boolean},
    };
    for (const onnx_type_row &row : rows)
        if (numpy == row.numpy) return row;
    throw std::runtime_error("no type " + numpy);
}

onnx_values values_of(const json &tensor) {
    onnx_values result{tensor["shape"].get<impl::dims>(), {}, type_of(tensor["dtype"]).type};
    for (const json &value : tensor["data"])
        result.values.push_back(number_of(value));
    return result;
}

std::vector<json> read_cases(const std::string &path) {
    std::ifstream stream(path);
    return json::parse(stream).get<std::vector<json>>();
}

bool has_axes(const json &c) { return c["inputs"].size() == 2 && c["op"].get<std::string>().starts_with("Reduce"); }

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

} // namespace onefold::test
