// The reader of ONNX models: any bytes give a graph or one sentence. Beside the model lies a file of 64 bytes, "weights", for
// external data.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "graph/error.hpp"
#include "tests/fuzz/target.hpp"

using namespace onefold;

namespace {

/// A folder in memory, where there is one, that goes with the process.
class model_folder {
public:
    model_folder() {
        const bool has_memory = std::filesystem::is_directory("/dev/shm");
        std::string name = (has_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/onefold_fuzz_XXXXXX";
        fuzz::require(mkdtemp(name.data()) != nullptr, "no folder for the model can be made");
        path_ = name;
        std::ofstream(path_ / "weights", std::ios::binary) << std::string(64, '?');
    }
    model_folder(const model_folder &) = delete;
    model_folder &operator=(const model_folder &) = delete;
    ~model_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::filesystem::path write(const uint8_t *data, size_t size) const {
        std::ofstream(path_ / "model.onnx", std::ios::binary)
            .write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
        return path_ / "model.onnx";
    }

private:
    std::filesystem::path path_;
};

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const model_folder folder;
    impl::io::onnx_graph source;
    try {
        source = impl::io::read_onnx(folder.write(data, size));
    } catch (const impl::error &e) {
        fuzz::require_sentence(e.what());
        return 0;
    }
    for (const auto &[op, reason] : source.unsupported)
        fuzz::require_sentence(reason);
    fuzz::run_if_small(std::move(source));
    return 0;
}
