#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "runtime/step.hpp"

// The lowering to SIMD loop nests of our own: copies and conversions, fills, reductions and binary ops over any loop space.
namespace onefold::impl::simd {

/// The estimated time in nanoseconds; infinity where the computation is not supported.
double cost(const computation &c);

std::unique_ptr<step> make(const computation &c);

} // namespace onefold::impl::simd
