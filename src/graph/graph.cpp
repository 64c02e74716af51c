#include "graph/graph.hpp"

#include <algorithm>
#include <atomic>
#include <queue>

#include "graph/error.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

size_t next_graph_id() {
    static std::atomic<size_t> next{0};
    return next++;
}

bool agree(int64_t a, int64_t b, int64_t unknown) { return a == b || a == unknown || b == unknown; }

bool agree(const dims &a, const dims &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](int64_t x, int64_t y) { return agree(x, y, unknown_dim); });
}

/// Two ports of one id describe one tensor if nothing that both know differs.
bool describe_one_tensor(const logical_tensor &a, const logical_tensor &b) {
    if (a.type != b.type && a.type != onefold_data_type_undef && b.type != onefold_data_type_undef) return false;
    if (!agree(a.ndims, b.ndims, unknown_ndims)) return false;
    if (a.ndims != unknown_ndims && b.ndims != unknown_ndims && !agree(a.dims, b.dims)) return false;
    if (a.layout == onefold_layout_strided && b.layout == onefold_layout_strided && !a.strides.empty() && !b.strides.empty())
        return agree(a.strides, b.strides);
    return true;
}

} // namespace

graph::graph(engine_kind kind, fpmath_mode mode) : fpmath(mode), id_(next_graph_id()), kind_(kind) {
    if (kind != onefold_cpu)
        fail(onefold_invalid_arguments, "graph: engine kind {} is not the CPU (1)", static_cast<int>(kind));
}

void graph::add_op(op o) {
    if (finalized_) fail(onefold_invalid_graph, "{}: the graph is finalized, no op can be added", to_string(o));
    if (const auto same_id = index_of_id_.find(o.id); same_id != index_of_id_.end())
        fail(onefold_invalid_graph, "{}: the graph already holds {}", to_string(o), to_string(ops_[same_id->second]));
    validate(o);
    o.attributes = make_attributes(o);
    index_of_id_[o.id] = ops_.size();
    ops_.push_back(std::move(o));
}

void graph::finalize() {
    if (finalized_) return;
    connect();
    check_ids();
    sort();
    infer_dims();
    finalized_ = true;
}

void graph::connect() {
    producers_.clear();
    consumers_.clear();
    for (op_index i = 0; i < ops_.size(); ++i) {
        for (const auto &output : ops_[i].outputs) {
            const auto [other, inserted] = producers_.emplace(output.id, i);
            if (!inserted)
                fail(onefold_invalid_graph, "{}: output tensor {} is already produced by {}", to_string(ops_[i]), output.id,
                     to_string(ops_[other->second]));
        }
        for (const auto &input : ops_[i].inputs)
            consumers_[input.id].push_back(i);
    }
}

void graph::check_ids() const {
    struct port {
        const op *owner;
        const logical_tensor *tensor;
    };
    std::map<size_t, std::vector<port>> seen; // the different descriptions of each id
    const auto check = [&](const op &o, const logical_tensor &tensor) {
        bool is_known = false;
        for (const port &other : seen[tensor.id]) {
            if (!describe_one_tensor(*other.tensor, tensor))
                fail(onefold_invalid_graph, "{}: tensor {} is {} here but {} in {}", to_string(o), tensor.id, to_string(tensor),
                     to_string(*other.tensor), to_string(*other.owner));
            is_known = is_known || *other.tensor == tensor;
        }
        if (!is_known) seen[tensor.id].push_back({&o, &tensor});
    };
    for (const op &o : ops_) {
        for (const logical_tensor &output : o.outputs)
            check(o, output);
        for (const logical_tensor &input : o.inputs)
            check(o, input);
    }
}

void graph::sort() {
    std::vector<size_t> missing(ops_.size(), 0);
    for (op_index i = 0; i < ops_.size(); ++i)
        for (const auto &input : ops_[i].inputs)
            if (producers_.count(input.id)) ++missing[i];
    // The smallest index first, so that the order depends on the graph alone and keeps the user's where it can.
    std::priority_queue<op_index, std::vector<op_index>, std::greater<>> ready;
    for (op_index i = 0; i < ops_.size(); ++i)
        if (missing[i] == 0) ready.push(i);
    order_.clear();
    position_.assign(ops_.size(), 0);
    while (!ready.empty()) {
        const op_index i = ready.top();
        ready.pop();
        position_[i] = order_.size();
        order_.push_back(i);
        for (const auto &output : ops_[i].outputs)
            for (const op_index consumer : consumers(output.id))
                if (--missing[consumer] == 0) ready.push(consumer);
    }
    const auto stuck = std::find_if(missing.begin(), missing.end(), [](size_t m) { return m != 0; });
    if (stuck != missing.end())
        fail(onefold_invalid_graph, "{}: the graph has a cycle through or before this op",
             to_string(ops_[static_cast<size_t>(stuck - missing.begin())]));
}

namespace {

/// Nothing where an op is wrong: compiling it says so.
std::vector<dims> try_infer(const op &o, std::span<const logical_tensor> inputs) {
    try {
        return infer_open(o, inputs).value_or(std::vector<dims>{});
    } catch (const error &) {
        return {};
    }
}

} // namespace

void graph::infer_dims() {
    inferred_.clear();
    const auto is_known = [](const logical_tensor &t) { return t.has_known_dims(); };
    for (const op_index i : order_) {
        const op &o = ops_[i];
        if (!is_compiled(o.schema().family) || has_axes_input(o)) continue;
        if (std::all_of(o.outputs.begin(), o.outputs.end(), is_known)) continue;
        std::vector<logical_tensor> inputs = o.inputs;
        for (logical_tensor &input : inputs)
            if (const dims *d = dims_of(input)) {
                input.dims = *d;
                input.ndims = static_cast<int64_t>(d->size());
            }
        if (std::any_of(inputs.begin(), inputs.end(), [](const auto &t) { return t.ndims == unknown_ndims; })) continue;
        const auto outputs = try_infer(o, inputs);
        for (size_t k = 0; k < outputs.size(); ++k)
            if (!o.outputs[k].has_known_dims()) inferred_[o.outputs[k].id] = outputs[k];
    }
}

const dims *graph::dims_of(const logical_tensor &t) const {
    if (const auto found = inferred_.find(t.id); found != inferred_.end()) return &found->second;
    return t.ndims == unknown_ndims ? nullptr : &t.dims;
}

std::optional<op_index> graph::producer(size_t tensor_id) const {
    const auto found = producers_.find(tensor_id);
    if (found == producers_.end()) return std::nullopt;
    return found->second;
}

const std::vector<op_index> &graph::consumers(size_t tensor_id) const {
    static const std::vector<op_index> none;
    const auto found = consumers_.find(tensor_id);
    return found == consumers_.end() ? none : found->second;
}

} // namespace onefold::impl
