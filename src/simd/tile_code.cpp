#include "simd/tile_code.hpp"

#include <algorithm>
#include <array>

#include "simd/column_emitter.hpp"
#include "simd/tile_emitter.hpp"

namespace onefold::impl::simd {

namespace {

template <class Emitter>
class compiled_tile : public tile_code {
public:
    explicit compiled_tile(const tile_computation &c) : code_(c), run_(code_.template getCode<void (*)(tile_call *)>()) {}
    void run(tile_call &call) const override { run_(&call); }

private:
    Emitter code_;
    void (*run_)(tile_call *);
};

} // namespace

bool has_tile_code(row_opcode code, op_kind op) {
    switch (code) {
    case row_opcode::root:
    case row_opcode::reciprocal_sqrt:
    case row_opcode::round:
    case row_opcode::binary:
    case row_opcode::quotient:
    case row_opcode::subtract_multiply:
    case row_opcode::subtract_quotient:
    case row_opcode::multiply_add:
        return true;
    case row_opcode::unary:
        break;
    default:
        return false;
    }
    constexpr std::array ops = {onefold_op_abs,     onefold_op_clamp, onefold_op_exp,        onefold_op_leaky_relu,
                                onefold_op_log,     onefold_op_neg,   onefold_op_reciprocal, onefold_op_relu,
                                onefold_op_sigmoid, onefold_op_sqrt,  onefold_op_square};
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

bool has_reduction_code(op_kind op) {
    constexpr std::array ops = {onefold_op_reduce_sum, onefold_op_reduce_mean, onefold_op_reduce_l1,
                                onefold_op_reduce_l2,  onefold_op_reduce_max,  onefold_op_reduce_min};
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

std::unique_ptr<const tile_code> compile_tile(const tile_computation &c) {
    if (c.stream_count() > most_streams || !tile_emitter::fits(c)) return nullptr;
    try {
        if (c.reduces_columns) return std::make_unique<const compiled_tile<column_emitter>>(c);
        return std::make_unique<const compiled_tile<tile_emitter>>(c);
    } catch (const asm86::Error &) {
        return nullptr;
    }
}

} // namespace onefold::impl::simd
