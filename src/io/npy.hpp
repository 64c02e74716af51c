#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "graph/types.hpp"

namespace onefold::impl::io {

/// The content of an .npy file.
struct npy_array {
    data_type type = onefold_data_type_undef;
    impl::dims dims;
    std::vector<std::byte> data; // row-major, whatever order the file has
};

/// The element types that .npy files have: f16, f32, f64, signed and unsigned integers, boolean. The other types travel as
/// raw words: bf16 as u16, the 8-bit floats as u8. undef where there is none.
data_type npy_type_of(data_type type);

/// Reads versions 1.0 to 3.0, C and Fortran order, little endian. Throws error(invalid_arguments), the path in front, for
/// anything else; checks the sizes against the file's before allocating.
npy_array read_npy(const std::filesystem::path &path);

/// Writes row-major `data` of elements of `type` (as npy_type_of() translates it). Throws error(runtime_error) where the file
/// cannot be written.
void write_npy(const std::filesystem::path &path, data_type type, const dims &dims, std::span<const std::byte> data);

} // namespace onefold::impl::io
