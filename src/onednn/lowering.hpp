#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "runtime/step.hpp"

// The lowering to oneDNN primitives: reduction, binary and eltwise, each with post-ops.
namespace onefold::impl::onednn {

/// The estimated time in nanoseconds; infinity where oneDNN has no primitive, or one that breaks a rule of onefold's.
double cost(const computation &c);

/// nullptr where oneDNN has no fast implementation.
std::unique_ptr<step> make(const computation &c);

} // namespace onefold::impl::onednn
