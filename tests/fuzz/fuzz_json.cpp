// The reader of JSON graph files: any bytes give a graph or one sentence; a graph that was read is written and read again
// without a change.
#include "graph/error.hpp"
#include "tests/fuzz/target.hpp"

using namespace onefold;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    impl::io::onnx_graph source;
    try {
        source.file = impl::io::parse_graph({reinterpret_cast<const char *>(data), size});
    } catch (const impl::error &e) {
        fuzz::require_sentence(e.what());
        return 0;
    }
    const std::string text = impl::io::serialize(source.file);
    fuzz::require(impl::io::serialize(impl::io::parse_graph(text)) == text, "a graph file that is written is not the one read");
    fuzz::run_if_small(std::move(source));
    return 0;
}
