#include "tests/driver/graph_source.hpp"

#include "graph/error.hpp"
#include "tests/driver/commands.hpp"

namespace onefold::driver {

impl::io::graph_file read_graph_source(const std::string &path) {
    if (path.ends_with(".onnx")) throw bad_input(path + ": ONNX files are not read yet, only JSON graph files");
    try {
        return impl::io::read_graph(path);
    } catch (const impl::error &e) {
        throw bad_input(e.what());
    }
}

} // namespace onefold::driver
