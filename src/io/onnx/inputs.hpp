#pragma once

#include "io/onnx/builder.hpp"

namespace onefold::impl::io {

/// What a ValueInfoProto says; dims that have a name or nothing are unknown_dim.
declared_tensor read_declaration(const pb::ValueInfoProto &info);

/// Defines the graph's inputs, initializers aside: their open dims come from `shapes`. A symbolic dim has one size in all of
/// them. Throws error(invalid_arguments) where that cannot be.
void add_inputs(graph_builder &b, const pb::GraphProto &graph, const onnx_shapes &shapes);

} // namespace onefold::impl::io
