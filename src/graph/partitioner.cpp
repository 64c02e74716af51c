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

std::shared_ptr<const partition> make_partition(const graph &g, const partition_kind *kind,
                                                const std::vector<op_index> &members) {
    auto p = std::make_shared<partition>();
    p->id = next_partition_id();
    p->kind = g.kind();
    p->pattern = kind;
    const std::set<op_index> inside(members.begin(), members.end());
    for (const op_index member : members) {
        const op &o = g.ops()[member];
        for (const auto &input : o.inputs) {
            const auto producer = g.producer(input.id);
            const bool is_made_inside = producer && inside.count(*producer) != 0;
            if (!is_made_inside && !contains_id(p->inputs, input.id)) p->inputs.push_back(input);
        }
        for (const auto &output : o.outputs)
            if (leaves(g, output.id, inside)) p->outputs.push_back(output);
        p->ops.push_back(o);
    }
    return p;
}

struct found_partition {
    const partition_kind *kind;
    std::vector<op_index> members;
    size_t position; // of its last op in the topological order
};

found_partition find_partition(const graph &g, std::span<const partition_kind *const> kinds, op_index seed,
                               const taken_ops &taken) {
    for (const partition_kind *kind : kinds)
        if (auto members = kind->match(g, seed, taken); !members.empty()) return {kind, std::move(members), 0};
    return {nullptr, {seed}, 0};
}

/// An order in which each partition comes after those that it needs a value of; of several that could be next, the one whose
/// last op comes first.
std::vector<size_t> execution_order(const graph &g, const std::vector<found_partition> &found, const taken_ops &taken) {
    std::vector<std::set<size_t>> next(found.size());
    std::vector<size_t> waits_for(found.size(), 0);
    for (size_t from = 0; from < found.size(); ++from)
        for (const op_index member : found[from].members)
            for (const auto &output : g.ops()[member].outputs)
                for (const op_index consumer : g.consumers(output.id)) {
                    const size_t to = taken.part(consumer);
                    if (to != from && next[from].insert(to).second) ++waits_for[to];
                }
    std::set<std::pair<size_t, size_t>> ready; // by position
    const auto note_ready = [&](size_t i) {
        if (waits_for[i] == 0) ready.insert({found[i].position, i});
    };
    for (size_t i = 0; i < found.size(); ++i)
        note_ready(i);
    std::vector<size_t> order;
    while (!ready.empty()) {
        const size_t first = ready.begin()->second;
        ready.erase(ready.begin());
        order.push_back(first);
        for (const size_t to : next[first]) {
            --waits_for[to];
            note_ready(to);
        }
    }
    return order;
}

} // namespace

bool leaves(const graph &g, size_t tensor_id, const std::set<op_index> &members) {
    const auto &consumers = g.consumers(tensor_id);
    return consumers.empty() ||
           std::any_of(consumers.begin(), consumers.end(), [&](op_index consumer) { return members.count(consumer) == 0; });
}

std::vector<std::shared_ptr<const partition>> make_partitions(const graph &g, std::span<const partition_kind *const> kinds) {
    taken_ops taken(g.ops().size());
    std::vector<found_partition> found;
    for (const op_index seed : g.topological_order()) {
        if (taken[seed]) continue;
        found.push_back(find_partition(g, kinds, seed, taken));
        for (const op_index member : found.back().members)
            found.back().position = std::max(found.back().position, g.position(member));
        taken.add_part(found.back().members, found.back().position);
    }
    std::vector<std::shared_ptr<const partition>> partitions;
    partitions.reserve(found.size());
    for (const size_t i : execution_order(g, found, taken))
        partitions.push_back(make_partition(g, found[i].kind, found[i].members));
    return partitions;
}

} // namespace onefold::impl
