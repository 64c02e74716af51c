#pragma once

#include <filesystem>

#include "io/onnx/node.hpp"
#include "io/onnx_file/proto.hpp"

namespace onefold::impl::io {

/// A node as the file has it, which must outlive the result: tensors are read from it when they are asked for. External data
/// is in `folder`.
onnx_node_source read_node(const pb::NodeProto &node, const std::filesystem::path &folder);

} // namespace onefold::impl::io
