#pragma once

#include "simd/kernels.hpp"

namespace onefold::impl::simd {

// The parts of reduction_of(): a file for each, since they take long to compile.
reduction float_reduction(const isa &on, op_kind op, data_type type, data_type results);
reduction small_integer_reduction(const isa &on, op_kind op, data_type type);
reduction integer_reduction(const isa &on, op_kind op, data_type type);
reduction logarithm_reduction(const isa &on, op_kind op, data_type type);
reduction boolean_reduction(const isa &on, op_kind op);

} // namespace onefold::impl::simd
