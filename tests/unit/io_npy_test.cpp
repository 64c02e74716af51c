#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "graph/error.hpp"
#include "io/npy.hpp"

namespace {

using namespace onefold::impl;
using namespace std::string_literals;
using testing::HasSubstr;

/// A file that goes with the object.
class temporary_file {
public:
    explicit temporary_file(const std::string &content = {})
        : path_(std::filesystem::path(testing::TempDir()) / ("onefold_npy_" + std::to_string(getpid()) + ".npy")) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    temporary_file(const temporary_file &) = delete;
    temporary_file &operator=(const temporary_file &) = delete;
    ~temporary_file() { std::filesystem::remove(path_); }
    const std::filesystem::path &path() const { return path_; }
    std::string content() const {
        std::ifstream stream(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

private:
    std::filesystem::path path_;
};

std::string npy(const std::string &dictionary, const std::string &data, char version = 1) {
    std::string file =
        "\x93NUMPY"s + version + '\0' + static_cast<char>(dictionary.size() & 255) + static_cast<char>(dictionary.size() >> 8);
    if (version > 1) file += "\0\0"s;
    return file + dictionary + data;
}

template <typename T>
std::vector<T> values(const io::npy_array &array) {
    std::vector<T> result(array.data.size() / sizeof(T));
    if (!result.empty()) std::memcpy(result.data(), array.data.data(), array.data.size());
    return result;
}

template <typename T>
std::string bytes(const std::vector<T> &v) {
    return {reinterpret_cast<const char *>(v.data()), v.size() * sizeof(T)};
}

std::string refusal(const std::string &content) {
    const temporary_file file(content);
    try {
        io::read_npy(file.path());
    } catch (const error &e) {
        EXPECT_EQ(e.code(), onefold_invalid_arguments);
        EXPECT_THAT(e.what(), HasSubstr(file.path().string()));
        return e.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
}

TEST(io_npy, reads_every_version) {
    for (const char version : {'\1', '\2', '\3'}) {
        const temporary_file file(
            npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", bytes<float>({1, 2, 3, 4, 5, 6}), version));
        const io::npy_array array = io::read_npy(file.path());
        EXPECT_EQ(array.type, onefold_f32);
        EXPECT_EQ(array.dims, (dims{2, 3}));
        EXPECT_EQ(values<float>(array), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    }
}

TEST(io_npy, fortran_order_becomes_row_major) {
    const temporary_file file(
        npy("{\"shape\": (2, 3, 1), \"fortran_order\": True, \"descr\": \"<i2\"}", bytes<int16_t>({1, 2, 3, 4, 5, 6})));
    EXPECT_EQ(values<int16_t>(io::read_npy(file.path())), (std::vector<int16_t>{1, 3, 5, 2, 4, 6}));
}

TEST(io_npy, round_trip_of_every_type_and_rank) {
    const temporary_file file;
    for (const data_type type : {onefold_f16, onefold_bf16, onefold_f32, onefold_f64, onefold_s8, onefold_u8, onefold_s16,
                                 onefold_u16, onefold_s32, onefold_u32, onefold_s64, onefold_u64, onefold_boolean})
        for (const dims &shape : {dims{}, dims{3}, dims{2, 3}, dims{0, 5}, dims(70, 1)}) {
            size_t count = 1;
            for (const int64_t d : shape)
                count *= static_cast<size_t>(d);
            std::vector<std::byte> data(count * static_cast<size_t>(size_of(type)));
            for (size_t i = 0; i < data.size(); ++i)
                data[i] = static_cast<std::byte>(i + 1);
            io::write_npy(file.path(), type, shape, data);
            EXPECT_EQ((file.content().size() - data.size()) % 64, 0U);
            const io::npy_array array = io::read_npy(file.path());
            EXPECT_EQ(array.type, type == onefold_bf16 ? onefold_u16 : type);
            EXPECT_EQ(array.dims, shape);
            EXPECT_EQ(array.data, data);
        }
}

TEST(io_npy, is_written_as_numpy_writes) {
    const temporary_file file;
    io::write_npy(file.path(), onefold_bf16, {1}, std::vector<std::byte>(2));
    EXPECT_EQ(file.content().substr(0, 10), "\x93NUMPY\x01\x00\x76\x00"s);
    EXPECT_THAT(file.content(), HasSubstr("{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }"));
}

TEST(io_npy, refuses_what_it_does_not_read) {
    const std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", bytes<float>({1, 2}));
    const auto with_descr = [](const std::string &descr) {
        return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,), }", "12345678");
    };
    EXPECT_THAT(refusal(""), HasSubstr("too short"));
    EXPECT_THAT(refusal("{\"graph\": []}"), HasSubstr("not an .npy file"));
    EXPECT_THAT(refusal("\x93NUMPY\x04\x00\x00\x00"s), HasSubstr("version 4.0"));
    EXPECT_THAT(refusal(with_descr("'>f4'")), HasSubstr("big-endian"));
    EXPECT_THAT(refusal(with_descr("'|O'")), HasSubstr("Python objects"));
    EXPECT_THAT(refusal(with_descr("[('a', '<f4')]")), HasSubstr("records"));
    EXPECT_THAT(refusal(with_descr("'<c8'")), HasSubstr("'<c8'"));
    for (size_t size = 0; size < good.size(); ++size)
        refusal(good.substr(0, size));
    EXPECT_THAT(refusal(good + "x"), HasSubstr("9 bytes of data"));
}

TEST(io_npy, refuses_claims_that_the_file_does_not_keep) {
    const auto with_shape = [](const std::string &shape) {
        return npy("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }", "12345678");
    };
    EXPECT_THAT(refusal(with_shape("(2147483648,)")), HasSubstr("2147483648 elements"));
    EXPECT_THAT(refusal(with_shape("(2305843009213693953,)")), HasSubstr("8 bytes of data")); // times 8 wraps to 8
    EXPECT_THAT(refusal(with_shape("(9223372036854775807, 9223372036854775807)")), HasSubstr("exceeds 2^63 - 1"));
    EXPECT_THAT(refusal(with_shape("(99999999999999999999,)")), HasSubstr("exceeds 2^63 - 1"));
    EXPECT_THAT(refusal(with_shape("(-1,)")), HasSubstr("header"));
    EXPECT_THAT(refusal(with_shape("1")), HasSubstr("header"));
    EXPECT_THAT(refusal(with_shape("(1,")), HasSubstr("header"));
    EXPECT_THAT(refusal(npy("{'shape': (1,), 'shape': (1,), 'descr': '<f8', 'fortran_order': False}", "12345678")),
                HasSubstr("header"));
    EXPECT_THAT(refusal("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s), HasSubstr("claims 4294967295 bytes"));
}

TEST(io_npy, neither_reads_nor_writes_folders) {
    EXPECT_THROW(io::read_npy(testing::TempDir()), error);
    EXPECT_THROW(io::write_npy(testing::TempDir(), onefold_f32, {}, std::vector<std::byte>(4)), error);
}

} // namespace
