#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "runtime/step.hpp"
#include "simd/isa.hpp"

namespace onefold::impl::simd {

/// Copies, conversions, fills, unary, binary and n-ary ops with post-ops, over any loop space, with any strides and broadcast.
std::unique_ptr<step> make_elementwise(const computation &c, const isa &on);

} // namespace onefold::impl::simd
