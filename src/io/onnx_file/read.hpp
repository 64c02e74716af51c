#pragma once

#include <filesystem>

#include "io/onnx/graph.hpp"

namespace onefold::impl::io {

/// Reads an ONNX model. Throws error(invalid_arguments), one line with the path in front, where the file or the model breaks a
/// rule of ONNX; what is merely not supported is returned. Never allocates out of proportion to the file, whatever it claims.
onnx_graph read_onnx(const std::filesystem::path &path, const onnx_known_inputs &known = {});

} // namespace onefold::impl::io
