#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"

namespace onefold::impl {

/// Which ops of a graph already belong to a partition, and to which.
class taken_ops {
public:
    explicit taken_ops(size_t count) : part_(count, no_part) {}

    bool operator[](op_index i) const { return part_[i] != no_part; }
    /// The members of an op's partition; the op itself if it is free.
    std::vector<op_index> mates(op_index i) const { return (*this)[i] ? parts_[part_[i]] : std::vector<op_index>{i}; }
    size_t part(op_index i) const { return part_[i]; }
    /// The last place in the topological order that belongs to a partition.
    size_t last_position() const { return last_position_; }
    void add_part(const std::vector<op_index> &members, size_t position) {
        last_position_ = std::max(last_position_, position);
        for (const op_index member : members)
            part_[member] = parts_.size();
        parts_.push_back(members);
    }

private:
    static constexpr size_t no_part = SIZE_MAX;
    std::vector<size_t> part_;
    size_t last_position_ = 0;
    std::vector<std::vector<op_index>> parts_;
};

/// A kind of partition: a pattern, free of data types. Its file in partitions/ draws it.
struct partition_kind {
    std::string_view name;
    /// The ops of the partition that starts at `seed` (which is not taken), in execution order; empty: no match.
    std::vector<op_index> (*match)(const graph &g, op_index seed, const taken_ops &taken);
};

/// A piece of a graph that is compiled and executed as one. It holds copies: the graph may go.
struct partition {
    size_t id = 0;
    engine_kind kind = onefold_cpu;
    const partition_kind *pattern = nullptr; // nullptr: not supported
    std::vector<op> ops;                     // in execution order
    std::vector<logical_tensor> inputs;      // tensors from outside, in the ops' order, each once
    std::vector<logical_tensor> outputs;     // tensors that the outside may use

    bool is_supported() const { return pattern != nullptr; }
};

/// A tensor leaves a set of ops if an op outside consumes it, or none at all.
bool leaves(const graph &g, size_t tensor_id, const std::set<op_index> &members);

/// Cuts a finalized graph: for each op in order that is not taken yet, the first kind that matches; ops that none takes
/// become partitions that are not supported. The result is in an order in which it can be executed.
std::vector<std::shared_ptr<const partition>> make_partitions(const graph &g, std::span<const partition_kind *const> kinds);

} // namespace onefold::impl
