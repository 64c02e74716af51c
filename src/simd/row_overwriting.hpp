#pragma once

#include <utility>
#include <vector>

#include "compile/row_program.hpp"

namespace onefold::impl::simd {

/// Pairs of an input's and an output's buffer that may be the same memory: their elements have the same places, and each
/// element of the input is read for the last time before that of the output is written, by the same thread.
std::vector<std::pair<size_t, size_t>> find_overwrites(const row_program &p);

} // namespace onefold::impl::simd
