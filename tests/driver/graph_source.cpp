#include "tests/driver/graph_source.hpp"

#include "graph/error.hpp"
#include "io/json.hpp"
#include "tests/driver/commands.hpp"

namespace onefold::driver {

namespace {

graph_source read_model(const std::string &path, [[maybe_unused]] const impl::io::onnx_known_inputs &known) {
#ifdef ONEFOLD_WITH_ONNX
    return impl::io::read_onnx(path, known);
#else
    throw bad_input(path + ": this program was built without ONNX (ONEFOLD_ONNX); it reads JSON graph files only");
#endif
}

} // namespace

graph_source read_graph_source(const std::string &path, const impl::io::onnx_known_inputs &known) {
    try {
        if (path.ends_with(".onnx")) return read_model(path, known);
        graph_source source;
        source.file = impl::io::read_graph(path);
        return source;
    } catch (const impl::error &e) {
        throw bad_input(e.what());
    }
}

std::string name_of(const graph_source &source, size_t tensor_id) {
    const auto name = source.names.find(tensor_id);
    return name == source.names.end() ? std::to_string(tensor_id) : impl::io::printable(name->second);
}

} // namespace onefold::driver
