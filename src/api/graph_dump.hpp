#pragma once

#include <span>

#include "graph/partition.hpp"

namespace onefold::impl {

/// With ONEFOLD_GRAPH_DUMP=graph: writes the graph to graph-<id>.json in the current folder.
void dump(const graph &g);

/// With ONEFOLD_GRAPH_DUMP=subgraph: writes the partition, its ports as they are compiled, to
/// graph-<partition id>-<hash of the ports>.json in the current folder.
void dump(const partition &p, std::span<const logical_tensor> inputs, std::span<const logical_tensor> outputs);

} // namespace onefold::impl
