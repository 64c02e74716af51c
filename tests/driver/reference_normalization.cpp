#include <numeric>

#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// Computes ops one after the other, in f32, on tensors that are the source with some dims reduced to 1.
class steps {
public:
    explicit steps(std::vector<int64_t> axes) : axes_(std::move(axes)) {}

    reference_tensor reduce(impl::op_kind kind, const reference_tensor &src) const {
        return compute(kind, {&src}, {{onefold_op_attr_axes, axes_}, {onefold_op_attr_keep_dims, true}}, axes_);
    }
    static reference_tensor apply(impl::op_kind kind, const reference_tensor &src) { return compute(kind, {&src}, {}, {}); }
    static reference_tensor apply(impl::op_kind kind, const reference_tensor &a, const reference_tensor &b) {
        return compute(kind, {&a, &b}, {}, {});
    }

private:
    static reference_tensor compute(impl::op_kind kind, const std::vector<const reference_tensor *> &srcs,
                                    impl::attribute_map attributes, const std::vector<int64_t> &axes) {
        impl::op o;
        o.kind = kind;
        o.raw_attributes = std::move(attributes);
        o.inputs.resize(srcs.size());
        o.outputs.resize(1);
        for (auto *ports : {&o.inputs, &o.outputs})
            for (impl::logical_tensor &port : *ports)
                port.type = onefold_f32;
        return compute_rounded(o, srcs, axes).front();
    }

    std::vector<int64_t> axes_;
};

reference_tensor softmax(const impl::op &o, const reference_tensor &src) {
    const bool is_logarithm = o.kind == onefold_op_log_softmax;
    const steps s({attribute_or(o, onefold_op_attr_axis, int64_t{is_logarithm ? -1 : 1})});
    const reference_tensor below_max = s.apply(onefold_op_subtract, src, s.reduce(onefold_op_reduce_max, src));
    const reference_tensor exponentials = s.apply(onefold_op_exp, below_max);
    const reference_tensor sum = s.reduce(onefold_op_reduce_sum, exponentials);
    if (is_logarithm) return s.apply(onefold_op_subtract, below_max, s.apply(onefold_op_log, sum));
    return s.apply(onefold_op_divide, exponentials, sum);
}

/// LayerNorm's and RMSNorm's.
std::vector<int64_t> normalized_axes(const impl::op &o, size_t rank) {
    const auto r = static_cast<int64_t>(rank);
    const int64_t given = attribute_or(o, onefold_op_attr_begin_norm_axis, int64_t{-1});
    const int64_t first = given < 0 ? given + r : given;
    std::vector<int64_t> axes(static_cast<size_t>(r - first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

std::vector<reference_tensor> layer_norm(const impl::op &o, std::span<const reference_tensor *const> srcs) {
    const reference_tensor &src = *srcs[0];
    const auto axes = normalized_axes(o, src.dims.size());
    const steps s(axes);
    const bool is_centred = o.kind == onefold_op_layer_norm;
    reference_tensor mean = is_centred ? s.reduce(onefold_op_reduce_mean, src) : reference_tensor();
    const reference_tensor centred = is_centred ? s.apply(onefold_op_subtract, src, mean) : src;
    reference_tensor variance = s.reduce(onefold_op_reduce_mean, s.apply(onefold_op_square, centred));
    const reference_tensor epsilon = exact_tensor({}, {attribute_or(o, onefold_op_attr_epsilon, 1e-5F)});
    const reference_tensor deviation = s.apply(onefold_op_sqrt, s.apply(onefold_op_add, variance, epsilon));
    reference_tensor dst = s.apply(onefold_op_divide, centred, deviation);
    if (srcs.size() > 1) dst = s.apply(onefold_op_multiply, dst, *srcs[1]);
    if (srcs.size() > 2) dst = s.apply(onefold_op_add, dst, *srcs[2]);
    if (o.outputs.size() == 1) return {std::move(dst)};
    for (reference_tensor *statistic : {&mean, &variance})
        statistic->dims.resize(statistic->dims.size() - axes.size());
    return {std::move(dst), std::move(mean), std::move(variance)};
}

} // namespace

bool is_normalization(impl::op_kind kind) {
    return kind == onefold_op_softmax || kind == onefold_op_log_softmax || kind == onefold_op_layer_norm ||
           kind == onefold_op_rms_norm;
}

std::vector<reference_tensor> compute_normalization(const impl::op &o, std::span<const reference_tensor *const> srcs) {
    if (o.kind == onefold_op_layer_norm || o.kind == onefold_op_rms_norm) return layer_norm(o, srcs);
    return {softmax(o, *srcs[0])};
}

} // namespace onefold::driver
