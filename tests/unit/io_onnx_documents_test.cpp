// The examples of ONNX's documents (tests/conformance/document_examples.json) as .onnx files that the program runs.

#include <cmath>

#include <gmock/gmock.h>

#include "graph/logical_tensor.hpp"
#include "io/npy.hpp"
#include "io_onnx_cases.hpp"
#include "support/program.hpp"
#include "tests/driver/buffer.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using testing::HasSubstr;

const std::vector<json> &all_examples() {
    static const std::vector<json> examples = read_cases(ONEFOLD_SOURCE_DIR "/tests/conformance/document_examples.json");
    return examples;
}

std::string name_of(const testing::TestParamInfo<size_t> &info) { return all_examples()[info.param]["name"]; }

class io_onnx_document : public program_test, public testing::WithParamInterface<size_t> {
protected:
    // The name of a parameterised test has a slash in it.
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) /
                  ("onefold_document_" + std::to_string(GetParam()) + "_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }

    const json &example() const { return all_examples()[GetParam()]; }

    std::string write_array(const std::string &name, const onnx_values &values) const {
        driver::buffer b(impl::make_dense(0, values.type, values.dims));
        b.store_all(values.values);
        const std::filesystem::path path = folder_ / (name + ".npy");
        impl::io::write_npy(path, values.type, values.dims, b.gather());
        return path.string();
    }

    outcome run_example(bool axes_at_run_time) const {
        const json &c = example();
        std::string arguments = "run " + write("model.onnx", model_of(c, axes_at_run_time).SerializeAsString()) +
                                " --output-dir " + (folder_ / "out").string();
        for (size_t i = 0; i < c["inputs"].size(); ++i) {
            if (i == 1 && has_axes(c) && !axes_at_run_time) continue;
            const std::string name = c["input_names"][i];
            arguments += " --input " + name + "=" + write_array(name, values_of(c["inputs"][i]));
        }
        return run(arguments);
    }

    void expect_values(const outcome &result) const {
        ASSERT_EQ(result.exit_code, 0) << result.err;
        const auto written = impl::io::read_npy(folder_ / "out" / "dst.npy");
        const onnx_values expected = values_of(example()["outputs"][0]);
        EXPECT_EQ(written.type, expected.type);
        ASSERT_EQ(written.dims, expected.dims);
        driver::buffer b(impl::make_dense(0, written.type, written.dims));
        b.scatter(written.data);
        const std::vector<double> got = b.load_all();
        for (size_t i = 0; i < got.size(); ++i)
            EXPECT_LE(std::abs(got[i] - expected.values[i]),
                      example()["atol"].get<double>() + example()["rtol"].get<double>() * std::abs(expected.values[i]))
                << "element " << i << " is " << got[i] << ", not " << expected.values[i];
    }

    void expect_refusal(const outcome &result) const {
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
        for (const std::string words : example()["refused"])
            EXPECT_THAT(result.err, HasSubstr(words));
        EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
    }
};

TEST_P(io_onnx_document, has_its_values) {
    const outcome result = run_example(false);
    if (!example().contains("refused")) return expect_values(result);
    EXPECT_EQ(result.exit_code, 2);
    expect_refusal(result);
}

INSTANTIATE_TEST_SUITE_P(onnx, io_onnx_document, testing::Range(size_t{0}, all_examples().size()), name_of);

std::vector<size_t> examples_with_axes() {
    std::vector<size_t> result;
    for (size_t i = 0; i < all_examples().size(); ++i)
        if (has_axes(all_examples()[i])) result.push_back(i);
    return result;
}

class io_onnx_document_with_axes_at_run_time : public io_onnx_document {};

TEST_P(io_onnx_document_with_axes_at_run_time, has_its_values) {
    const outcome result = run_example(true);
    if (result.exit_code == 2 && result.err.find("not supported: ") != std::string::npos) GTEST_SKIP() << result.err;
    if (!example().contains("refused")) return expect_values(result);
    EXPECT_NE(result.exit_code, 0);
    expect_refusal(result);
}

INSTANTIATE_TEST_SUITE_P(onnx, io_onnx_document_with_axes_at_run_time, testing::ValuesIn(examples_with_axes()), name_of);

} // namespace
