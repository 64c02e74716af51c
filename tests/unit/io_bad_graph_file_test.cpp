#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "io/graph_file.hpp"

namespace {

using namespace onefold::impl;
using testing::HasSubstr;
using testing::Not;

/// The message of the failure that parsing gives; fails the test where there is none, or where it is not one line.
std::string refusal(const std::string &text) {
    try {
        io::parse_graph(text);
    } catch (const error &e) {
        EXPECT_EQ(e.code(), onefold_invalid_arguments);
        EXPECT_THAT(e.what(), Not(HasSubstr("\n")));
        EXPECT_LT(std::string(e.what()).size(), 500U);
        return e.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
}

const char *const good = R"({"version": "1", "engine_kind": "cpu", "fpmath_mode": "strict", "graph": [
    {"id": 5, "name": "n", "kind": "ReduceSum",
     "attrs": {"axes": {"type": "s64[]", "value": [0]}, "keep_dims": {"type": "bool", "value": 1}},
     "inputs": [{"id": 0, "dtype": "f32", "shape": [2, 3], "stride": [3, 1], "layout_type": "strided", "property_type": "undef"}],
     "outputs": [{"id": 1, "dtype": "f32", "shape": [1, 3], "stride": [3, 1], "layout_type": "strided", "property_type": "undef"}]
    }]})";

/// The good text with the first `from` replaced.
std::string with(const std::string &from, const std::string &to) {
    std::string text = good;
    const size_t position = text.find(from);
    EXPECT_NE(position, std::string::npos) << from;
    return text.replace(position, from.size(), to);
}

TEST(io_bad_graph_file, the_good_one_is_good) { EXPECT_EQ(io::parse_graph(good).ops.size(), 1U); }

TEST(io_bad_graph_file, not_json) {
    EXPECT_THAT(refusal(""), HasSubstr("empty"));
    EXPECT_THAT(refusal(" \n\t"), HasSubstr("empty"));
    EXPECT_THAT(refusal("reduce"), HasSubstr("not JSON: parse error at line 1"));
    EXPECT_THAT(refusal("{\n\"graph\": [\n}"), HasSubstr("line 3"));
    EXPECT_THAT(refusal(std::string(good).substr(0, 300)), HasSubstr("not JSON"));
    EXPECT_THAT(refusal(std::string(good) + "x"), HasSubstr("not JSON"));
    EXPECT_THAT(refusal("\"\xff\xfe\""), HasSubstr("not JSON"));
    EXPECT_THAT(refusal(std::string("\x7f"
                                    "ELF\0\1\2",
                                    7)),
                HasSubstr("not JSON"));
    EXPECT_THAT(refusal("[1e999]"), HasSubstr("not JSON"));
    EXPECT_THAT(refusal("\"" + std::string(1000000, 'x')), HasSubstr("not JSON"));
}

TEST(io_bad_graph_file, another_kind_of_json) {
    EXPECT_THAT(refusal("[]"), HasSubstr("is not an object"));
    EXPECT_THAT(refusal("null"), HasSubstr("is not an object"));
    EXPECT_THAT(refusal("{}"), HasSubstr("\"graph\" is missing"));
    EXPECT_THAT(refusal(R"({"graph": []})"), HasSubstr("no ops"));
    EXPECT_THAT(refusal(R"({"graph": {}})"), HasSubstr("is not an array"));
    EXPECT_THAT(refusal(R"({"graph": [7]})"), HasSubstr("graph 0: 7 is not an object"));
}

TEST(io_bad_graph_file, a_million_brackets) {
    const size_t million = 1000000;
    EXPECT_THAT(refusal(std::string(million, '[')), HasSubstr("nesting"));
    EXPECT_THAT(refusal(std::string(million, '[') + std::string(million, ']')), HasSubstr("nesting"));
    std::string objects;
    for (size_t i = 0; i < million; ++i)
        objects += "{\"a\":";
    EXPECT_THAT(refusal(objects), HasSubstr("nesting"));
    EXPECT_THAT(refusal(with("[2, 3]", std::string(million, '['))), HasSubstr("nesting"));
}

TEST(io_bad_graph_file, missing_keys) {
    for (const char *key : {"id", "kind", "inputs", "outputs", "dtype", "shape", "stride", "type", "value"})
        EXPECT_THAT(refusal(with("\"" + std::string(key) + "\":", "\"other\":")),
                    HasSubstr("the key \"" + std::string(key) + "\" is missing"));
}

TEST(io_bad_graph_file, wrong_types) {
    EXPECT_THAT(refusal(with("\"id\": 5", "\"id\": -5")), HasSubstr("graph 0: id: -5 is negative"));
    EXPECT_THAT(refusal(with("\"id\": 5", "\"id\": 5.5")), HasSubstr("5.5 is not an id"));
    EXPECT_THAT(refusal(with("\"id\": 5", "\"id\": \"5\"")), HasSubstr("\"5\" is not an id"));
    EXPECT_THAT(refusal(with("\"n\"", "null")), HasSubstr("op 5 (ReduceSum): name: null is not a string"));
    EXPECT_THAT(refusal(with("\"n\"", "\"a\\u0000b\"")), HasSubstr("NUL"));
    EXPECT_THAT(refusal(with("[2, 3]", "6")), HasSubstr("op 5 (ReduceSum): input 0: shape: 6 is not an array"));
    EXPECT_THAT(refusal(with("[2, 3]", "[2, \"3\"]")), HasSubstr("shape 1: \"3\" is not an integer"));
    EXPECT_THAT(refusal(with("[2, 3]", "[2, 3.0]")), HasSubstr("3.0 is not an integer"));
    EXPECT_THAT(refusal(with("[2, 3]", "[2, [3]]")), HasSubstr("is not an integer"));
    EXPECT_THAT(refusal(with("\"version\": \"1\"", "\"version\": 1")), HasSubstr("version: 1 is not a string"));
    EXPECT_THAT(refusal(with("\"strict\"", "3")), HasSubstr("fpmath_mode"));
    EXPECT_THAT(refusal(with("\"value\": [0]", "\"value\": 0")), HasSubstr("axes: value: 0 is not an array"));
    EXPECT_THAT(refusal(with("\"value\": 1", "\"value\": 2")), HasSubstr("2 is not a bool"));
    EXPECT_THAT(refusal(with("\"s64[]\"", "\"s64\"")), HasSubstr("axes: the type is s64, it must be s64[]"));
}

TEST(io_bad_graph_file, unknown_names) {
    EXPECT_THAT(refusal(with("ReduceSum", "ReduceMedian")),
                HasSubstr("op 5: kind: \"ReduceMedian\" is not the name of an op kind"));
    EXPECT_THAT(refusal(with("ReduceSum", std::string(100000, 'R'))), HasSubstr("RRR..."));
    EXPECT_THAT(refusal(with("\"f32\"", "\"f31\"")), HasSubstr("input 0: dtype: \"f31\" is not the name of a data type"));
    EXPECT_THAT(refusal(with("\"strided\"", "\"dense\"")), HasSubstr("\"dense\" is not the name of a layout type"));
    EXPECT_THAT(refusal(with("\"undef\"", "\"fixed\"")), HasSubstr("\"fixed\" is not the name of a property type"));
    EXPECT_THAT(refusal(with("\"axes\"", "\"axe\"")), HasSubstr("there is no attribute \"axe\""));
    EXPECT_THAT(refusal(with("\"s64[]\"", "\"s32[]\"")), HasSubstr("\"s32[]\" is not the name of an attribute type"));
    EXPECT_THAT(refusal(with("\"cpu\"", "\"tpu\"")), HasSubstr("engine_kind"));
    EXPECT_THAT(refusal(with("\"strict\"", "\"exact\"")), HasSubstr("fpmath_mode"));
}

TEST(io_bad_graph_file, shapes) {
    EXPECT_THAT(refusal(with("[3, 1]", "[1]")), HasSubstr("input 0: shape has 2 entries, stride has 1"));
    EXPECT_THAT(refusal(with("[3, 1]", "[6, 3, 1]")), HasSubstr("shape has 2 entries, stride has 3"));
    EXPECT_THAT(refusal(with("[3, 1]", "[]")), HasSubstr("shape has 2 entries, stride has 0"));
    EXPECT_THAT(refusal(with("[2, 3]", "[-2, 3]")), HasSubstr("dim 0 is -2; it must not be negative"));
    EXPECT_THAT(refusal(with("[3, 1]", "[-3, 1]")), HasSubstr("stride 0 is -3; it must not be negative"));
    EXPECT_THAT(refusal(with("[2, 3]", "[9223372036854775807, 3]")), HasSubstr("exceeds 2^63 - 1"));
    EXPECT_THAT(refusal(with("[2, 3]", "[9223372036854775808, 3]")), HasSubstr("exceeds 2^63 - 1"));
    EXPECT_THAT(refusal(with("[2, 3]", "[1e30, 3]")), HasSubstr("is not an integer"));
    EXPECT_THAT(refusal(with("[2, 3]", "[99999999999999999999999, 3]")), HasSubstr("is not an integer"));
    EXPECT_THAT(refusal(with("[3, 1]", "[9223372036854775807, 9223372036854775807]")), HasSubstr("exceeds 2^63 - 1"));
}

TEST(io_bad_graph_file, the_same_thing_twice) {
    const std::string text = good;
    const size_t begin = text.find("{\"id\": 5"), end = text.rfind("]}");
    EXPECT_THAT(refusal(std::string(text).insert(end, "," + text.substr(begin, end - begin))),
                HasSubstr("graph 0 and 1 have the same id 5"));
    EXPECT_THAT(refusal(with("\"name\": \"n\"", "\"id\": 6")), HasSubstr("key \"id\" stands twice"));
}

TEST(io_bad_graph_file, no_file_to_read) {
    const auto refused = [](const std::filesystem::path &path) {
        try {
            io::read_graph(path);
        } catch (const error &e) {
            EXPECT_EQ(e.code(), onefold_invalid_arguments);
            EXPECT_THAT(e.what(), HasSubstr(path.string() + ": "));
            return std::string(e.what());
        }
        return std::string("read");
    };
    const std::filesystem::path folder = testing::TempDir();
    EXPECT_THAT(refused(folder), HasSubstr("is a directory"));
    EXPECT_THAT(refused(folder / "there_is_no_such_file.json"), HasSubstr("No such file"));
    EXPECT_THAT(refused("/dev/null"), HasSubstr("empty"));
    EXPECT_THAT(refused("/dev/zero"), HasSubstr("larger than"));
}

} // namespace
