#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/graph_file.hpp"
#include "io/onnx/array.hpp"

namespace onefold::impl::io {

/// An input of the model that is no initializer.
struct onnx_input {
    std::string name;
    size_t id = 0;
    std::vector<std::string> unknown; // what nothing gives a size, e.g. `dim 0 ("batch")`; empty: the shape is known
};

/// A graph file made from an ONNX model, and what the model has besides.
struct onnx_graph {
    graph_file file;                           // with input_ports and output_ports
    bool is_model = false;                     // false: nothing below is set
    std::map<size_t, std::string> names;       // of tensors; the inputs and outputs all have one
    std::map<size_t, onnx_array> constants;    // tensors that no op produces: initializers and Constant nodes
    std::vector<onnx_input> inputs;            // in the model's order; an op need not read them
    std::set<size_t> views;                    // ids of Wildcard ops whose dst is src's data in the same order with other dims
    std::map<size_t, std::string> unsupported; // Wildcard ops that stand for what onefold cannot do: "node 3 (Conv "c"): why"
};

/// What is known of an input before the graph is made.
struct onnx_known_input {
    impl::dims dims;
    data_type type = onefold_data_type_undef;
    std::span<const std::byte> data = {}; // row-major; empty: the elements are not known
};

/// By name: where the model leaves a dim open, it comes from here; where the axes of a reduction are an input, its elements
/// tell the dims of the result.
using onnx_known_inputs = std::map<std::string, onnx_known_input>;

} // namespace onefold::impl::io
