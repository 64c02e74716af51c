#include "integrations/onnxruntime/host_graph.hpp"

#include <algorithm>
#include <memory>

namespace onefold::onnxruntime {

namespace {

using impl::dims;
using impl::io::onnx_value;

/// Calls two of the host's functions: one that counts things, one that lists so many.
template <typename Item, typename Owner>
std::vector<const Item *> list(const host &h, OrtStatus *(ORT_API_CALL *count)(const Owner *, size_t *),
                               OrtStatus *(ORT_API_CALL *get)(const Owner *, const Item **, size_t), const Owner &owner) {
    size_t size = 0;
    h.check(count(&owner, &size));
    std::vector<const Item *> items(size);
    if (size > 0) h.check(get(&owner, items.data(), size));
    return items;
}

std::string name_of(const host &h, const OrtValueInfo *value) {
    const char *name = nullptr;
    if (value) h.check(h->GetValueInfoName(value, &name));
    return name ? name : "";
}

std::vector<std::string> names_of(const host &h, const std::vector<const OrtValueInfo *> &values) {
    std::vector<std::string> names;
    for (const OrtValueInfo *value : values)
        names.push_back(name_of(h, value));
    return names;
}

dims dims_of(const host &h, const OrtTensorTypeAndShapeInfo &info) {
    size_t rank = 0;
    h.check(h->GetDimensionsCount(&info, &rank));
    dims result(rank);
    if (rank > 0) h.check(h->GetDimensions(&info, result.data(), rank));
    return result;
}

host_value read_value(const host &h, const OrtValueInfo &value) {
    host_value result;
    const OrtTypeInfo *type = nullptr;
    h.check(h->GetValueInfoTypeInfo(&value, &type));
    const OrtTensorTypeAndShapeInfo *tensor = nullptr;
    if (type) h.check(h->CastTypeInfoToTensorInfo(type, &tensor));
    if (!tensor) return result;
    ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    h.check(h->GetTensorElementType(tensor, &element));
    result.type = impl::io::type_from_onnx(element); // the host numbers them as ONNX does
    bool is_constant = false;
    h.check(h->ValueInfo_IsConstantInitializer(&value, &is_constant));
    if (is_constant) h.check(h->ValueInfo_GetInitializerValue(&value, &result.constant));
    dims known = result.constant ? onnxruntime::dims_of(h, *result.constant) : dims_of(h, *tensor);
    std::replace_if(
        known.begin(), known.end(), [](int64_t d) { return d < 0; }, impl::unknown_dim);
    // A scalar and a tensor of unknown rank look the same.
    if (result.constant || !known.empty()) result.dims = std::move(known);
    return result;
}

/// The host tells the size where the buffer is too small.
size_t attribute_bytes(const host &h, const OrtOpAttr &attribute, OrtOpAttrType type) {
    size_t bytes = 0;
    if (OrtStatus *too_small = h->ReadOpAttr(&attribute, type, nullptr, 0, &bytes)) h->ReleaseStatus(too_small);
    return bytes;
}

template <typename T>
T read_one(const host &h, const OrtOpAttr &attribute, OrtOpAttrType type) {
    T value{};
    size_t bytes = 0;
    h.check(h->ReadOpAttr(&attribute, type, &value, sizeof(T), &bytes));
    return value;
}

template <typename List>
List read_list(const host &h, const OrtOpAttr &attribute, OrtOpAttrType type) {
    size_t bytes = attribute_bytes(h, attribute, type);
    List values(bytes / sizeof(typename List::value_type), {});
    if (bytes > 0) h.check(h->ReadOpAttr(&attribute, type, values.data(), bytes, &bytes));
    return values;
}

onnx_value read_attribute(const host &h, const OrtOpAttr &attribute) {
    OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
    h.check(h->OpAttr_GetType(&attribute, &type));
    switch (type) {
    case ORT_OP_ATTR_INT:
        return read_one<int64_t>(h, attribute, type);
    case ORT_OP_ATTR_FLOAT:
        return read_one<float>(h, attribute, type);
    case ORT_OP_ATTR_STRING:
        return read_list<std::string>(h, attribute, type);
    case ORT_OP_ATTR_INTS:
        return read_list<std::vector<int64_t>>(h, attribute, type);
    case ORT_OP_ATTR_FLOATS:
        return read_list<std::vector<float>>(h, attribute, type);
    default: // the host makes initializers of Constant nodes, whose attributes are the only tensors in the table
        return std::monostate{};
    }
}

onnx_node_source read_node(const host &h, const OrtNode &node) {
    const char *op_type = nullptr, *domain = nullptr, *name = nullptr;
    h.check(h->Node_GetOperatorType(&node, &op_type));
    h.check(h->Node_GetDomain(&node, &domain));
    h.check(h->Node_GetName(&node, &name));
    onnx_node_source source{op_type, domain, name, input_names(h, node), output_names(h, node), {}};
    if (!impl::io::is_default_domain(source.domain) || !impl::io::find_onnx_op(source.op_type)) return source;
    for (const OrtOpAttr *attribute : list<OrtOpAttr, OrtNode>(h, h->Node_GetNumAttributes, h->Node_GetAttributes, node)) {
        const char *attribute_name = nullptr;
        h.check(h->OpAttr_GetName(attribute, &attribute_name));
        source.attributes.push_back({attribute_name, read_attribute(h, *attribute)});
    }
    return source;
}

int opset_of(const host &h, const OrtGraph &graph) {
    size_t count = 0;
    h.check(h->Graph_GetNumOperatorSets(&graph, &count));
    std::vector<const char *> domains(count);
    std::vector<int64_t> versions(count);
    h.check(h->Graph_GetOperatorSets(&graph, domains.data(), versions.data(), count));
    for (size_t i = 0; i < count; ++i)
        if (impl::io::is_default_domain(domains[i])) return static_cast<int>(versions[i]);
    return 0;
}

bool is_free(const host &h, const OrtNode &node) {
    const char *provider = nullptr;
    h.check(h->Node_GetEpName(&node, &provider));
    return !provider || *provider == '\0';
}

/// The values that a node reads, those in graphs inside of it included; nullptr for what is left out.
std::vector<const OrtValueInfo *> values_read(const host &h, const OrtNode &node) {
    auto values = list<OrtValueInfo, OrtNode>(h, h->Node_GetNumInputs, h->Node_GetInputs, node);
    const auto implicit = list<OrtValueInfo, OrtNode>(h, h->Node_GetNumImplicitInputs, h->Node_GetImplicitInputs, node);
    values.insert(values.end(), implicit.begin(), implicit.end());
    return values;
}

} // namespace

std::vector<std::string> input_names(const host &h, const OrtNode &node) {
    return names_of(h, list<OrtValueInfo, OrtNode>(h, h->Node_GetNumInputs, h->Node_GetInputs, node));
}

std::vector<std::string> output_names(const host &h, const OrtNode &node) {
    return names_of(h, list<OrtValueInfo, OrtNode>(h, h->Node_GetNumOutputs, h->Node_GetOutputs, node));
}

host_graph read_graph(const host &h, const OrtGraph &graph) {
    host_graph result;
    result.opset = opset_of(h, graph);
    for (const std::string &name :
         names_of(h, list<OrtValueInfo, OrtGraph>(h, h->Graph_GetNumOutputs, h->Graph_GetOutputs, graph)))
        result.outputs.insert(name);
    const auto value_of = [&](const OrtValueInfo *value, const std::string &name) -> host_value & {
        auto known = result.values.find(name);
        if (known == result.values.end()) known = result.values.emplace(name, read_value(h, *value)).first;
        return known->second;
    };
    for (const OrtNode *handle : list<OrtNode, OrtGraph>(h, h->Graph_GetNumNodes, h->Graph_GetNodes, graph)) {
        const size_t index = result.nodes.size();
        host_node node{handle, read_node(h, *handle), {}, is_free(h, *handle)};
        for (const OrtValueInfo *read : values_read(h, *handle)) {
            const std::string name = name_of(h, read);
            if (name.empty()) continue;
            host_value &value = value_of(read, name);
            if (value.producer) node.producers.push_back(*value.producer);
            value.readers.push_back(index);
        }
        for (const OrtValueInfo *made : list<OrtValueInfo, OrtNode>(h, h->Node_GetNumOutputs, h->Node_GetOutputs, *handle))
            if (const std::string name = name_of(h, made); !name.empty()) value_of(made, name).producer = index;
        result.nodes.push_back(std::move(node));
    }
    return result;
}

bool is_inside_of_node(const host &h, const OrtGraph &graph) {
    size_t inputs = 0;
    h.check(h->Graph_GetNumInputs(&graph, &inputs));
    if (inputs == 0) return true;
    const auto is_from_outside = [&](const OrtValueInfo *value) {
        bool is_outside = false;
        if (value) h.check(h->ValueInfo_IsFromOuterScope(value, &is_outside));
        return is_outside;
    };
    const auto nodes = list<OrtNode, OrtGraph>(h, h->Graph_GetNumNodes, h->Graph_GetNodes, graph);
    return std::any_of(nodes.begin(), nodes.end(), [&](const OrtNode *node) {
        const auto values = values_read(h, *node);
        return std::any_of(values.begin(), values.end(), is_from_outside);
    });
}

impl::dims dims_of(const host &h, const OrtValue &tensor) {
    OrtTensorTypeAndShapeInfo *info = nullptr;
    h.check(h->GetTensorTypeAndShape(&tensor, &info));
    const auto release = [&h](OrtTensorTypeAndShapeInfo *i) { h->ReleaseTensorTypeAndShapeInfo(i); };
    const std::unique_ptr<OrtTensorTypeAndShapeInfo, decltype(release)> owner(info, release);
    return dims_of(h, *info);
}

const void *data_of(const host &h, const OrtValue &tensor) {
    void *data = nullptr;
    h.check(h->GetTensorMutableData(const_cast<OrtValue *>(&tensor), &data)); // the host has no function that is const
    return data;
}

} // namespace onefold::onnxruntime
