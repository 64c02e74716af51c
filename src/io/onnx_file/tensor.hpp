#pragma once

#include <filesystem>
#include <optional>

#include "io/onnx/array.hpp"
#include "io/onnx_file/proto.hpp"

namespace onefold::impl::io {

/// Takes the elements of a tensor, wherever the model keeps them: in raw or typed form, or in a file in `folder` or below.
/// nullopt where onefold cannot hold the type. Throws error(invalid_arguments), `place` in front, where sizes do not match.
std::optional<onnx_array> read_tensor(const pb::TensorProto &tensor, const std::filesystem::path &folder,
                                      const std::string &place);

} // namespace onefold::impl::io
