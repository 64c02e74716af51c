#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "io_onnx_model.hpp"

// Cases of one node in JSON: name, opset, op, attrs, input_names, inputs and outputs (dtype, shape, data), atol and rtol.
namespace onefold::test {

using nlohmann::json;

/// A type by its name in NumPy, in ONNX and here.
struct onnx_type_row {
    const char *numpy;
    int onnx;
    impl::data_type type;
};
/// Throws where no type has that name.
const onnx_type_row &type_of(const std::string &numpy);

/// A tensor of a case; "nan", "inf" and "-inf" are strings.
onnx_values values_of(const json &tensor);

std::vector<json> read_cases(const std::string &path);

/// Whether input 1 is a reduction's axes.
bool has_axes(const json &c);

/// The model of a case; axes are an initializer, or an input like any other.
pb::ModelProto model_of(const json &c, bool axes_at_run_time);

} // namespace onefold::test
