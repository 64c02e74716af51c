#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "graph/logical_tensor.hpp"

namespace onefold::impl::io {

/// A tensor whose elements are known, row-major.
struct onnx_array {
    data_type type = onefold_data_type_undef;
    impl::dims dims;
    std::vector<std::byte> data;
};

/// The type of ONNX's number; undef where onefold has no such type: strings, complex numbers, ...
data_type type_from_onnx(int64_t number);
/// The number of a type by the name that ONNX gave it before opset 6, e.g. FLOAT; nothing where no type has that name.
std::optional<int64_t> onnx_type_by_name(std::string_view name);

/// The elements of an array of s32 or s64.
std::vector<int64_t> integers_of(const onnx_array &array);
/// The only element; nullopt where there are more or none, or the type is no number.
std::optional<double> scalar_of(const onnx_array &array);

} // namespace onefold::impl::io
