// What the program does with bad usage and bad files: one line on stderr, an exit code, and nothing written.

#include <array>
#include <string>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace {

using onefold::test::outcome;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class bad_input : public onefold::test::program_test {
protected:
    /// Expects a refusal with that exit code and one line that holds `words`.
    void expect_refusal(const std::string &arguments, int exit_code, const std::string &words) const {
        const outcome result = run(arguments);
        EXPECT_EQ(result.exit_code, exit_code) << arguments << "\n" << result.err;
        EXPECT_EQ(result.out, "") << arguments;
        EXPECT_THAT(result.err, StartsWith("onefold: error: "));
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
        EXPECT_THAT(result.err, HasSubstr(words));
    }
};

std::string tensor(int id, const std::string &shape, const std::string &stride) {
    return "{\"id\": " + std::to_string(id) + ", \"dtype\": \"f32\", \"shape\": " + shape + ", \"stride\": " + stride +
           ", \"layout_type\": \"strided\", \"property_type\": \"undef\"}";
}

std::string op(int id, const std::string &kind, const std::string &attrs, const std::string &inputs,
               const std::string &outputs) {
    return "{\"id\": " + std::to_string(id) + ", \"name\": \"\", \"kind\": \"" + kind + "\", \"attrs\": {" + attrs +
           "}, \"inputs\": [" + inputs + "], \"outputs\": [" + outputs + "]}";
}

std::string graph(const std::string &ops) {
    return R"({"version": "3.7.0", "engine_kind": "cpu", "fpmath_mode": "strict", "graph": [)" + ops + "]}";
}

const std::string axes_0 = R"("axes": {"type": "s64[]", "value": [0]}, "keep_dims": {"type": "bool", "value": 1})";

std::string reduction(const std::string &shape = "[2, 3]", const std::string &stride = "[3, 1]",
                      const std::string &attrs = axes_0) {
    return graph(op(0, "ReduceMean", attrs, tensor(0, shape, stride), tensor(1, "[1, 3]", "[3, 1]")));
}

TEST_F(bad_input, usage) {
    expect_refusal("", 2, "subcommand");
    expect_refusal("walk", 2, "walk");
    expect_refusal("run", 2, "FILE");
    expect_refusal("inspect", 2, "FILE");
    const std::string file = write("good.json", reduction());
    expect_refusal("run " + file + " --speed 7", 2, "--speed");
    expect_refusal("run " + file + " more", 2, "more");
    expect_refusal("run " + file + " --seed x", 2, "--seed");
    expect_refusal("run " + file + " --threads -1", 2, "--threads");
    expect_refusal("run " + file + " --output-dir " + file, 2, "is not a directory");
    expect_refusal("run model.onnx", 2, "model.onnx: ");
}

TEST_F(bad_input, help_and_version_go_to_stdout) {
    for (const char *arguments : {"--help", "run --help", "inspect --help", "bench --help", "--version"}) {
        const outcome result = run(arguments);
        EXPECT_EQ(result.exit_code, 0) << arguments;
        EXPECT_EQ(result.err, "") << arguments;
        EXPECT_NE(result.out, "") << arguments;
    }
}

TEST_F(bad_input, files_that_hold_no_graph) {
    for (const std::string command : {"run ", "inspect "}) {
        expect_refusal(command + (folder_ / "none.json").string(), 2, "none.json: cannot be opened");
        expect_refusal(command + folder_.string(), 2, "is a directory");
        expect_refusal(command + "/dev/null", 2, "empty");
        expect_refusal(command + write("text.json", "reduce this\n"), 2, "not JSON");
        expect_refusal(command + write("brackets.json", std::string(1000000, '[')), 2, "nesting");
        expect_refusal(command + write("balanced.json", std::string(1000000, '[') + std::string(1000000, ']')), 2, "nesting");
        expect_refusal(command + write("binary.json", std::string("\x7f\x45LF\0\n\1\xff", 8)), 2, "not JSON");
        expect_refusal(command + write("no_graph.json", "{}"), 2, "\"graph\" is missing");
    }
}

TEST_F(bad_input, graphs_that_are_refused) {
    const auto refuse = [&](const std::string &text, const std::string &words) {
        expect_refusal("run --output-dir " + (folder_ / "dst").string() + " " + write("bad.json", text), 2, words);
        expect_refusal("inspect " + write("bad.json", text), 2, words);
        EXPECT_FALSE(fs::exists(folder_ / "dst"));
    };
    refuse(reduction("[2, 3]", "[1]"), "shape has 2 entries, stride has 1");
    refuse(reduction("[-2, 3]", "[3, 1]"), "must not be negative");
    refuse(reduction("[4611686018427387904, 3]", "[3, 1]"), "exceeds 2^63 - 1");
    refuse(reduction("[1000000000000000, 3]", "[3, 1]"), "more than a process can address");
    refuse(reduction("[2, 3]", "[3, 1]", R"("axes": {"type": "f32", "value": 0})"), "axes");
    refuse(graph(op(0, "ReduceMedian", "", "", "")), "ReduceMedian");
    refuse(graph(op(0, "Abs", "", "", "")), "Abs");
    const std::string x = tensor(0, "[4]", "[1]"), y = tensor(1, "[4]", "[1]"), z = tensor(2, "[4]", "[1]");
    refuse(graph(op(0, "Abs", "", x, y) + "," + op(0, "Abs", "", y, z)), "the same id 0");
    refuse(graph(op(0, "Abs", "", x, z) + "," + op(1, "Abs", "", y, z)), "already produced");
    refuse(graph(op(0, "Abs", "", x, y) + "," + op(1, "Abs", "", y, x)), "cycle");
    refuse(graph(op(0, "Abs", R"("keep_dims": {"type": "bool", "value": 1})", x, y)), "keep_dims");
}

TEST_F(bad_input, graphs_that_cannot_run) {
    const std::string x = tensor(0, "[4]", "[1]"), y = tensor(1, "[4]", "[1]");
    const std::string foreign = op(7, "PReLU", "", x + "," + x, y);
    expect_refusal("run " + write("foreign.json", graph(foreign)), 1, "not supported: op 7 (PReLU)");
    const std::string axis_7 = R"("axes": {"type": "s64[]", "value": [7]}, "keep_dims": {"type": "bool", "value": 1})";
    expect_refusal("run " + write("axis.json", reduction("[2, 3]", "[3, 1]", axis_7)), 1, "7");
    expect_refusal("run " + write("large.json", graph(op(0, "Abs", "", tensor(0, "[20000000000000]", "[1]"),
                                                         tensor(1, "[20000000000000]", "[1]")))),
                   1, "MB");
}

TEST_F(bad_input, inputs) {
    const std::string file = write("good.json", reduction());
    const std::string open = write("open.json", reduction("[-1, 3]"));
    const auto npy = [&](const std::string &descr, const std::string &shape, size_t bytes) {
        const std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
        return write("input.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
                                      std::string(bytes, '\0'));
    };
    expect_refusal("run " + open, 2, "no known shape");
    expect_refusal("run " + file + " --input 0", 2, "NAME=PATH.npy");
    expect_refusal("run " + file + " --input x=" + npy("<f4", "(2, 3)", 24), 2, "tensor id");
    expect_refusal("run " + file + " --input 1=" + npy("<f4", "(2, 3)", 24), 2, "not an input");
    const std::string given = " --input 0=" + npy("<f4", "(2, 3)", 24);
    expect_refusal("run " + file + given + given, 2, "twice");
    expect_refusal("run " + file + " --input 0=" + (folder_ / "none.npy").string(), 2, "none.npy");
    expect_refusal("run " + file + " --input 0=" + file, 2, "not an .npy file");
    expect_refusal("run " + file + " --input 0=" + npy("<f8", "(2, 3)", 48), 2, "f64");
    expect_refusal("run " + file + " --input 0=" + npy("<f4", "(3, 2)", 24), 2, "2x3");
    expect_refusal("run " + open + " --input 0=" + npy("<f4", "(2, 4)", 32), 2, "?x3");
    expect_refusal("run " + file + " --input 0=" + npy("<f4", "(2147483648,)", 24), 2, "2147483648 elements");
}

} // namespace
