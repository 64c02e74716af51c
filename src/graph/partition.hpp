#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "graph/graph.hpp"

namespace onefold::impl {

/// Which ops a partition already has; one flag an op of the graph.
using taken_ops = std::vector<bool>;

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

/// Cuts a finalized graph: for each op in order that is not taken yet, the first kind that matches; ops that none takes
/// become partitions that are not supported. The result is in an order in which it can be executed.
std::vector<std::shared_ptr<const partition>> make_partitions(const graph &g, std::span<const partition_kind *const> kinds);

} // namespace onefold::impl
