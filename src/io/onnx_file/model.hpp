#pragma once

#include "io/onnx_file/proto.hpp"
#include "io/onnx_file/read.hpp"

namespace onefold::impl::io {

/// The newest version of ONNX's file format that is read.
inline constexpr int newest_ir_version = 14;

/// Makes the graph of a model whose external data is in `folder`. Throws as read_onnx() does.
onnx_graph import_model(const pb::ModelProto &model, const std::filesystem::path &folder, const onnx_known_inputs &known = {});

} // namespace onefold::impl::io
