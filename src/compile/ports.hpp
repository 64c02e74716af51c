#pragma once

#include <map>
#include <span>
#include <vector>

#include "graph/partition.hpp"

namespace onefold::impl {

/// The ports of a partition with everything known that compiling needs, and the dims of the tensors between its ops.
struct resolved_ports {
    std::vector<logical_tensor> inputs;  // in the partition's order; strided
    std::vector<logical_tensor> outputs; // likewise
    std::map<size_t, dims> dims_of;      // of every tensor id
};

/// Matches what the caller gave by id, infers shapes, fills in what outputs leave open. Throws invalid_arguments,
/// invalid_shape or invalid_data_type with a sentence.
resolved_ports resolve_ports(const partition &p, std::span<const logical_tensor> inputs,
                             std::span<const logical_tensor> outputs);

} // namespace onefold::impl
