#include "io/onnx_file/read.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <google/protobuf/io/zero_copy_stream_impl.h>

#include "graph/error.hpp"
#include "io/json.hpp"
#include "io/onnx_file/model.hpp"

namespace onefold::impl::io {

namespace {

constexpr uintmax_t max_file_size = INT32_MAX; // protobuf's own

pb::ModelProto load(const std::filesystem::path &path) {
    std::error_code failure;
    if (std::filesystem::is_directory(path, failure)) fail(onefold_invalid_arguments, "is a directory");
    std::ifstream stream(path, std::ios::binary);
    if (!stream) fail(onefold_invalid_arguments, "cannot be opened: {}", std::strerror(errno));
    const uintmax_t size = std::filesystem::file_size(path, failure);
    if (!failure && size > max_file_size)
        fail(onefold_invalid_arguments, "has {} bytes, more than the 2 GB that an ONNX file can have", size);
    pb::ModelProto model;
    google::protobuf::io::IstreamInputStream bytes(&stream);
    // Lengths that the file claims and does not have are never allocated.
    if (!model.ParseFromZeroCopyStream(&bytes))
        fail(onefold_invalid_arguments, "is not an ONNX file, or not all of one: protobuf cannot read it");
    return model;
}

} // namespace

onnx_graph read_onnx(const std::filesystem::path &path, const onnx_known_inputs &known) {
    try {
        return import_model(load(path), path.parent_path(), known);
    } catch (const error &e) {
        fail(onefold_invalid_arguments, "{}: {}", path.string(), e.what());
    }
}

} // namespace onefold::impl::io
