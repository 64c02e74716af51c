#pragma once

#include <optional>

#include "compile/row_program.hpp"

namespace onefold::impl::onednn {

/// A layer normalization over the reduced dims: (src - mean) / sqrt(variance + epsilon) * scale + shift.
struct layer_norm {
    size_t src = 0; // numbers of the program's inputs
    std::optional<size_t> scale;
    std::optional<size_t> shift;
    float epsilon = 0;
};

/// The layer normalization that a program with one output is, and nothing else; nullopt where it is none. Whatever the layouts
/// and types of its inputs.
std::optional<layer_norm> match_layer_norm(const row_program &p);

} // namespace onefold::impl::onednn
