#include "tests/benchmark/operation.hpp"

namespace onefold::bench {

using graph::logical_tensor;

namespace {

const engine &cpu() {
    static const engine only(engine::kind::cpu, 0);
    return only;
}

} // namespace

operation::operation(const description &what) : stream_(cpu()) {
    std::vector<logical_tensor> srcs;
    for (const dims &d : what.srcs)
        srcs.emplace_back(srcs.size() + 1, what.type->type, d, logical_tensor::layout_type::strided);
    const logical_tensor dst(0, what.type->type);
    graph::op op(0, what.kind, srcs, {dst});
    if (!what.axes.empty()) op.set_attr<dims>(graph::op::attr::axes, what.axes);
    compiled_ = graph::partition(op, engine::kind::cpu).compile(srcs, {dst}, cpu());

    const logical_tensor made = compiled_.query_logical_tensor(0);
    for (const logical_tensor &src : srcs)
        buffers_.emplace_back(*what.type, src.get_mem_size(), src.get_id());
    buffers_.emplace_back(*what.type, made.get_mem_size(), 0);
    for (size_t i = 0; i < srcs.size(); ++i)
        srcs_.emplace_back(srcs[i], cpu(), buffers_[i].data());
    dsts_.emplace_back(made, cpu(), buffers_.back().data());
}

} // namespace onefold::bench
