#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "io/graph_file.hpp"
#include "onefold/graph.hpp"

/// For programs that take a graph file through the public API: the command-line driver, the Python package.
namespace onefold::host {

// The public API's logical tensors and the graph library's, back and forth.
graph::logical_tensor to_public(const impl::logical_tensor &tensor);
impl::logical_tensor from_public(const graph::logical_tensor &tensor);

/// A tensor that enters the graph, with an op that reads it.
struct graph_input {
    size_t id;
    const impl::op *consumer;
    size_t port; // of the consumer
};

/// Tensors that ops read and no op produces: those of input_ports first, in its order, then in the ops' order. (Ids in
/// input_ports that no op reads do not count.) What is returned refers to the file's ops.
std::vector<graph_input> inputs_of(const impl::io::graph_file &file);

/// output_ports, where the file has it; else the tensors that an op produces and that none reads, or an End op. Throws
/// impl::error where an output port is no op's.
std::vector<size_t> outputs_of(const impl::io::graph_file &file);

/// By id, every tensor that is a port of an op, with all that its ports together say of it.
std::map<size_t, impl::logical_tensor> tensors_of(const impl::io::graph_file &file);

/// What a partition of the graph is made of.
struct graph_part {
    graph::partition partition;
    std::vector<size_t> ops;     // op ids, in execution order
    std::vector<size_t> inputs;  // tensor ids
    std::vector<size_t> outputs; // tensor ids
    bool is_end = false;         // holds nothing but End ops: there is nothing to execute
    bool is_view = false;        // its only output is its only input's memory with other dims: nothing to execute either
};

/// Cuts the graph, in the order in which the parts execute; the graph's outputs are outputs of parts. `views` are ids of
/// Wildcard ops. Throws onefold::error where the graph is refused, impl::error as outputs_of() does.
std::vector<graph_part> partition(const impl::io::graph_file &file, const std::set<size_t> &views,
                                  graph::partition::policy policy);

} // namespace onefold::host
