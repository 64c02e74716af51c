#include "onednn/lowering.hpp"

#include <limits>
#include <new>

#include "compile/loop_space.hpp"
#include "onednn/post_ops.hpp"

namespace onefold::impl::onednn {

namespace {

constexpr double unsupported = std::numeric_limits<double>::infinity();
constexpr size_t max_rank = 12; // DNNL_MAX_NDIMS

// From onefold_benchmark --calibrate on an AVX-512 machine, two threads: what a call costs, what a row of a reduction costs
// whatever its length, and memory.
constexpr double nanoseconds_a_call = 1000;
constexpr double nanoseconds_a_row = 100;
constexpr double bytes_per_nanosecond = 50;

double time_of(const computation &c) { return nanoseconds_a_call + touched_bytes(c) / bytes_per_nanosecond; }

/// [R] or [K,R], dense: the spaces for which oneDNN has a fast reduction.
bool is_trailing(const loop_space &space, const operand &src) {
    if (space.rank() == 1) return space.reduced[0] && src.strides[0] == 1;
    return space.rank() == 2 && !space.reduced[0] && space.reduced[1] && src.strides[1] == 1 &&
           src.strides[0] == space.sizes[1];
}

bool is_dense_vector(const operand &o) { return o.strides.size() == 1 && o.strides[0] == 1; }

bool is_broadcast(const operand &o, const loop_space &space) {
    for (size_t i = 0; i < space.rank(); ++i)
        if (o.strides[i] == 0 && space.sizes[i] != 1) return true;
    return false;
}

dnnl::algorithm to_reduction(op_kind op) {
    switch (op) {
    case onefold_op_reduce_sum:
        return dnnl::algorithm::reduction_sum;
    case onefold_op_reduce_mean:
        return dnnl::algorithm::reduction_mean;
    default:
        // Max and min drop NaN; product and norms have no fast implementation and overflow early.
        return dnnl::algorithm::undef;
    }
}

/// oneDNN's mean of values near the type's largest overflows on the way; only f16, added in f32, cannot.
bool keeps_mean_finite(const computation &c) { return c.op != onefold_op_reduce_mean || c.src[0].type == onefold_f16; }

double reduction_cost(const computation &c) {
    if (to_reduction(c.op) == dnnl::algorithm::undef || !keeps_mean_finite(c)) return unsupported;
    if (!is_trailing(c.space, c.src[0]) || reduced_count(c.space) > longest_row) return unsupported;
    return time_of(c) + nanoseconds_a_row * static_cast<double>(kept_count(c.space));
}

std::unique_ptr<step> make_reduction(const computation &c) {
    auto post_ops = to_attributes(c);
    if (!post_ops) return nullptr;
    loop_space kept = c.space;
    for (size_t i = 0; i < kept.rank(); ++i)
        if (kept.reduced[i]) kept.sizes[i] = 1;
    const dnnl::memory::desc src = descriptor(c.src[0], c.space);
    const dnnl::memory::desc dst = descriptor(c.dst, kept);
    const dnnl::reduction::primitive_desc descriptor(cpu_engine(), to_reduction(c.op), src, dst, 0.0F, 0.0F,
                                                     post_ops->attributes, true);
    if (!descriptor || !is_fast(descriptor)) return nullptr;
    post_ops->arguments.push_back({DNNL_ARG_SRC, c.src[0].buffer, src});
    post_ops->arguments.push_back({DNNL_ARG_DST, c.dst.buffer, dst});
    return std::make_unique<primitive_step>(descriptor, dnnl::reduction(descriptor), "reduction",
                                            std::move(post_ops->arguments));
}

double binary_cost(const computation &c) {
    const bool has_algorithm = c.op == onefold_op_squared_difference || to_binary(c.op) != dnnl::algorithm::undef;
    if (!has_algorithm || c.space.rank() > max_rank || is_broadcast(c.src[0], c.space)) return unsupported;
    return time_of(c);
}

std::unique_ptr<step> make_binary(const computation &c) {
    const bool squared_difference = c.op == onefold_op_squared_difference;
    auto post_ops = to_attributes(c, squared_difference);
    if (!post_ops) return nullptr;
    const dnnl::memory::desc src_0 = descriptor(c.src[0], c.space);
    const dnnl::memory::desc src_1 = descriptor(c.src[1], c.space);
    const dnnl::memory::desc dst = descriptor(c.dst, c.space);
    const dnnl::algorithm algorithm = squared_difference ? dnnl::algorithm::binary_sub : to_binary(c.op);
    const dnnl::binary::primitive_desc descriptor(cpu_engine(), algorithm, src_0, src_1, dst, post_ops->attributes, true);
    if (!descriptor || !is_fast(descriptor)) return nullptr;
    post_ops->arguments.push_back({DNNL_ARG_SRC_0, c.src[0].buffer, src_0});
    post_ops->arguments.push_back({DNNL_ARG_SRC_1, c.src[1].buffer, src_1});
    post_ops->arguments.push_back({DNNL_ARG_DST, c.dst.buffer, dst});
    return std::make_unique<primitive_step>(descriptor, dnnl::binary(descriptor), "binary", std::move(post_ops->arguments));
}

double unary_cost(const computation &c) {
    if (!to_eltwise(c.op, c.attributes) || !is_dense_vector(c.src[0]) || !is_dense_vector(c.dst)) return unsupported;
    return time_of(c);
}

std::unique_ptr<step> make_unary(const computation &c) {
    auto post_ops = to_attributes(c);
    if (!post_ops) return nullptr;
    const dnnl::memory::desc src = descriptor(c.src[0], c.space);
    const dnnl::memory::desc dst = descriptor(c.dst, c.space);
    const auto eltwise = *to_eltwise(c.op, c.attributes);
    const dnnl::eltwise_forward::primitive_desc descriptor(cpu_engine(), dnnl::prop_kind::forward_inference, eltwise.algorithm,
                                                           src, dst, eltwise.alpha, eltwise.beta, post_ops->attributes, true);
    if (!descriptor || !is_fast(descriptor)) return nullptr;
    post_ops->arguments.push_back({DNNL_ARG_SRC, c.src[0].buffer, src});
    post_ops->arguments.push_back({DNNL_ARG_DST, c.dst.buffer, dst});
    return std::make_unique<primitive_step>(descriptor, dnnl::eltwise_forward(descriptor), "eltwise",
                                            std::move(post_ops->arguments));
}

} // namespace

double cost(const computation &c) {
    if (c.arithmetic() != onefold_f32 || !c.pre_ops.empty()) return unsupported;
    switch (c.kind) {
    case computation_kind::reduce:
        return reduction_cost(c);
    case computation_kind::binary:
        return binary_cost(c);
    case computation_kind::unary:
        return unary_cost(c);
    default:
        return unsupported;
    }
}

namespace {

std::unique_ptr<step> make_of_kind(const computation &c) {
    switch (c.kind) {
    case computation_kind::reduce:
        return make_reduction(c);
    case computation_kind::binary:
        return make_binary(c);
    case computation_kind::unary:
        return make_unary(c);
    default:
        return nullptr;
    }
}

} // namespace

std::unique_ptr<step> make(const computation &c) {
    try {
        return make_of_kind(c);
    } catch (const dnnl::error &e) {
        // What oneDNN cannot describe (overlapping strides, say) it cannot compute either.
        if (e.status == dnnl_out_of_memory) throw std::bad_alloc();
        return nullptr;
    }
}

} // namespace onefold::impl::onednn
