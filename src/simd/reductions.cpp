#include "simd/reductions.hpp"

namespace onefold::impl::simd {

reduction reduction_of(const isa &on, op_kind op, data_type type, data_type results) {
    if (op == onefold_op_reduce_log_sum || op == onefold_op_reduce_log_sum_exp) return logarithm_reduction(on, op, type);
    if (type == onefold_boolean) return boolean_reduction(on, op);
    if (is_floating(type)) return float_reduction(on, op, type, results);
    return size_of(type) <= 2 ? small_integer_reduction(on, op, type) : integer_reduction(on, op, type);
}

} // namespace onefold::impl::simd
