#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/onnx_file/proto.hpp"

namespace onefold::impl::io {

/// Reads the `needed` bytes that a tensor keeps in a file of its own. Throws error(invalid_arguments), `place` in front, where
/// the file is not in `folder` or below (links count by where they lead), or has not that many bytes.
std::vector<std::byte> read_external_data(const pb::TensorProto &tensor, const std::filesystem::path &folder, size_t needed,
                                          const std::string &place);

} // namespace onefold::impl::io
