#include "onednn/post_ops.hpp"

namespace onefold::impl::onednn {

namespace {

/// Without AVX2 oneDNN's logistic is off by more than the error that is allowed.
bool has_exact_logistic() {
    cpu_engine(); // sets the cap, which oneDNN takes only before it is asked for anything
    const auto bits = [](dnnl::cpu_isa isa) { return static_cast<unsigned>(isa); };
    return (bits(dnnl::get_effective_cpu_isa()) & bits(dnnl::cpu_isa::avx2)) == bits(dnnl::cpu_isa::avx2);
}

} // namespace

std::optional<eltwise_algorithm> to_eltwise(op_kind op, const unary_attributes &a) {
    using algorithm = dnnl::algorithm;
    switch (op) {
    case onefold_op_abs:
        return eltwise_algorithm{algorithm::eltwise_abs};
    case onefold_op_elu:
        return eltwise_algorithm{algorithm::eltwise_elu, a.alpha};
    case onefold_op_hard_swish:
        return eltwise_algorithm{algorithm::eltwise_hardswish, 1.0F / 6.0F, 0.5F};
    case onefold_op_leaky_relu:
        return eltwise_algorithm{algorithm::eltwise_relu, a.alpha};
    case onefold_op_pow:
        return eltwise_algorithm{algorithm::eltwise_pow, 1.0F, a.alpha};
    case onefold_op_reciprocal:
        return eltwise_algorithm{algorithm::eltwise_pow, 1.0F, -1.0F};
    case onefold_op_round:
        return eltwise_algorithm{algorithm::eltwise_round};
    case onefold_op_sigmoid:
        if (!has_exact_logistic()) return std::nullopt;
        return eltwise_algorithm{algorithm::eltwise_logistic};
    case onefold_op_sqrt:
        return eltwise_algorithm{algorithm::eltwise_sqrt};
    case onefold_op_square:
        return eltwise_algorithm{algorithm::eltwise_square};
    case onefold_op_tanh:
        return eltwise_algorithm{algorithm::eltwise_tanh};
    default:
        // oneDNN's exp, clip, hardsigmoid and relu turn a NaN into a number, its gelu and mish an infinity into a NaN; its log
        // and soft_relu lose small results.
        return std::nullopt;
    }
}

dnnl::algorithm to_binary(op_kind op) {
    switch (op) {
    case onefold_op_add:
        return dnnl::algorithm::binary_add;
    case onefold_op_subtract:
        return dnnl::algorithm::binary_sub;
    case onefold_op_multiply:
        return dnnl::algorithm::binary_mul;
    case onefold_op_divide:
        return dnnl::algorithm::binary_div;
    default:
        return dnnl::algorithm::undef;
    }
}

namespace {

constexpr int max_post_ops = 32; // oneDNN's limit

bool is_commutative(op_kind op) { return op == onefold_op_add || op == onefold_op_multiply; }

/// Whether the operand fills its memory, in any order of its dims: oneDNN reads a broadcast operand of a post-op as if it had
/// no gaps.
bool is_dense(const operand &o, const loop_space &space) {
    int64_t count = 1;
    int64_t last = 0;
    for (size_t i = 0; i < space.rank(); ++i)
        if (o.strides[i] != 0 && !space.reduced[i]) {
            count *= space.sizes[i];
            last += (space.sizes[i] - 1) * o.strides[i];
        }
    return last + 1 == count;
}

bool append(const post_op &p, const computation &c, dnnl::post_ops &list, std::vector<argument> &arguments) {
    if (!p.is_binary) {
        const auto eltwise = to_eltwise(p.op, p.attributes);
        if (!eltwise) return false;
        list.append_eltwise(eltwise->algorithm, eltwise->alpha, eltwise->beta);
        return true;
    }
    const bool squared_difference = p.op == onefold_op_squared_difference;
    const dnnl::algorithm algorithm = squared_difference ? dnnl::algorithm::binary_sub : to_binary(p.op);
    if (algorithm == dnnl::algorithm::undef) return false;
    if (p.value_is_second && !squared_difference && !is_commutative(p.op)) return false;
    if (!is_dense(p.other, c.space)) return false;
    const dnnl::memory::desc other = descriptor(p.other, c.space);
    arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(list.len()) | DNNL_ARG_SRC_1, p.other.buffer, other});
    list.append_binary(algorithm, other);
    if (squared_difference) list.append_eltwise(dnnl::algorithm::eltwise_square, 0, 0);
    return true;
}

} // namespace

std::optional<post_op_attributes> to_attributes(const computation &c, bool first_square) {
    post_op_attributes result;
    dnnl::post_ops list;
    if (first_square) list.append_eltwise(dnnl::algorithm::eltwise_square, 0, 0);
    for (const post_op &p : c.post_ops)
        if (list.len() + 2 > max_post_ops || !append(p, c, list, result.arguments)) return std::nullopt;
    result.attributes.set_post_ops(list);
    result.attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return result;
}

} // namespace onefold::impl::onednn
