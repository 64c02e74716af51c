#pragma once

#include <memory>
#include <optional>

#include "io/onnx/graph.hpp"
#include "io/onnx/node.hpp"

namespace onefold::impl::io {

/// What the model says of a tensor beside the ops: in value_info or in its list of outputs.
struct declared_tensor {
    data_type type = onefold_data_type_undef;
    std::optional<impl::dims> dims; // nothing: not even the rank; entries may be unknown_dim
};

/// Grows the graph node by node. Tensors have ONNX names on the outside, logical tensors inside.
class graph_builder {
public:
    explicit graph_builder(std::map<std::string, declared_tensor> declared) : declared_(std::move(declared)) {
        graph_.is_model = true;
        graph_.file.input_ports.emplace();
        graph_.file.output_ports.emplace();
    }

    onnx_graph take() { return std::move(graph_); }

    /// A tensor that is not in the graph yet. Throws error where its size overflows.
    logical_tensor make_tensor(data_type type, const std::optional<dims> &dims);
    /// A tensor whose elements are known.
    logical_tensor add_constant(onnx_array array);
    void add_input(onnx_input input, const logical_tensor &tensor);
    void add_output(const std::string &name);
    /// Remembers what is known of an input, as far as it can be axes.
    void know(const logical_tensor &tensor, const onnx_known_input &known);

    /// Adds what the node means, or a Wildcard where it is not supported; its inputs must be defined, its outputs not yet.
    /// Throws error(invalid_arguments) where it breaks a rule of ONNX.
    void add_node(const onnx_node &n);

    bool is_defined(const std::string &name) const { return tensors_.contains(name); }
    /// Gives a tensor an ONNX name; an empty name is none.
    void define(const std::string &name, logical_tensor tensor);

    /// What the node's input is; the name must be defined.
    const logical_tensor &src(const onnx_node &n, size_t i) const { return tensors_.at(n.inputs().at(i)); }
    /// Its elements; nullptr where they are not known before the graph runs.
    const onnx_array *constant(const onnx_node &n, size_t i) const;

    /// Adds an op and returns its dst, of type `dst_type` or else of src 0's. Throws not_supported where the graph does not
    /// take the op, error where shapes or axes do not fit.
    logical_tensor add(const onnx_node &n, std::string_view kind, std::vector<logical_tensor> srcs,
                       attribute_map attributes = {}, data_type dst_type = onefold_data_type_undef);
    /// src's elements in the same order under other dims.
    logical_tensor add_view(std::string name, const logical_tensor &src, const dims &dims);

private:
    /// A Wildcard for a node that is not supported, in place of whatever the node's mapping added after `first_op`.
    void add_unsupported(const onnx_node &n, size_t first_op, const std::string &reason);
    void push(op o);
    /// dst's dims as far as they can be told.
    std::optional<dims> infer(const op &o) const;
    std::optional<dims> infer_with_axes_input(const op &o) const;

    std::map<std::string, declared_tensor> declared_;
    std::map<std::string, logical_tensor> tensors_;
    std::map<size_t, std::vector<int64_t>> known_axes_; // elements of inputs, which executions may change
    std::set<size_t> free_dsts_;                        // tensors that an op produces and that are no output of the graph yet
    size_t next_id_ = 0;
    onnx_graph graph_;
};

} // namespace onefold::impl::io
