#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "integrations/onnxruntime/host.hpp"
#include "io/onnx/node.hpp"

namespace onefold::onnxruntime {

using impl::io::onnx_array;
using impl::io::onnx_node_source;

/// A tensor of the host's graph, as far as it is known before the graph runs.
struct host_value {
    impl::data_type type = onefold_data_type_undef; // undef: not a tensor, or of a type that onefold has not
    std::optional<impl::dims> dims;                 // nothing: not even the rank; entries may be unknown_dim
    const OrtValue *constant = nullptr;             // its elements, where nothing can change them
    std::optional<size_t> producer;                 // index of a node; nothing: it comes from outside
    std::vector<size_t> readers;                    // indices of the nodes that read it, be it in graphs inside of them
};

/// A node of the host's graph.
struct host_node {
    const OrtNode *handle = nullptr;
    onnx_node_source source;       // without attributes where onefold has no such op
    std::vector<size_t> producers; // indices of the nodes that it reads from, be it in graphs inside of it; may repeat
    bool is_free = true;           // no other provider has it
};

/// A graph as the host shows it; pointers are valid as long as the host's graph is.
struct host_graph {
    int opset = 0;                // of the default domain; 0: none
    std::vector<host_node> nodes; // in topological order
    std::map<std::string, host_value> values;
    std::set<std::string> outputs;
};

/// Reads a graph. Throws host_error.
host_graph read_graph(const host &h, const OrtGraph &graph);

/// True for a graph that an attribute of a node holds, as far as that shows: it has no inputs, or reads what is outside of it.
bool is_inside_of_node(const host &h, const OrtGraph &graph);

/// The names of a node's inputs and outputs; empty for one that is left out.
std::vector<std::string> input_names(const host &h, const OrtNode &node);
std::vector<std::string> output_names(const host &h, const OrtNode &node);

/// The dims of a tensor that exists.
impl::dims dims_of(const host &h, const OrtValue &tensor);
/// Its elements, which are in the memory of the CPU.
const void *data_of(const host &h, const OrtValue &tensor);

} // namespace onefold::onnxruntime
