#include "simd/unaries.hpp"

namespace onefold::impl::simd {

unary_kernel unary_of(const isa &on, op_kind op, const unary_attributes &attributes, data_type arithmetic) {
    switch (arithmetic) {
    case onefold_f32:
        return float_unary(on, op, attributes);
    case onefold_f64:
        return double_unary(on, op, attributes);
    default:
        return integer_unary(on, op, arithmetic);
    }
}

} // namespace onefold::impl::simd
