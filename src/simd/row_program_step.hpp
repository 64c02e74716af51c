#pragma once

#include <memory>

#include "compile/row_program.hpp"
#include "runtime/step.hpp"
#include "simd/isa.hpp"

namespace onefold::impl::simd {

/// Instructions that a program may have.
inline constexpr size_t most_instructions = 256;

/// One loop nest that computes a row program; its kept dims are not empty.
std::unique_ptr<step> make_row_program_step(const row_program &p, const isa &on);

} // namespace onefold::impl::simd
