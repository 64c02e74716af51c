#include "tests/benchmark/chain.hpp"

#include <algorithm>

namespace onefold::bench {

using graph::logical_tensor;
using kind = graph::op::kind;
using attr = graph::op::attr;

namespace {

/// Writes a chain's ops into a graph.
class chain_writer {
public:
    explicit chain_writer(const chain_description &what) : what_(what), graph_(engine::kind::cpu), src_(tensor(what.sizes)) {
        dst_ = write();
        graph_.finalize();
    }

    const graph::graph &made() const { return graph_; }
    size_t src() const { return src_.get_id(); }
    size_t dst() const { return dst_.get_id(); }

private:
    logical_tensor tensor(const dims &sizes) {
        return {next_id_++, what_.type->type, sizes, logical_tensor::layout_type::strided};
    }
    logical_tensor scalar() { return tensor({1}); }
    dims reduced() const { return sizes_with(1, true); }
    logical_tensor weights() { return tensor(sizes_with(1, false)); }

    /// The sizes of which the reduced ones, or the others, are replaced.
    dims sizes_with(int64_t replacement, bool of_reduced) const {
        dims sizes = what_.sizes;
        for (size_t d = 0; d < sizes.size(); ++d) {
            const bool is_reduced =
                std::find(what_.axes.begin(), what_.axes.end(), static_cast<int64_t>(d)) != what_.axes.end();
            if (is_reduced == of_reduced) sizes[d] = replacement;
        }
        return sizes;
    }

    logical_tensor add(graph::op op, const dims &sizes) {
        const logical_tensor dst = tensor(sizes);
        op.add_output(dst);
        graph_.add_op(op);
        return dst;
    }
    logical_tensor reduce(kind k, const logical_tensor &src) {
        graph::op op(next_id_++, k, "");
        op.add_input(src);
        op.set_attr<dims>(attr::axes, what_.axes).set_attr<bool>(attr::keep_dims, true);
        return add(op, reduced());
    }
    logical_tensor unary(kind k, const logical_tensor &src, float beta = 0) {
        graph::op op(next_id_++, k, "");
        op.add_input(src);
        if (k == kind::Pow) op.set_attr<float>(attr::beta, beta);
        return add(op, src.get_dims());
    }
    /// The first operand has the result's shape.
    logical_tensor binary(kind k, const logical_tensor &a, const logical_tensor &b) {
        graph::op op(next_id_++, k, "");
        op.add_inputs({a, b});
        return add(op, a.get_dims());
    }

    logical_tensor write() {
        switch (what_.kind) {
        case chain_kind::layer_norm: {
            const auto difference = binary(kind::Subtract, src_, reduce(kind::ReduceMean, src_));
            const auto variance = reduce(kind::ReduceMean, unary(kind::Pow, difference, 2));
            const auto deviation = unary(kind::Sqrt, binary(kind::Add, variance, scalar()));
            const auto normal = binary(kind::Divide, difference, deviation);
            return binary(kind::Add, binary(kind::Multiply, normal, weights()), weights());
        }
        case chain_kind::rms_norm: {
            const auto mean = reduce(kind::ReduceMean, unary(kind::Pow, src_, 2));
            const auto root = unary(kind::Sqrt, binary(kind::Add, mean, scalar()));
            return binary(kind::Multiply, binary(kind::Multiply, src_, unary(kind::Reciprocal, root)), weights());
        }
        case chain_kind::l2_norm:
            return binary(kind::Divide, src_, reduce(kind::ReduceL2, src_));
        case chain_kind::softmax:
        case chain_kind::log_softmax:
            break;
        }
        const auto shifted = binary(kind::Subtract, src_, reduce(kind::ReduceMax, src_));
        const auto exponentials = unary(kind::Exp, shifted);
        const auto sum = reduce(kind::ReduceSum, exponentials);
        if (what_.kind == chain_kind::softmax) return binary(kind::Divide, exponentials, sum);
        return binary(kind::Subtract, shifted, unary(kind::Log, sum));
    }

    const chain_description &what_;
    graph::graph graph_;
    size_t next_id_ = 0;
    logical_tensor src_;
    logical_tensor dst_;
};

} // namespace

chain::chain(const chain_description &what, graph::partition::policy policy) : stream_(cpu()) {
    chain_writer writer(what);
    src_ = writer.src();
    dst_ = writer.dst();
    graph::graph made = writer.made();
    for (const graph::partition &p : made.get_partitions(policy))
        compile(p, *what.type);
}

void chain::compile(const graph::partition &p, const element &type) {
    std::vector<logical_tensor> inputs;
    for (const logical_tensor &port : p.get_input_ports())
        inputs.push_back(known_.count(port.get_id()) ? known_.at(port.get_id()) : port);
    part made;
    made.compiled = p.compile(inputs, p.get_output_ports(), cpu());
    for (const logical_tensor &input : inputs)
        made.srcs.push_back(bind(input, type));
    for (const logical_tensor &port : p.get_output_ports())
        made.dsts.push_back(bind(made.compiled.query_logical_tensor(port.get_id()), type));
    parts_.push_back(std::move(made));
}

graph::tensor chain::bind(const logical_tensor &t, const element &type) {
    const size_t id = t.get_id();
    known_.insert_or_assign(id, t);
    if (!buffers_.count(id)) buffers_[id] = std::make_unique<buffer>(type, t.get_mem_size(), id);
    return {t, cpu(), buffers_.at(id)->data()};
}

void chain::execute() {
    for (part &p : parts_)
        p.compiled.execute(stream_, p.srcs, p.dsts);
}

std::string chain::steps() const {
    std::string steps;
    for (const part &p : parts_)
        steps += (steps.empty() ? "" : "; ") + p.compiled.get_info();
    return steps;
}

} // namespace onefold::bench
