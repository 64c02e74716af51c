#include "io/onnx_file/model.hpp"

#include <algorithm>

#include "graph/error.hpp"
#include "io/json.hpp"
#include "io/onnx_file/inputs.hpp"
#include "io/onnx_file/node.hpp"
#include "io/onnx_file/tensor.hpp"

namespace onefold::impl::io {

namespace {

/// The version of the default operator set that the model is written to.
int opset_of(const pb::ModelProto &model) {
    std::optional<int64_t> version;
    for (const pb::OperatorSetIdProto &set : model.opset_import()) {
        if (!is_default_domain(set.domain())) continue;
        if (version && *version != set.version())
            fail(onefold_invalid_arguments, "opset_import: versions {} and {} of the default operator set are both imported",
                 *version, set.version());
        version = set.version();
    }
    if (!version && model.ir_version() < 3) version = 1; // there was one only
    if (!version) fail(onefold_invalid_arguments, "opset_import: the version of the default operator set is missing");
    if (*version < 1 || *version > newest_opset)
        fail(onefold_invalid_arguments, "opset_import: opset {} is not known; 1 to {} are", *version, newest_opset);
    return static_cast<int>(*version);
}

void check_file(const pb::ModelProto &model) {
    if (!model.has_graph()) fail(onefold_invalid_arguments, "is not an ONNX model: there is no graph");
    if (model.ir_version() < 1 || model.ir_version() > newest_ir_version)
        fail(onefold_invalid_arguments, "ir_version: version {} of the file format is not known; 1 to {} are",
             model.ir_version(), newest_ir_version);
    if (model.graph().output().empty()) fail(onefold_invalid_arguments, "the graph has no outputs");
}

std::map<std::string, declared_tensor> read_declarations(const pb::GraphProto &graph, const onnx_symbols &symbols) {
    std::map<std::string, declared_tensor> declared;
    for (const pb::ValueInfoProto &info : graph.value_info())
        declared[info.name()] = read_declaration(info, symbols);
    for (const pb::ValueInfoProto &info : graph.output())
        declared[info.name()] = read_declaration(info, symbols);
    return declared;
}

void add_initializers(graph_builder &b, const pb::GraphProto &graph, const std::filesystem::path &folder) {
    const auto check_name = [&](const std::string &name) {
        if (name.empty()) fail(onefold_invalid_arguments, "an initializer has no name");
        if (b.is_defined(name)) fail(onefold_invalid_arguments, "initializer \"{}\": the name is given twice", printable(name));
    };
    for (const pb::TensorProto &tensor : graph.initializer()) {
        check_name(tensor.name());
        const std::string place = fmt::format("initializer \"{}\"", printable(tensor.name()));
        std::optional<onnx_array> array = read_tensor(tensor, folder, place);
        const dims dims(tensor.dims().begin(), tensor.dims().end());
        b.define(tensor.name(),
                 array ? b.add_constant(std::move(*array)) : b.make_tensor(type_from_onnx(tensor.data_type()), dims));
    }
    for (const pb::SparseTensorProto &sparse : graph.sparse_initializer()) {
        check_name(sparse.values().name());
        b.define(sparse.values().name(), b.make_tensor(onefold_data_type_undef, std::nullopt));
    }
}

/// Where each name comes from, for the message on one that is used too early.
std::map<std::string, int> producers_of(const pb::GraphProto &graph) {
    std::map<std::string, int> producers;
    for (int i = 0; i < graph.node_size(); ++i)
        for (const std::string &name : graph.node(i).output())
            producers.emplace(name, i);
    return producers;
}

void check_names(const graph_builder &b, const onnx_node &n, const std::map<std::string, int> &producers) {
    for (const std::string &name : n.inputs()) {
        if (name.empty() || b.is_defined(name)) continue;
        const auto producer = producers.find(name);
        if (producer == producers.end()) n.reject("input \"{}\" is the name of nothing in the graph", printable(name));
        n.reject("input \"{}\" comes from node {}, which is not before it: the nodes form a cycle or are out of order",
                 printable(name), producer->second);
    }
    std::set<std::string_view> own;
    for (const std::string &name : n.outputs())
        if (!name.empty() && (b.is_defined(name) || !own.insert(name).second))
            n.reject("output \"{}\": the name is given twice", printable(name));
}

void add_nodes(graph_builder &b, const pb::GraphProto &graph, const std::filesystem::path &folder, int opset) {
    const std::map<std::string, int> producers = producers_of(graph);
    for (int i = 0; i < graph.node_size(); ++i) {
        const onnx_node n(read_node(graph.node(i), folder), static_cast<size_t>(i), opset);
        check_names(b, n, producers);
        b.add_node(n);
    }
}

void add_outputs(graph_builder &b, const pb::GraphProto &graph) {
    std::set<std::string> seen;
    for (const pb::ValueInfoProto &info : graph.output()) {
        const std::string place = fmt::format("output \"{}\"", printable(info.name()));
        if (!seen.insert(info.name()).second)
            fail(onefold_invalid_arguments, "{}: the graph has two outputs of that name", place);
        if (!b.is_defined(info.name())) fail(onefold_invalid_arguments, "{}: is the name of nothing in the graph", place);
        b.add_output(info.name());
    }
}

} // namespace

onnx_graph import_model(const pb::ModelProto &model, const std::filesystem::path &folder, const onnx_known_inputs &known) {
    check_file(model);
    const int opset = opset_of(model);
    const pb::GraphProto &graph = model.graph();
    const onnx_symbols symbols = bind_symbols(graph, known);
    graph_builder b(read_declarations(graph, symbols));
    add_inputs(b, graph, known, symbols);
    add_initializers(b, graph, folder);
    add_nodes(b, graph, folder, opset);
    add_outputs(b, graph);
    return b.take();
}

} // namespace onefold::impl::io
