#pragma once

#include "io/onnx/builder.hpp"
#include "io/onnx_file/proto.hpp"

namespace onefold::impl::io {

/// The size that a symbolic dim has, and the input that it comes from.
struct onnx_symbol {
    int64_t size;
    std::string input;
};
using onnx_symbols = std::map<std::string, onnx_symbol>;

/// Holds the dims that are known of the graph's inputs against those declared; the sizes of the symbolic dims come out. Throws
/// error(invalid_arguments) where they contradict, or a symbolic dim has not one size everywhere.
onnx_symbols bind_symbols(const pb::GraphProto &graph, const onnx_known_inputs &known);

/// What a ValueInfoProto says; dims that are left open, or have a name that is none of the symbols, are unknown_dim.
declared_tensor read_declaration(const pb::ValueInfoProto &info, const onnx_symbols &symbols = {});

/// Defines the graph's inputs, initializers aside. Throws error(invalid_arguments) for a size that overflows.
void add_inputs(graph_builder &b, const pb::GraphProto &graph, const onnx_known_inputs &known, const onnx_symbols &symbols);

} // namespace onefold::impl::io
