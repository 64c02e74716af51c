#pragma once

#include "simd/kernels.hpp"

namespace onefold::impl::simd {

// The parts of unary_of(): a file for each arithmetic.
unary_kernel float_unary(const isa &on, op_kind op, const unary_attributes &attributes);
unary_kernel double_unary(const isa &on, op_kind op, const unary_attributes &attributes);
unary_kernel integer_unary(const isa &on, op_kind op, data_type type);

} // namespace onefold::impl::simd
