#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/hosted_graph.hpp"
#include "io/onnx_file/read.hpp"

namespace onefold::python {

/// A graph, and how its tensors are called: made by the builder, or read from a file.
using graph_source = impl::io::onnx_graph;

/// A tensor's name, or its id where it has none.
std::string name_of(const graph_source &source, size_t tensor_id);

/// An input or output of the whole graph.
struct graph_port {
    std::string name;
    size_t id;
};

/// A graph cut into partitions, nothing of it compiled. Immutable.
class partitioned_graph {
public:
    /// Throws impl::error or onefold::error where the graph is refused.
    partitioned_graph(graph_source source, graph::partition::policy policy);
    partitioned_graph(const partitioned_graph &) = delete;
    partitioned_graph &operator=(const partitioned_graph &) = delete;

    const graph_source &source() const { return source_; }
    const impl::op &op(size_t id) const { return *ops_.at(id); }
    /// By id, what the graph says of the tensors that are an op's port.
    const std::map<size_t, impl::logical_tensor> &tensors() const { return tensors_; }
    /// What is to be given, in order; an op need not read it.
    const std::vector<graph_port> &inputs() const { return inputs_; }
    const std::vector<graph_port> &outputs() const { return outputs_; }
    /// In the order in which they execute.
    const std::vector<host::graph_part> &parts() const { return parts_; }
    /// Whether the elements of input i are the axes of a reduction whose dst's dims they decide.
    bool decides_dims(size_t i) const { return decides_dims_[i]; }

    /// A sentence for each op that cannot be compiled; views aside.
    std::vector<std::string> unsupported() const;
    /// Throws impl::error(unimplemented) with all of these, if there are any.
    void check_supported() const;

private:
    void find_inputs();

    graph_source source_;
    std::map<size_t, const impl::op *> ops_;
    std::map<size_t, impl::logical_tensor> tensors_;
    std::vector<graph_port> inputs_;
    std::vector<graph_port> outputs_;
    std::vector<bool> decides_dims_;
    std::vector<host::graph_part> parts_;
};

} // namespace onefold::python
