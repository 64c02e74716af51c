#pragma once

#include <string>

#include "io/onnx_file/read.hpp"

namespace onefold::driver {

/// A graph file; where it was made from an ONNX model, with what the model has besides.
using graph_source = impl::io::onnx_graph;

/// Reads the graph file that the command line names: .onnx, or else JSON. `known` are the ONNX inputs that are given. Throws
/// bad_input.
graph_source read_graph_source(const std::string &path, const impl::io::onnx_known_inputs &known = {});

/// A tensor's ONNX name, printable, or its id.
std::string name_of(const graph_source &source, size_t tensor_id);

} // namespace onefold::driver
