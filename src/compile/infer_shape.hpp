#pragma once

#include "graph/partition.hpp"

namespace onefold::impl {

/// The given outputs, in the order given, with types, dims and strides filled in from the inputs' dims, as compile() would make
/// them. Throws invalid_arguments, invalid_shape or invalid_data_type with a sentence.
std::vector<logical_tensor> infer_shape(const partition &p, std::span<const logical_tensor> inputs,
                                        std::span<const logical_tensor> outputs);

} // namespace onefold::impl
