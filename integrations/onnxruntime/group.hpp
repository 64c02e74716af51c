#pragma once

#include <span>

#include "integrations/onnxruntime/host_graph.hpp"
#include "io/onnx/graph.hpp"

namespace onefold::onnxruntime {

/// A tensor that a group of nodes reads and does not produce.
struct group_input {
    std::string name;
    impl::data_type type = onefold_data_type_undef;
    std::optional<impl::dims> dims;     // as in host_value
    std::optional<onnx_array> constant; // where its elements may decide what the nodes mean: axes, shapes, exponents, bounds
    bool is_axes = false;               // a reduction reads it as its axes, which an execution tells
};

/// What an execution tells of an input that is no constant.
struct known_input {
    impl::dims dims;
    std::span<const int64_t> axes = {}; // the elements, where it is_axes
};

/// Nodes that become one. It holds copies: the host's graph may go.
struct group {
    int opset = 0;
    std::vector<onnx_node_source> nodes; // in topological order
    std::vector<group_input> inputs;
    std::vector<std::string> outputs;
    std::map<std::string, impl::data_type> types; // of what the nodes produce, where the host knows them
};

/// A group of some of a graph's nodes, by their indices in rising order. Its outputs are what is read outside, and what nothing
/// reads. Throws host_error where a constant cannot be read.
group make_group(const host &h, const host_graph &graph, std::span<const size_t> members);

/// The graph of a group, from the table of ONNX ops; `known` is for all inputs in their order, or empty: then dims are what the
/// host knows. Throws impl::error where a node breaks a rule of ONNX, or is not supported.
impl::io::onnx_graph import_group(const group &g, std::span<const known_input> known = {});

/// True if the dims of all inputs are known before an execution tells them, and no axes are for it to tell.
bool is_fixed(const group &g);
/// What is known of the inputs of such a group.
std::vector<known_input> known_inputs(const group &g);

} // namespace onefold::onnxruntime
