#pragma once

#include <string>

namespace onefold::impl {

/// An environment variable's value, "" where it is not set.
std::string environment(const char *name);

/// ONEFOLD_VERBOSE: 0 nothing, 1 a line per compile and per execute.
int verbose_level();

/// ONEFOLD_GRAPH_DUMP: "graph", "subgraph", both by a comma, or "".
bool dumps_graphs();
bool dumps_subgraphs();

} // namespace onefold::impl
