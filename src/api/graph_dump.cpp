#include "api/graph_dump.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "io/graph_file.hpp"
#include "runtime/environment.hpp"

namespace onefold::impl {

namespace {

io::graph_file make_file(const std::vector<op> &ops) {
    io::graph_file file;
    file.version = "3.7.0"; // of the serialization: oneDNN's
    file.ops = ops;
    return file;
}

/// A dump is an aid: where it cannot be written, the work goes on.
void write(const std::string &name, const std::string &text) {
    std::ofstream out(name);
    out << text << '\n';
}

void replace_ports(std::vector<logical_tensor> &ports, std::span<const logical_tensor> given) {
    for (logical_tensor &port : ports) {
        const auto found = std::find_if(given.begin(), given.end(), [&](const logical_tensor &t) { return t.id == port.id; });
        if (found != given.end()) port = *found;
    }
}

std::vector<size_t> ids_of(const std::vector<logical_tensor> &ports) {
    std::vector<size_t> ids;
    for (const logical_tensor &port : ports)
        ids.push_back(port.id);
    return ids;
}

} // namespace

void dump(const graph &g) {
    if (!dumps_graphs()) return;
    io::graph_file file = make_file(g.ops());
    file.fpmath = g.fpmath;
    file.fpmath_applies_to_int = g.fpmath_applies_to_int;
    write(fmt::format("graph-{}.json", g.id()), io::serialize(file));
}

void dump(const partition &p, std::span<const logical_tensor> inputs, std::span<const logical_tensor> outputs) {
    if (!dumps_subgraphs()) return;
    io::graph_file file = make_file(p.ops);
    file.input_ports = ids_of(p.inputs);
    file.output_ports = ids_of(p.outputs);
    for (op &o : file.ops) {
        replace_ports(o.inputs, inputs);
        replace_ports(o.outputs, outputs);
    }
    const std::string text = io::serialize(file);
    write(fmt::format("graph-{}-{}.json", p.id, std::hash<std::string>()(text)), text);
}

} // namespace onefold::impl
