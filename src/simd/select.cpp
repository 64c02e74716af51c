#include "simd/rows.hpp"

namespace onefold::impl::simd {

row_kernels::load load_of(const row_kernels &k, data_type type) {
    return type == onefold_f32 ? k.load_f32 : type == onefold_bf16 ? k.load_bf16 : k.load_f16;
}

row_kernels::store store_of(const row_kernels &k, data_type type) {
    return type == onefold_f32 ? k.store_f32 : type == onefold_bf16 ? k.store_bf16 : k.store_f16;
}

const row_kernels::reductions &reductions_of(const row_kernels &k, data_type type) {
    return type == onefold_f32 ? k.of_f32 : type == onefold_bf16 ? k.of_bf16 : k.of_f16;
}

row_kernels::binary binary_of(const row_kernels &k, op_kind op) {
    switch (op) {
    case onefold_op_add:
        return k.add;
    case onefold_op_subtract:
        return k.subtract;
    case onefold_op_multiply:
        return k.multiply;
    case onefold_op_divide:
        return k.divide;
    case onefold_op_maximum:
        return k.maximum;
    case onefold_op_minimum:
        return k.minimum;
    case onefold_op_squared_difference:
        return k.squared_difference;
    default:
        return nullptr;
    }
}

row_kernels::unary unary_of(const row_kernels &k, op_kind op, const unary_attributes &attributes) {
    switch (op) {
    case onefold_op_abs:
        return k.abs;
    case onefold_op_clamp:
        return k.clamp;
    case onefold_op_elu:
        return k.elu;
    case onefold_op_exp:
        return k.exp;
    case onefold_op_hard_sigmoid:
        return k.hard_sigmoid;
    case onefold_op_hard_swish:
        return k.hard_swish;
    case onefold_op_leaky_relu:
        return k.leaky_relu;
    case onefold_op_log:
        return k.log;
    case onefold_op_mish:
        return k.mish;
    case onefold_op_reciprocal:
        return k.reciprocal;
    case onefold_op_relu:
        return k.relu;
    case onefold_op_round:
        return k.round;
    case onefold_op_sigmoid:
        return k.sigmoid;
    case onefold_op_softplus:
        return k.softplus;
    case onefold_op_sqrt:
        return k.sqrt;
    case onefold_op_square:
        return k.square;
    case onefold_op_tanh:
        return k.tanh;
    case onefold_op_gelu:
        return attributes.tanh_approximation ? k.gelu_tanh : k.gelu_erf;
    default:
        return nullptr;
    }
}

} // namespace onefold::impl::simd
