#include "io/onnx_file/node.hpp"

#include "io/onnx_file/tensor.hpp"

namespace onefold::impl::io {

namespace {

/// IR version 1 has no types on attributes: the field that is set tells.
pb::AttributeProto::AttributeType type_of(const pb::AttributeProto &a) {
    if (a.has_type() && a.type() != pb::AttributeProto::UNDEFINED) return a.type();
    if (a.has_i()) return pb::AttributeProto::INT;
    if (a.has_f()) return pb::AttributeProto::FLOAT;
    if (a.has_s()) return pb::AttributeProto::STRING;
    if (a.has_t()) return pb::AttributeProto::TENSOR;
    if (a.ints_size() > 0) return pb::AttributeProto::INTS;
    if (a.floats_size() > 0) return pb::AttributeProto::FLOATS;
    return pb::AttributeProto::UNDEFINED;
}

onnx_value value_of(const pb::AttributeProto &a, const std::filesystem::path &folder) {
    switch (type_of(a)) {
    case pb::AttributeProto::INT:
        return a.i();
    case pb::AttributeProto::FLOAT:
        return a.f();
    case pb::AttributeProto::STRING:
        return a.s();
    case pb::AttributeProto::INTS:
        return std::vector<int64_t>(a.ints().begin(), a.ints().end());
    case pb::AttributeProto::FLOATS:
        return std::vector<float>(a.floats().begin(), a.floats().end());
    case pb::AttributeProto::TENSOR:
        return onnx_tensor_value{a.t().data_type(), [&tensor = a.t(), folder](const std::string &place) {
                                     return read_tensor(tensor, folder, place);
                                 }};
    case pb::AttributeProto::UNDEFINED:
        return onnx_untyped_list{};
    default:
        return std::monostate{};
    }
}

} // namespace

onnx_node_source read_node(const pb::NodeProto &node, const std::filesystem::path &folder) {
    onnx_node_source source{node.op_type(), node.domain(), node.name(), {}, {}, {}};
    source.inputs.assign(node.input().begin(), node.input().end());
    source.outputs.assign(node.output().begin(), node.output().end());
    for (const pb::AttributeProto &a : node.attribute())
        source.attributes.push_back({a.name(), value_of(a, folder)});
    return source;
}

} // namespace onefold::impl::io
