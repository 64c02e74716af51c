#pragma once

#include <memory>

#include "compile/computation.hpp"
#include "runtime/step.hpp"

namespace onefold::impl::simd {

// Reductions over any loop space, f32, bf16 and f16. No post-ops. How the work is split depends on the sizes alone, so the
// result does not depend on threads.

/// The innermost dim is reduced.
std::unique_ptr<step> make_reduce_rows(const computation &c);
/// The innermost dim is kept.
std::unique_ptr<step> make_reduce_columns(const computation &c);

} // namespace onefold::impl::simd
