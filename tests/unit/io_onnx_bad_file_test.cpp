// The program on .onnx files that are broken: one line on stderr, exit code 2, nothing written, and no more memory than the
// file is worth, whatever it claims.

#include <functional>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "io_onnx_model.hpp"
#include "support/program.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using testing::HasSubstr;

constexpr int f32 = pb::TensorProto::FLOAT;
constexpr int64_t huge = int64_t{1} << 62;
constexpr long most_kilobytes = 700 * 1024; // sanitizers take most of it

/// y = Add(x, w); x has the dims 2 and 3, w is an initializer of 3.
onnx_model good() {
    onnx_model m(13);
    m.node("Add", {"x", "w"}).set_name("n");
    m.input("x", f32, {2, 3});
    pb::TensorProto &w = m.initializer("w", f32, {3});
    for (const float value : {1.0F, 2.0F, 3.0F})
        w.add_float_data(value);
    m.output();
    return m;
}

struct broken_model {
    const char *name;
    std::function<void(onnx_model &)> damage;
    const char *words;
};

pb::TensorProto &weights(onnx_model &m) { return *m.graph().mutable_initializer(0); }
pb::NodeProto &node(onnx_model &m) { return *m.graph().mutable_node(0); }

void set_dims(pb::TensorProto &tensor, const std::vector<int64_t> &dims) {
    tensor.clear_dims();
    for (const int64_t dim : dims)
        tensor.add_dims(dim);
}

void set_external(onnx_model &m, const std::string &location) {
    weights(m).clear_float_data();
    weights(m).set_data_location(pb::TensorProto::EXTERNAL);
    auto &entry = *weights(m).add_external_data();
    entry.set_key("location");
    entry.set_value(location);
}

const std::vector<broken_model> &broken_models() {
    static const std::vector<broken_model> models = {
        {"no_graph", [](onnx_model &m) { m.proto.clear_graph(); }, "there is no graph"},
        {"cycle", [](onnx_model &m) { node(m).set_input(1, "z"), m.node("Exp", {"y"}, {"z"}); }, "form a cycle"},
        {"node_that_reads_itself", [](onnx_model &m) { node(m).set_input(0, "y"); }, "comes from node 0"},
        {"name_of_nothing", [](onnx_model &m) { node(m).set_input(0, "nothing"); }, "is the name of nothing"},
        {"output_of_nothing", [](onnx_model &m) { m.output("none"); }, "output \"none\""},
        {"input_without_a_name", [](onnx_model &m) { m.input("", f32, {1}); }, "has no name"},
        {"input_without_a_type", [](onnx_model &m) { m.graph().mutable_input(0)->clear_type(); }, "has no type"},
        {"initializer_without_a_name", [](onnx_model &m) { m.integers("", {1}); }, "has no name"},
        {"name_of_two_nodes", [](onnx_model &m) { m.node("Exp", {"x"}); }, "the name is given twice"},
        {"name_of_two_inputs", [](onnx_model &m) { m.input("x", f32, {1}); }, "two inputs of that name"},
        {"name_of_two_initializers", [](onnx_model &m) { m.integers("w", {1}); }, "the name is given twice"},
        {"name_of_two_outputs", [](onnx_model &m) { m.output(); }, "two outputs of that name"},
        {"too_few_elements", [](onnx_model &m) { weights(m).mutable_float_data()->RemoveLast(); }, "it has 2"},
        {"too_many_elements", [](onnx_model &m) { weights(m).add_float_data(4); }, "it has 4"},
        {"too_few_bytes", [](onnx_model &m) { weights(m).clear_float_data(), weights(m).set_raw_data("abc"); }, "has 3"},
        {"two_kinds_of_data", [](onnx_model &m) { weights(m).set_raw_data(std::string(12, '\0')); }, "more than one place"},
        {"claim_of_2_gigabytes", [](onnx_model &m) { set_dims(weights(m), {int64_t{1} << 29}); }, "it has 3"},
        {"claim_of_2_exabytes", [](onnx_model &m) { set_dims(weights(m), {int64_t{1} << 59}); }, "it has 3"},
        {"dims_that_overflow",
         [](onnx_model &m) {
             set_dims(weights(m), {huge, huge});
         },
         "more than 2^63 bytes"},
        {"negative_dim", [](onnx_model &m) { set_dims(weights(m), {-3}); }, "has a dim of -3"},
        {"input_dims_that_overflow",
         [](onnx_model &m) {
             m.input("z", f32, {huge, huge});
         },
         "input \"z\""},
        {"input_that_no_process_holds",
         [](onnx_model &m) {
             m.graph().clear_input(), m.input("x", f32, {huge / 8, 3});
         },
         "exceeds 2^63 - 1 bits"},
        {"shapes_that_do_not_fit",
         [](onnx_model &m) {
             m.graph().clear_input(), m.input("x", f32, {2, 4});
         },
         "cannot be broadcast"},
        {"external_data_above_the_folder", [](onnx_model &m) { set_external(m, "../weights"); }, "not in the model's folder"},
        {"external_data_of_the_system", [](onnx_model &m) { set_external(m, "/etc/passwd"); }, "not in the model's folder"},
        {"external_data_by_a_link", [](onnx_model &m) { set_external(m, "link"); }, "not in the model's folder"},
        {"external_data_that_is_missing", [](onnx_model &m) { set_external(m, "missing"); }, "there is no file"},
        {"external_data_that_is_a_folder", [](onnx_model &m) { set_external(m, "."); }, "there is no file"},
        {"name_that_is_no_text", [](onnx_model &m) { node(m).set_input(0, "\xff\xfe\n"); }, "\"???\" is the name of nothing"},
    };
    return models;
}

class io_onnx_bad_file : public program_test {
protected:
    void SetUp() override {
        program_test::SetUp();
        std::filesystem::create_directories(folder_ / "model");
        std::filesystem::create_symlink("/etc/passwd", folder_ / "model" / "link");
        write("weights", std::string(12, '\0'));
    }

    void expect_refusal(const std::string &content, const std::string &words) const {
        const std::string file = write("model/m.onnx", content);
        for (const std::string &command : {"run --output-dir " + (folder_ / "out").string(), std::string("inspect")}) {
            const outcome result = run(command + " " + file);
            EXPECT_EQ(result.exit_code, 2) << command;
            EXPECT_EQ(result.out, "");
            EXPECT_THAT(result.err, testing::StartsWith("onefold: error: "));
            EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
            EXPECT_THAT(result.err, HasSubstr(words));
        }
        EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
        rusage used{};
        ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
        EXPECT_LT(used.ru_maxrss, most_kilobytes);
    }
};

TEST_F(io_onnx_bad_file, the_good_one_is_good) {
    EXPECT_EQ(run("run " + write("model/m.onnx", good().proto.SerializeAsString())).exit_code, 0);
}

TEST_F(io_onnx_bad_file, models_that_are_broken) {
    for (const broken_model &broken : broken_models()) {
        SCOPED_TRACE(broken.name);
        onnx_model m = good();
        broken.damage(m);
        expect_refusal(m.proto.SerializePartialAsString(), broken.words);
    }
}

TEST_F(io_onnx_bad_file, no_models) {
    const std::string whole = good().proto.SerializeAsString();
    for (const std::string &content : {std::string("text"), std::string(1000, '\xff'), std::string("\x7f\x45LF\2\1\1\0", 8)})
        expect_refusal(content, "m.onnx: is not an ONNX file, or not all of one");
    expect_refusal("", "m.onnx: is not an ONNX model: there is no graph");
    for (const size_t cut : {whole.size() / 4, whole.size() / 2, whole.size() - 1})
        expect_refusal(whole.substr(0, cut), "m.onnx: is not an ONNX");
}

TEST_F(io_onnx_bad_file, claims_of_2_gigabytes) {
    // A graph, and an initializer's raw data within one, that are said to have 2^31 - 1 bytes.
    expect_refusal("\x08\x08\x3a\xff\xff\xff\xff\x07", "is not an ONNX file, or not all of one");
    expect_refusal("\x08\x08\x3a\xff\xff\xff\xff\x07\x2a\xff\xff\xff\xf0\x07\x4a\xff\xff\xff\xe0\x07zz",
                   "is not an ONNX file, or not all of one");
}

} // namespace
