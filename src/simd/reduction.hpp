#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "runtime/step.hpp"
#include "simd/isa.hpp"

namespace onefold::impl::simd {

// Reductions over any loop space, with pre-ops and post-ops. How the work is split depends on the sizes alone, so the result
// does not depend on threads.

/// The innermost dim is reduced.
std::unique_ptr<step> make_reduce_rows(const computation &c, const isa &on);
/// The innermost dim is kept.
std::unique_ptr<step> make_reduce_columns(const computation &c, const isa &on);
/// Likewise, of many blocks with few rows and columns each, whose results lie behind each other for dst and every post-op.
std::unique_ptr<step> make_reduce_narrow(const computation &c, const isa &on);
bool is_narrow(const computation &c);

} // namespace onefold::impl::simd
