#include "simd/lowering.hpp"

#include <limits>

#include "compile/loop_space.hpp"
#include "simd/elementwise.hpp"
#include "simd/epilogue.hpp"
#include "simd/reduction.hpp"

namespace onefold::impl::simd {

namespace {

constexpr double bytes_per_nanosecond = 9.5; // element-wise a little behind oneDNN, which needs no tiles
constexpr double nanoseconds_a_step = 200;

} // namespace

double cost(const computation &c) {
    const bool has_kernel = c.kind != computation_kind::unary || unary_of(kernels(), c.op, c.attributes) != nullptr;
    if (!has_kernel || !epilogue::supports(c)) return std::numeric_limits<double>::infinity();
    return nanoseconds_a_step + touched_bytes(c) / bytes_per_nanosecond;
}

std::unique_ptr<step> make(const computation &c) {
    if (c.kind != computation_kind::reduce) return make_elementwise(c);
    return c.space.reduced.back() ? make_reduce_rows(c) : make_reduce_columns(c);
}

} // namespace onefold::impl::simd
