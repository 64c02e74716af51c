#pragma once

#include "compile/computation.hpp"

namespace onefold::impl {

/// Brings a computation's loop space into canonical form, all operands' strides with it: dims of size 1 dropped, dims in the
/// order of falling strides (of src for a reduction, else of dst; 0 first), neighbours merged where every operand allows it.
/// What remains has at least one dim; a reduction keeps at least one reduced dim. No dim may be 0.
void canonicalise(computation &c);
/// Likewise for any operands: the order of the dims is that of the strides in `primary`, which is one of `strides`.
void canonicalise(loop_space &space, const std::vector<dims *> &strides, const dims &primary);

/// Strides of a tensor aligned at the right of loop dims of those sizes: 0 where it is broadcast or has size 1.
dims broadcast_strides(const dims &d, const dims &strides, const dims &sizes);

/// Row-major strides over the dims that are not reduced, 0 along those that are.
dims dense_kept_strides(const loop_space &space);

/// The number of results, and of elements reduced into each.
int64_t kept_count(const loop_space &space);
int64_t reduced_count(const loop_space &space);

/// Bytes of the sources, as often as they are broadcast, and of dst: what costs are estimated from.
double touched_bytes(const computation &c);

} // namespace onefold::impl
