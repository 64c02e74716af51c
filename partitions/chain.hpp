#pragma once

#include <optional>

#include "graph/partition.hpp"

namespace onefold::impl {

/// A unary or binary op.
bool is_elementwise(const op &o);
bool is_reduction(const op &o);

/// The only consumer of an op's result, if it is free. None behind a reduction whose axes are an input and whose dst has
/// unknown dims.
std::optional<op_index> next_in_chain(const graph &g, op_index last, const taken_ops &taken);

/// `seed` and the unary and binary ops behind it, each the only consumer of the one before, up to 20 of them.
std::vector<op_index> follow_chain(const graph &g, op_index seed, const taken_ops &taken);

} // namespace onefold::impl
