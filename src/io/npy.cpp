#include "io/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/error.hpp"
#include "graph/logical_tensor.hpp"

namespace onefold::impl::io {

namespace {

static_assert(std::endian::native == std::endian::little, "files are read into memory as they are");

struct descr_row {
    std::string_view descr;
    data_type type;
};

constexpr std::array descrs = {
    descr_row{"<f2", onefold_f16}, descr_row{"<f4", onefold_f32}, descr_row{"<f8", onefold_f64},
    descr_row{"|i1", onefold_s8},  descr_row{"<i2", onefold_s16}, descr_row{"<i4", onefold_s32},
    descr_row{"<i8", onefold_s64}, descr_row{"|u1", onefold_u8},  descr_row{"<u2", onefold_u16},
    descr_row{"<u4", onefold_u32}, descr_row{"<u8", onefold_u64}, descr_row{"|b1", onefold_boolean},
};

/// Reads the header's text, a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class header_parser {
public:
    explicit header_parser(std::string_view text) : text_(text) {}

    struct header {
        std::string descr;
        bool fortran_order = false;
        dims shape;
    };

    header parse() {
        expect('{');
        header result;
        bool has_descr = false, has_order = false, has_shape = false;
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr" && !std::exchange(has_descr, true))
                result.descr = descr();
            else if (key == "fortran_order" && !std::exchange(has_order, true))
                result.fortran_order = boolean();
            else if (key == "shape" && !std::exchange(has_shape, true))
                result.shape = tuple();
            else
                malformed();
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (!text_.empty() || !has_descr || !has_order || !has_shape) malformed();
        return result;
    }

private:
    [[noreturn]] static void malformed() {
        fail(onefold_invalid_arguments, "the .npy header is not a dictionary of descr, fortran_order and shape");
    }

    void skip_space() {
        const size_t end = text_.find_first_not_of(" \t\r\n");
        text_.remove_prefix(end == std::string_view::npos ? text_.size() : end);
    }
    bool accept(char c) {
        skip_space();
        if (!text_.starts_with(c)) return false;
        text_.remove_prefix(1);
        return true;
    }
    bool accept(std::string_view word) {
        skip_space();
        if (!text_.starts_with(word)) return false;
        text_.remove_prefix(word.size());
        return true;
    }
    void expect(char c) {
        if (!accept(c)) malformed();
    }

    std::string quoted() {
        const char quote = accept('\'') ? '\'' : '"';
        if (quote == '"') expect('"');
        const size_t end = text_.find(quote);
        if (end == std::string_view::npos) malformed();
        const std::string result(text_.substr(0, end));
        text_.remove_prefix(end + 1);
        return result;
    }
    std::string descr() {
        if (accept('[')) fail(onefold_invalid_arguments, "the .npy file holds records; only plain elements are read");
        return quoted();
    }
    bool boolean() {
        if (accept("True")) return true;
        if (!accept("False")) malformed();
        return false;
    }
    int64_t integer() {
        skip_space();
        int64_t value = 0;
        if (text_.empty() || text_[0] < '0' || text_[0] > '9') malformed();
        while (!text_.empty() && text_[0] >= '0' && text_[0] <= '9') {
            if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
                __builtin_add_overflow(value, int64_t{text_[0] - '0'}, &value))
                fail(onefold_invalid_arguments, "a dim in the .npy header exceeds 2^63 - 1");
            text_.remove_prefix(1);
        }
        accept('L'); // as Python 2 wrote long integers
        return value;
    }
    dims tuple() {
        expect('(');
        dims result;
        while (!accept(')')) {
            result.push_back(integer());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return result;
    }

    std::string_view text_;
};

data_type type_of_descr(const std::string &descr) {
    const auto row = std::find_if(descrs.begin(), descrs.end(), [&](const descr_row &r) { return r.descr == descr; });
    if (row != descrs.end()) return row->type;
    if (descr.starts_with('>')) fail(onefold_invalid_arguments, "the .npy file is big-endian ({}), which is not read", descr);
    if (descr.find('O') != std::string::npos)
        fail(onefold_invalid_arguments, "the .npy file holds Python objects, which are not read");
    std::vector<std::string_view> known;
    for (const descr_row &r : descrs)
        known.push_back(r.descr);
    fail(onefold_invalid_arguments, "the .npy file has the element type '{}'; read are {}", descr.substr(0, 20),
         fmt::join(known, ", "));
}

/// Column-major elements to row-major ones.
std::vector<std::byte> transpose(const std::vector<std::byte> &source, const dims &shape, size_t element_size) {
    std::vector<std::byte> result(source.size());
    std::vector<size_t> strides(shape.size()); // of the source, in elements
    size_t stride = 1;
    for (size_t d = 0; d < shape.size(); ++d) {
        strides[d] = stride;
        stride *= static_cast<size_t>(shape[d]);
    }
    dims index(shape.size(), 0);
    size_t offset = 0;
    for (size_t written = 0; written < result.size(); written += element_size) {
        std::memcpy(result.data() + written, source.data() + offset * element_size, element_size);
        for (size_t d = shape.size(); d-- > 0;) {
            offset += strides[d];
            if (++index[d] < shape[d]) break;
            offset -= strides[d] * static_cast<size_t>(shape[d]);
            index[d] = 0;
        }
    }
    return result;
}

/// A file of known size that is read from front to back.
class file_reader {
public:
    explicit file_reader(const std::filesystem::path &path) {
        std::error_code failure;
        if (!std::filesystem::is_regular_file(path, failure)) fail(onefold_invalid_arguments, "is not a file that can be read");
        left_ = std::filesystem::file_size(path, failure);
        stream_.open(path, std::ios::binary);
        if (failure || !stream_) fail(onefold_invalid_arguments, "cannot be opened: {}", std::strerror(errno));
    }

    uint64_t left() const { return left_; }

    void read(void *destination, size_t size) {
        if (size > left_) fail(onefold_invalid_arguments, "ends too early: {} bytes more were expected", size - left_);
        if (size > 0 && !stream_.read(static_cast<char *>(destination), static_cast<std::streamsize>(size)))
            fail(onefold_invalid_arguments, "cannot be read");
        left_ -= size;
    }

private:
    std::ifstream stream_;
    uint64_t left_ = 0;
};

header_parser::header read_header(file_reader &file) {
    std::array<char, 8> start{};
    if (file.left() < start.size()) fail(onefold_invalid_arguments, "is not an .npy file: too short");
    file.read(start.data(), start.size());
    if (std::string_view(start.data(), 6) != "\x93NUMPY") fail(onefold_invalid_arguments, "is not an .npy file");
    const int major = static_cast<unsigned char>(start[6]);
    const int minor = static_cast<unsigned char>(start[7]);
    if (major < 1 || major > 3 || minor != 0)
        fail(onefold_invalid_arguments, "is an .npy file of version {}.{}; read are 1.0, 2.0 and 3.0", major, minor);
    std::array<unsigned char, 4> size_bytes{};
    file.read(size_bytes.data(), major == 1 ? 2 : 4);
    size_t size = 0;
    for (size_t i = 0; i < size_bytes.size(); ++i)
        size |= static_cast<size_t>(size_bytes[i]) << (8 * i);
    if (size > file.left())
        fail(onefold_invalid_arguments, "the .npy header claims {} bytes, the file has {} more", size, file.left());
    std::string text(size, '\0');
    file.read(text.data(), size);
    return header_parser(text).parse();
}

npy_array read(const std::filesystem::path &path) {
    file_reader file(path);
    const header_parser::header header = read_header(file);
    npy_array array;
    array.type = type_of_descr(header.descr);
    array.dims = header.shape;
    const auto count = static_cast<uint64_t>(element_count(array.dims));
    const auto element_size = static_cast<size_t>(size_of(array.type));
    if (file.left() % element_size != 0 || file.left() / element_size != count)
        fail(onefold_invalid_arguments, "the .npy header tells {} elements of {} bytes, the file has {} bytes of data", count,
             element_size, file.left());
    array.data.resize(count * element_size);
    file.read(array.data.data(), array.data.size());
    if (header.fortran_order && array.dims.size() > 1) array.data = transpose(array.data, array.dims, element_size);
    return array;
}

} // namespace

data_type npy_type_of(data_type type) {
    if (type == onefold_bf16) return onefold_u16;
    if (type == onefold_f8_e5m2 || type == onefold_f8_e4m3) return onefold_u8;
    const bool has_descr = std::any_of(descrs.begin(), descrs.end(), [&](const descr_row &r) { return r.type == type; });
    return has_descr ? type : onefold_data_type_undef;
}

npy_array read_npy(const std::filesystem::path &path) {
    try {
        return read(path);
    } catch (const error &e) {
        fail(onefold_invalid_arguments, "{}: {}", path.string(), e.what());
    }
}

void write_npy(const std::filesystem::path &path, data_type type, const dims &shape, std::span<const std::byte> data) {
    const data_type written = npy_type_of(type);
    const auto row = std::find_if(descrs.begin(), descrs.end(), [&](const descr_row &r) { return r.type == written; });
    if (row == descrs.end())
        fail(onefold_runtime_error, "{}: .npy files have no elements of type {}", path.string(), name_of(type));
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", row->descr,
                                     fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    // Magic, version and length take 10 bytes (12 in version 2); the data begins at a multiple of 64 after a line feed.
    const bool is_long = header.size() + 1 > 65000;
    const size_t prefix = is_long ? 12 : 10;
    header.append(63 - (prefix + header.size()) % 64, ' ');
    header += '\n';
    std::string start("\x93NUMPY", 6);
    start += is_long ? '\2' : '\1';
    start += '\0';
    for (size_t i = 0; i < prefix - 8; ++i)
        start += static_cast<char>(header.size() >> (8 * i) & 255);

    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream << start << header;
    stream.write(reinterpret_cast<const char *>(data.data()), static_cast<std::streamsize>(data.size()));
    stream.close();
    if (!stream) fail(onefold_runtime_error, "{}: cannot be written: {}", path.string(), std::strerror(errno));
}

} // namespace onefold::impl::io
