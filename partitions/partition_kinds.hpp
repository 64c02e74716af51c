#pragma once

#include <span>

#include "graph/partition.hpp"

namespace onefold::impl {

/// The partition kinds that a policy uses, in the order in which they are tried. The order is that of one list, in
/// partition_kinds.cpp; each kind has a file of its own beside it.
std::span<const partition_kind *const> partition_kinds(partition_policy policy);

extern const partition_kind row_program_kind;
extern const partition_kind reduction_chain;
extern const partition_kind elementwise_chain;
extern const partition_kind single_op;

} // namespace onefold::impl
