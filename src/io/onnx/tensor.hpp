#pragma once

#include <filesystem>
#include <optional>

#include "io/onnx/proto.hpp"
#include "io/onnx/read.hpp"

namespace onefold::impl::io {

/// undef where onefold has no such type: strings, complex numbers, ...
data_type type_from_onnx(int32_t onnx_type);

/// Takes the elements of a tensor, wherever the model keeps them: in raw or typed form, or in a file in `folder` or below.
/// nullopt where onefold cannot hold the type. Throws error(invalid_arguments), `place` in front, where sizes do not match.
std::optional<onnx_array> read_tensor(const pb::TensorProto &tensor, const std::filesystem::path &folder,
                                      const std::string &place);

/// The elements of an s64 array.
std::vector<int64_t> integers_of(const onnx_array &array);
/// The only element; nullopt where there are more or none, or the type is no number.
std::optional<double> scalar_of(const onnx_array &array);

} // namespace onefold::impl::io
