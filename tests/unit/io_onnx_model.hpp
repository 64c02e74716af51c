#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/onnx_file/model.hpp"

namespace onefold::test {

namespace pb = impl::io::pb;

/// Builds an ONNX model piece by piece; each function returns the piece for what it does not set.
class onnx_model {
public:
    explicit onnx_model(int opset, int ir_version = 8) {
        proto.set_ir_version(ir_version);
        proto.add_opset_import()->set_version(opset);
        proto.mutable_graph()->set_name("test");
    }

    pb::GraphProto &graph() { return *proto.mutable_graph(); }

    pb::NodeProto &node(const std::string &op, const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs = {"y"});
    /// A dim of -1 is left open.
    pb::ValueInfoProto &input(const std::string &name, int type, const std::vector<int64_t> &dims);
    pb::ValueInfoProto &output(const std::string &name = "y");
    pb::TensorProto &initializer(const std::string &name, int type, const std::vector<int64_t> &dims);
    void integers(const std::string &name, const std::vector<int64_t> &values); // an s64 initializer of rank 1

    pb::ModelProto proto;
};

void set(pb::NodeProto &node, const std::string &name, int64_t value);
void set(pb::NodeProto &node, const std::string &name, float value);
void set(pb::NodeProto &node, const std::string &name, const std::string &value);
void set(pb::NodeProto &node, const std::string &name, const std::vector<int64_t> &values);

/// A tensor as numbers, row-major.
struct onnx_values {
    impl::dims dims;
    std::vector<double> values;
    impl::data_type type = onefold_f32;
};

/// Imports the model with the inputs' shapes, compiles it and runs it; the outputs by name. Throws what doing so throws, and
/// std::runtime_error with the reasons where a node is not supported.
std::map<std::string, onnx_values> run(const pb::ModelProto &model, const std::map<std::string, onnx_values> &inputs);

/// Expects one line of text that refuses the model; returns it.
std::string refusal(const pb::ModelProto &model);
/// The only reason why a node is not supported; fails the test where there is none, or more than one.
std::string unsupported(const pb::ModelProto &model);

} // namespace onefold::test
