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

/// The ports of a partition with inputs whose dims or strides are not known before an execution brings them.
struct open_ports {
    std::vector<logical_tensor> inputs;  // in the partition's order; strided, with dims and strides as far as they are known
    std::vector<logical_tensor> outputs; // as the caller gave them, but for the order
};

/// Whether two lists of dims, or strides, can be the same when all that is unknown of them is known.
bool may_agree(const dims &a, const dims &b);

/// Whether the partition has such inputs.
bool has_open_inputs(const partition &p, std::span<const logical_tensor> inputs);

/// Matches what the caller gave by id, and checks of it what can be checked. Throws as resolve_ports(); invalid_arguments also
/// where the rank of an input is unknown.
open_ports find_open_ports(const partition &p, std::span<const logical_tensor> inputs, std::span<const logical_tensor> outputs);

/// Matches what the caller gave by id, infers shapes, fills in what outputs leave open. Throws invalid_arguments,
/// invalid_shape or invalid_data_type with a sentence.
resolved_ports resolve_ports(const partition &p, std::span<const logical_tensor> inputs,
                             std::span<const logical_tensor> outputs);

} // namespace onefold::impl
