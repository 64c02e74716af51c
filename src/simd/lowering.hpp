#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "compile/row_program.hpp"
#include "runtime/step.hpp"

// The lowering to SIMD loop nests of our own: copies and conversions, fills, reductions and binary ops over any loop space.
namespace onefold::impl::simd {

/// The estimated time in nanoseconds; infinity where the computation is not supported.
double cost(const computation &c);

std::unique_ptr<step> make(const computation &c);

/// Likewise for a row program, all of which are supported but unusually long ones.
double cost(const row_program &p);
std::unique_ptr<step> make(const row_program &p);

} // namespace onefold::impl::simd
