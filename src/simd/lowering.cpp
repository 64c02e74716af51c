#include "simd/lowering.hpp"

#include <limits>

#include "compile/loop_space.hpp"
#include "simd/elementwise.hpp"
#include "simd/fused_ops.hpp"
#include "simd/reduction.hpp"

namespace onefold::impl::simd {

namespace {

constexpr double bytes_per_nanosecond = 9.5; // element-wise a little behind oneDNN, which needs no tiles
constexpr double nanoseconds_a_step = 200;

bool has_kernel(const computation &c, const isa &on) {
    switch (c.kind) {
    case computation_kind::unary:
        return unary_of(on, c.op, c.attributes, c.arithmetic()) != nullptr;
    case computation_kind::binary:
        return binary_of(on, c.op, c.arithmetic()) != nullptr;
    default:
        return true; // the others have one for every type
    }
}

} // namespace

double cost(const computation &c) {
    const isa &on = chosen_isa();
    const bool is_supported =
        has_kernel(c, on) && has_kernels(on, c.pre_ops, c.arithmetic()) && has_kernels(on, c.post_ops, c.arithmetic());
    if (!is_supported) return std::numeric_limits<double>::infinity();
    return nanoseconds_a_step + touched_bytes(c) / bytes_per_nanosecond;
}

std::unique_ptr<step> make(const computation &c) {
    const isa &on = chosen_isa();
    if (c.kind != computation_kind::reduce) return make_elementwise(c, on);
    return c.space.reduced.back() ? make_reduce_rows(c, on) : make_reduce_columns(c, on);
}

} // namespace onefold::impl::simd
