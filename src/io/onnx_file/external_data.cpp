#include "io/onnx_file/external_data.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "graph/error.hpp"
#include "io/json.hpp"

namespace onefold::impl::io {

namespace {

struct location {
    std::filesystem::path path;
    uint64_t offset = 0;
    std::optional<uint64_t> length;
};

uint64_t parse_number(const std::string &text, std::string_view key, const std::string &place) {
    uint64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size())
        fail(onefold_invalid_arguments, "{}: external data: {} is \"{}\", not a number", place, key, printable(text));
    return value;
}

location parse_location(const pb::TensorProto &tensor, const std::string &place) {
    location result;
    for (const auto &entry : tensor.external_data()) {
        if (entry.key() == "location") result.path = entry.value();
        if (entry.key() == "offset") result.offset = parse_number(entry.value(), entry.key(), place);
        if (entry.key() == "length") result.length = parse_number(entry.value(), entry.key(), place);
    }
    if (result.path.empty()) fail(onefold_invalid_arguments, "{}: external data: the location is missing", place);
    return result;
}

/// Where the file really is, which must be inside the folder.
std::filesystem::path resolve(const std::filesystem::path &path, const std::filesystem::path &folder,
                              const std::string &place) {
    const std::string shown = printable(path.string());
    std::error_code failure;
    const auto root = std::filesystem::canonical(folder.empty() ? "." : folder, failure);
    const auto file = std::filesystem::weakly_canonical(root / path, failure);
    const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
    const bool inside = std::mismatch(root.begin(), root.end(), file.begin(), file.end()).first == root.end();
    if (path.is_absolute() || climbs || failure || !inside)
        fail(onefold_invalid_arguments, "{}: external data: \"{}\" is not in the model's folder", place, shown);
    if (!std::filesystem::is_regular_file(file, failure))
        fail(onefold_invalid_arguments, "{}: external data: there is no file \"{}\"", place, shown);
    return file;
}

} // namespace

std::vector<std::byte> read_external_data(const pb::TensorProto &tensor, const std::filesystem::path &folder, size_t needed,
                                          const std::string &place) {
    const location where = parse_location(tensor, place);
    const std::filesystem::path file = resolve(where.path, folder, place);
    const std::string shown = printable(where.path.string());
    const uint64_t size = std::filesystem::file_size(file);
    const uint64_t rest = where.offset <= size ? size - where.offset : 0;
    const uint64_t length = where.length.value_or(rest);
    if (length != needed)
        fail(onefold_invalid_arguments, "{}: external data: its dims ask for {} bytes, \"{}\" gives {}", place, needed, shown,
             length);
    if (where.offset > size || length > rest)
        fail(onefold_invalid_arguments, "{}: external data: bytes {} to {} of \"{}\" are meant, which has {}", place,
             where.offset, where.offset + length, shown, size);
    std::ifstream stream(file, std::ios::binary);
    std::vector<std::byte> data(needed);
    stream.seekg(static_cast<std::streamoff>(where.offset));
    if (!stream.read(reinterpret_cast<char *>(data.data()), static_cast<std::streamsize>(needed)))
        fail(onefold_invalid_arguments, "{}: external data: \"{}\" cannot be read", place, shown);
    return data;
}

} // namespace onefold::impl::io
