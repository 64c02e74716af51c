#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "compile/row_program.hpp"
#include "runtime/step.hpp"

// The lowering to oneDNN primitives: reduction, binary and eltwise, each with post-ops, and layer normalization.
namespace onefold::impl::onednn {

/// The estimated time in nanoseconds; infinity where oneDNN has no primitive, or one that breaks a rule of onefold's.
double cost(const computation &c);

/// nullptr where oneDNN has no fast implementation.
std::unique_ptr<step> make(const computation &c);

/// Likewise for a row program: a layer normalization is all that is supported. What the primitive gets wrong, for rows whose
/// mean or variance overflows on the way, `careful` computes instead, a step for the same program.
double cost(const row_program &p);
std::unique_ptr<step> make(const row_program &p, std::unique_ptr<step> careful);

} // namespace onefold::impl::onednn
