#pragma once

#include <string>

#include "io/graph_file.hpp"

namespace onefold::driver {

/// Reads the graph file that the command line names. Throws bad_input.
impl::io::graph_file read_graph_source(const std::string &path);

} // namespace onefold::driver
