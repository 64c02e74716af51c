#pragma once

#include <optional>

#include "graph/partition.hpp"

namespace onefold::impl {

/// True for ops that onefold compiles as they stand in the graph: of a compiled family, and with what they need known when
/// the graph is compiled (a reduction's axes).
bool is_compiled(const op &o);

/// A unary or binary op.
bool is_elementwise(const op &o);
/// One that is compiled.
bool is_reduction(const op &o);

/// The only consumer of an op's result, if it is free.
std::optional<op_index> next_in_chain(const graph &g, op_index last, const taken_ops &taken);

/// `seed` and the unary and binary ops behind it, each the only consumer of the one before, up to 20 of them.
std::vector<op_index> follow_chain(const graph &g, op_index seed, const taken_ops &taken);

} // namespace onefold::impl
