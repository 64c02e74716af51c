#include <algorithm>
#include <atomic>

#include "graph/partition.hpp"

namespace onefold::impl {

namespace {

size_t next_partition_id() {
    static std::atomic<size_t> next{0};
    return next++;
}

bool contains_id(const std::vector<logical_tensor> &tensors, size_t id) {
    return std::any_of(tensors.begin(), tensors.end(), [&](const logical_tensor &t) { return t.id == id; });
}

/// A tensor leaves the partition if something outside consumes it, or nothing at all.
bool leaves(const graph &g, const logical_tensor &tensor, const std::vector<op_index> &members) {
    const auto &consumers = g.consumers(tensor.id);
    return consumers.empty() || std::any_of(consumers.begin(), consumers.end(), [&](op_index consumer) {
               return std::find(members.begin(), members.end(), consumer) == members.end();
           });
}

std::shared_ptr<const partition> make_partition(const graph &g, const partition_kind *kind,
                                                const std::vector<op_index> &members) {
    auto p = std::make_shared<partition>();
    p->id = next_partition_id();
    p->kind = g.kind();
    p->pattern = kind;
    for (const op_index member : members) {
        const op &o = g.ops()[member];
        for (const auto &input : o.inputs) {
            const auto producer = g.producer(input.id);
            const bool inside = producer && std::find(members.begin(), members.end(), *producer) != members.end();
            if (!inside && !contains_id(p->inputs, input.id)) p->inputs.push_back(input);
        }
        for (const auto &output : o.outputs)
            if (leaves(g, output, members)) p->outputs.push_back(output);
        p->ops.push_back(o);
    }
    return p;
}

struct found_partition {
    const partition_kind *kind;
    std::vector<op_index> members;
    size_t position; // of its last op in the topological order
};

} // namespace

std::vector<std::shared_ptr<const partition>> make_partitions(const graph &g, std::span<const partition_kind *const> kinds) {
    const auto &order = g.topological_order();
    std::vector<size_t> position(g.ops().size());
    for (size_t i = 0; i < order.size(); ++i)
        position[order[i]] = i;

    taken_ops taken(g.ops().size(), false);
    std::vector<found_partition> found;
    for (const op_index seed : order) {
        if (taken[seed]) continue;
        found_partition next{nullptr, {seed}, 0};
        for (const partition_kind *kind : kinds)
            if (auto members = kind->match(g, seed, taken); !members.empty()) {
                next = {kind, std::move(members), 0};
                break;
            }
        for (const op_index member : next.members) {
            taken[member] = true;
            next.position = std::max(next.position, position[member]);
        }
        found.push_back(std::move(next));
    }
    // Only a partition's last op has a consumer outside, so running partitions in the order of their last ops is safe.
    std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.position < b.position; });
    std::vector<std::shared_ptr<const partition>> partitions;
    partitions.reserve(found.size());
    for (const auto &f : found)
        partitions.push_back(make_partition(g, f.kind, f.members));
    return partitions;
}

} // namespace onefold::impl
