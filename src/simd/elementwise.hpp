#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "runtime/step.hpp"

namespace onefold::impl::simd {

/// Copies, conversions, fills, unary and binary ops with post-ops, over any loop space, with any strides and broadcast, f32,
/// bf16 and f16.
std::unique_ptr<step> make_elementwise(const computation &c);

} // namespace onefold::impl::simd
