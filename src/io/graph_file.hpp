#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "graph/op.hpp"

namespace onefold::impl::io {

/// A JSON graph file in oneDNN's own serialization (its ONEDNN_GRAPH_DUMP and benchdnn's --graph cases).
struct graph_file {
    std::string version;
    engine_kind kind = onefold_cpu;
    fpmath_mode fpmath = onefold_fpmath_strict;
    bool fpmath_applies_to_int = false;
    std::optional<std::vector<size_t>> input_ports;
    std::optional<std::vector<size_t>> output_ports;
    std::vector<op> ops; // id, kind, name, raw_attributes, inputs, outputs; not validated against the schema
};

/// Parses a graph file's text. Throws error(invalid_arguments) with one line that names what is wrong where (op id and kind,
/// key, value). Never allocates out of proportion to the text, whatever it claims; survives any nesting.
graph_file parse_graph(std::string_view text);

/// Reads and parses; the message begins with the path. Throws error(invalid_arguments) also where it cannot be read.
graph_file read_graph(const std::filesystem::path &path);

/// The text of a graph file; parse_graph() of it gives the same again.
std::string serialize(const graph_file &file);

} // namespace onefold::impl::io
