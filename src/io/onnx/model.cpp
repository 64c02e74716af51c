#include "io/onnx/model.hpp"

#include <algorithm>

#include "graph/error.hpp"
#include "io/json.hpp"
#include "io/onnx/inputs.hpp"
#include "io/onnx/tensor.hpp"

namespace onefold::impl::io {

namespace {

bool is_default_domain(const std::string &domain) { return domain.empty() || domain == "ai.onnx"; }

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

void add_initializers(graph_builder &b, const pb::GraphProto &graph) {
    const auto check_name = [&](const std::string &name) {
        if (name.empty()) fail(onefold_invalid_arguments, "an initializer has no name");
        if (b.is_defined(name)) fail(onefold_invalid_arguments, "initializer \"{}\": the name is given twice", printable(name));
    };
    for (const pb::TensorProto &tensor : graph.initializer()) {
        check_name(tensor.name());
        const std::string place = fmt::format("initializer \"{}\"", printable(tensor.name()));
        std::optional<onnx_array> array = read_tensor(tensor, b.folder(), place);
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
    for (const std::string &name : n.proto().input()) {
        if (name.empty() || b.is_defined(name)) continue;
        const auto producer = producers.find(name);
        if (producer == producers.end()) n.reject("input \"{}\" is the name of nothing in the graph", printable(name));
        n.reject("input \"{}\" comes from node {}, which is not before it: the nodes form a cycle or are out of order",
                 printable(name), producer->second);
    }
    std::set<std::string_view> own;
    for (const std::string &name : n.proto().output())
        if (!name.empty() && (b.is_defined(name) || !own.insert(name).second))
            n.reject("output \"{}\": the name is given twice", printable(name));
}

void check_types(const graph_builder &b, const onnx_node &n) {
    type_set allowed = 0;
    for (const onnx_types &step : n.row()->types)
        if (step.since <= n.opset()) allowed = step.allowed;
    std::optional<int> first;
    for (int i = 0; i < std::min(n.proto().input_size(), n.row()->inputs.operands); ++i) {
        if (!n.has_input(i)) continue;
        const data_type type = b.src(n, i).type;
        if (type == onefold_data_type_undef) throw not_supported(fmt::format("the type of input {} is not known", i));
        if (!contains(allowed, type))
            n.reject("input {} has type {}, which the op does not take in this version", i, name_of(type));
        if (!first) first = i;
        if (const data_type other = b.src(n, *first).type; type != other)
            n.reject("input {} has type {}, but input {} has {}; they must be the same", i, name_of(type), *first,
                     name_of(other));
    }
}

void map_node(graph_builder &b, const onnx_node &n) {
    const pb::NodeProto &proto = n.proto();
    if (!is_default_domain(proto.domain()))
        throw not_supported(fmt::format("the domain \"{}\" is not known", printable(proto.domain())));
    if (!n.row()) {
        if (const onnx_op *later = find_onnx_op(proto.op_type()); later && n.opset() < later->since)
            n.reject("the op came with opset {}", later->since);
        throw not_supported("onefold has no such op");
    }
    n.check();
    check_types(b, n);
    n.row()->map(b, n);
}

void add_nodes(graph_builder &b, const pb::GraphProto &graph, int opset) {
    const std::map<std::string, int> producers = producers_of(graph);
    for (int i = 0; i < graph.node_size(); ++i) {
        const onnx_node n(graph.node(i), static_cast<size_t>(i), opset);
        check_names(b, n, producers);
        const size_t first_op = b.graph().file.ops.size();
        try {
            map_node(b, n);
        } catch (const not_supported &e) {
            b.add_unsupported(n, first_op, e.what());
        }
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
    graph_builder b(folder, read_declarations(graph, symbols));
    add_inputs(b, graph, known, symbols);
    add_initializers(b, graph);
    add_nodes(b, graph, opset);
    add_outputs(b, graph);
    return b.take();
}

} // namespace onefold::impl::io
