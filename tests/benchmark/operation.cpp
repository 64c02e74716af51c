#include "tests/benchmark/operation.hpp"

#include <algorithm>

namespace onefold::bench {

using graph::logical_tensor;

const engine &cpu() {
    static const engine only(engine::kind::cpu, 0);
    return only;
}

namespace {

/// The result of a reduction without its axes, which are no negative ones.
logical_tensor reduced(const description &what) {
    dims kept;
    for (size_t d = 0; d < what.srcs[0].size(); ++d)
        if (std::find(what.axes.begin(), what.axes.end(), static_cast<int64_t>(d)) == what.axes.end())
            kept.push_back(what.srcs[0][d]);
    return {0, what.type->type, kept, logical_tensor::layout_type::strided};
}

/// A tensor of which the rank alone is known.
logical_tensor without_dims(const logical_tensor &known) {
    return {known.get_id(), known.get_data_type(), static_cast<int32_t>(known.get_dims().size()),
            logical_tensor::layout_type::strided};
}

} // namespace

operation::operation(const description &what) : stream_(cpu()) {
    std::vector<logical_tensor> srcs;
    for (const dims &d : what.srcs)
        srcs.emplace_back(srcs.size() + 1, what.type->type, d, logical_tensor::layout_type::strided);
    std::vector<logical_tensor> inputs = srcs;
    if (what.has_axes_tensor)
        inputs.emplace_back(srcs.size() + 1, logical_tensor::data_type::s64, dims(1, static_cast<int64_t>(what.axes.size())),
                            logical_tensor::layout_type::strided);
    const logical_tensor dst = what.has_axes_tensor ? reduced(what) : logical_tensor(0, what.type->type);
    graph::op op(0, what.kind, inputs, {dst});
    if (!what.axes.empty() && !what.has_axes_tensor) op.set_attr<dims>(graph::op::attr::axes, what.axes);
    if (what.kind == graph::op::kind::LayerNorm)
        op.set_attr<bool>(graph::op::attr::keep_stats, false).set_attr<bool>(graph::op::attr::use_affine, false);
    const graph::partition only(op, engine::kind::cpu);
    std::vector<logical_tensor> told = inputs, inferred = {dst};
    if (what.has_open_dims) std::transform(told.begin(), told.end(), told.begin(), without_dims);
    compiled_ = only.compile(told, {dst}, cpu());

    only.infer_shape(inputs, inferred);
    const logical_tensor &made = inferred[0];
    for (const logical_tensor &src : srcs)
        buffers_.emplace_back(*what.type, src.get_mem_size(), src.get_id());
    buffers_.emplace_back(*what.type, made.get_mem_size(), 0);
    for (size_t i = 0; i < srcs.size(); ++i)
        srcs_.emplace_back(srcs[i], cpu(), buffers_[i].data());
    if (what.has_axes_tensor) {
        axes_ = what.axes;
        srcs_.emplace_back(inputs.back(), cpu(), axes_.data());
    }
    dsts_.emplace_back(made, cpu(), buffers_.back().data());
}

} // namespace onefold::bench
