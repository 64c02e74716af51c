#include "integrations/onnxruntime/group.hpp"

#include <algorithm>
#include <cstring>

#include "graph/error.hpp"
#include "io/onnx/builder.hpp"

namespace onefold::onnxruntime {

namespace {

using impl::dims;
using impl::io::graph_builder;
using impl::io::onnx_node;

/// Longer constants are weights: the host hands them over at each execution, and nothing is copied.
constexpr size_t most_constant_bytes = 4096;

std::optional<onnx_array> read_constant(const host &h, const host_value &value) {
    if (!value.constant || !value.dims || value.type == onefold_data_type_undef || impl::bits_of(value.type) % 8 != 0)
        return std::nullopt;
    const auto bytes = static_cast<size_t>(impl::element_count(*value.dims) * impl::size_of(value.type));
    if (bytes > most_constant_bytes) return std::nullopt;
    onnx_array array{value.type, *value.dims, std::vector<std::byte>(bytes)};
    if (bytes > 0) std::memcpy(array.data.data(), data_of(h, *value.constant), bytes);
    return array;
}

/// True if the node's input `i` is a list of axes.
bool is_axes_port(const onnx_node_source &node, int opset, size_t i) {
    const impl::io::onnx_op *row = impl::io::find_onnx_op(node.op_type, opset);
    return row && row->map == impl::io::map_reduction && i == 1;
}

/// True if the node's input `i` is a bound, which can only be a scalar.
bool is_bound_port(const onnx_node_source &node, int opset, size_t i) {
    const impl::io::onnx_op *row = impl::io::find_onnx_op(node.op_type, opset);
    return row && row->map == impl::io::map_clip_inputs && i > 0;
}

void add_input(graph_builder &b, const group_input &input, const known_input *known) {
    if (input.constant) return b.define(input.name, b.add_constant(*input.constant));
    if (known && input.is_axes) {
        const auto data = std::as_bytes(known->axes);
        return b.define(input.name, b.add_constant({onefold_s64, known->dims, {data.begin(), data.end()}}));
    }
    b.add_input({input.name, 0, {}}, b.make_tensor(input.type, known ? std::optional(known->dims) : input.dims));
}

} // namespace

group make_group(const host &h, const host_graph &graph, std::span<const size_t> members) {
    group g{graph.opset, {}, {}, {}, {}};
    const auto is_member = [&](size_t n) { return std::binary_search(members.begin(), members.end(), n); };
    std::set<std::string> produced;
    std::map<std::string, size_t> inputs; // indices
    for (const size_t member : members) {
        const onnx_node_source &node = graph.nodes[member].source;
        for (size_t i = 0; i < node.inputs.size(); ++i) {
            const std::string &name = node.inputs[i];
            if (name.empty() || produced.contains(name)) continue;
            const auto [input, is_new] = inputs.emplace(name, g.inputs.size());
            const host_value &value = graph.values.at(name);
            if (is_new) g.inputs.push_back({name, value.type, value.dims, read_constant(h, value), false});
            group_input &known = g.inputs[input->second];
            if (!known.dims && is_bound_port(node, graph.opset, i)) known.dims.emplace();
            known.is_axes |= !known.constant && is_axes_port(node, graph.opset, i);
        }
        for (const std::string &name : node.outputs) {
            if (name.empty()) continue;
            produced.insert(name);
            const host_value &value = graph.values.at(name);
            g.types.emplace(name, value.type);
            const bool stays = !value.readers.empty() && std::all_of(value.readers.begin(), value.readers.end(), is_member);
            if (!stays || graph.outputs.contains(name)) g.outputs.push_back(name);
        }
        g.nodes.push_back(node);
    }
    return g;
}

impl::io::onnx_graph import_group(const group &g, std::span<const known_input> known) {
    std::map<std::string, impl::io::declared_tensor> declared;
    for (const auto &[name, type] : g.types)
        declared.emplace(name, impl::io::declared_tensor{type, std::nullopt});
    graph_builder b(std::move(declared));
    for (size_t i = 0; i < g.inputs.size(); ++i)
        add_input(b, g.inputs[i], known.empty() ? nullptr : &known[i]);
    for (size_t i = 0; i < g.nodes.size(); ++i)
        b.add_node(onnx_node(g.nodes[i], i, g.opset));
    for (const std::string &name : g.outputs)
        b.add_output(name);
    impl::io::onnx_graph graph = b.take();
    if (!graph.unsupported.empty()) impl::fail(onefold_unimplemented, "{}", graph.unsupported.begin()->second);
    return graph;
}

bool is_fixed(const group &g) {
    return std::all_of(g.inputs.begin(), g.inputs.end(), [](const group_input &input) {
        return input.constant || (!input.is_axes && input.dims &&
                                  std::find(input.dims->begin(), input.dims->end(), impl::unknown_dim) == input.dims->end());
    });
}

std::vector<known_input> known_inputs(const group &g) {
    std::vector<known_input> known;
    for (const group_input &input : g.inputs)
        known.push_back({input.constant ? input.constant->dims : input.dims.value_or(dims{}), {}});
    return known;
}

} // namespace onefold::onnxruntime
