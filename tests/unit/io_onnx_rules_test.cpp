// Models that break a rule of their version, and models that are broken: each gets one line.

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "graph/error.hpp"
#include "io_onnx_model.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;
using testing::HasSubstr;
using testing::Not;

constexpr int f32 = pb::TensorProto::FLOAT;

onnx_model with_inputs(int opset, const std::string &op, const std::vector<std::vector<int64_t>> &shapes, int type = f32) {
    onnx_model m(opset);
    std::vector<std::string> names;
    for (const auto &shape : shapes) {
        names.push_back("x" + std::to_string(names.size()));
        m.input(names.back(), type, shape);
    }
    m.node(op, names).set_name("n");
    m.output();
    return m;
}

pb::NodeProto &node_of(onnx_model &m) { return *m.graph().mutable_node(0); }

template <typename Value>
std::string refusal_with(onnx_model m, const std::string &attribute, const Value &value) {
    set(node_of(m), attribute, value);
    return refusal(m.proto);
}

TEST(io_onnx_rules, versions) {
    EXPECT_THAT(refusal(onnx_model(13).proto), HasSubstr("the graph has no outputs"));
    onnx_model m = with_inputs(13, "Abs", {{2}});
    m.proto.set_ir_version(15);
    EXPECT_THAT(refusal(m.proto), HasSubstr("ir_version: version 15"));
    m.proto.set_ir_version(0);
    EXPECT_THAT(refusal(m.proto), HasSubstr("ir_version: version 0"));
    m.proto.set_ir_version(8);
    m.proto.mutable_opset_import(0)->set_version(29);
    EXPECT_THAT(refusal(m.proto), HasSubstr("opset 29 is not known; 1 to 28 are"));
    m.proto.mutable_opset_import(0)->set_version(0);
    EXPECT_THAT(refusal(m.proto), HasSubstr("opset 0"));
    m.proto.clear_opset_import();
    EXPECT_THAT(refusal(m.proto), HasSubstr("the version of the default operator set is missing"));
    m.proto.add_opset_import()->set_version(13);
    m.proto.add_opset_import()->set_version(14);
    EXPECT_THAT(refusal(m.proto), HasSubstr("versions 13 and 14"));
    EXPECT_THAT(refusal(with_inputs(13, "Mish", {{2}}).proto),
                HasSubstr("node 0 (Mish \"n\", opset 13): the op came with opset 18"));
}

TEST(io_onnx_rules, shapes_before_broadcasting) {
    for (const char *op : {"Max", "Mean", "Min", "Sum"}) {
        const std::string said = refusal(with_inputs(6, op, {{2, 3}, {3}}).proto);
        EXPECT_THAT(said, HasSubstr("input 0 2x3 and input 1 3 differ in shape; before opset 8 they must be equal"));
        EXPECT_THAT(said, HasSubstr("opset 6"));
        EXPECT_THAT(impl::io::import_model(with_inputs(8, op, {{2, 3}, {3}}).proto, {}).unsupported, testing::IsEmpty());
    }
    EXPECT_THAT(refusal(with_inputs(6, "Add", {{2, 3}, {3}}).proto), HasSubstr("before opset 7 they must be equal"));
    EXPECT_THAT(refusal_with(with_inputs(6, "Mul", {{2, 3}, {2}}), "broadcast", int64_t{1}),
                HasSubstr("input 1 2 does not match the dims of input 0 2x3 from axis 1 on"));
    EXPECT_THAT(refusal(with_inputs(13, "Add", {{2, 3}, {2}}).proto), HasSubstr("cannot be broadcast"));
}

TEST(io_onnx_rules, types_by_version) {
    EXPECT_THAT(refusal(with_inputs(8, "Mean", {{2}}, pb::TensorProto::BFLOAT16).proto),
                HasSubstr("input 0 has type bf16, which the op does not take in this version"));
    EXPECT_THAT(refusal(with_inputs(11, "Max", {{2}}, pb::TensorProto::INT32).proto), HasSubstr("s32"));
    EXPECT_THAT(refusal(with_inputs(18, "ReduceMean", {{2}}, pb::TensorProto::INT8).proto), HasSubstr("s8"));
    onnx_model mixed = with_inputs(13, "Add", {{2}, {2}});
    mixed.graph().mutable_input(1)->mutable_type()->mutable_tensor_type()->set_elem_type(pb::TensorProto::DOUBLE);
    EXPECT_THAT(refusal(mixed.proto), HasSubstr("input 1 has type f64, but input 0 has f32"));
    onnx_model declared = with_inputs(13, "Abs", {{2}});
    declared.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(pb::TensorProto::DOUBLE);
    EXPECT_THAT(refusal(declared.proto), HasSubstr("is declared as f64, but is f32"));
}

TEST(io_onnx_rules, attributes_and_inputs_by_version) {
    const std::vector<int64_t> axes = {1};
    EXPECT_THAT(refusal_with(with_inputs(18, "ReduceMean", {{2, 3}}), "axes", axes), HasSubstr("there is no attribute axes"));
    EXPECT_THAT(refusal_with(with_inputs(17, "ReduceMean", {{2, 3}}), "noop_with_empty_axes", int64_t{1}),
                HasSubstr("there is no attribute noop_with_empty_axes"));
    EXPECT_THAT(refusal(with_inputs(17, "ReduceMean", {{2, 3}, {1}}).proto), HasSubstr("2 inputs are given"));
    EXPECT_THAT(refusal_with(with_inputs(10, "ReduceMean", {{2, 3}}), "axes", std::vector<int64_t>{-1}),
                HasSubstr("axis -1: negative axes came with opset 11"));
    EXPECT_THAT(refusal_with(with_inputs(11, "ReduceMean", {{2, 3}}), "axes", std::vector<int64_t>{2}),
                HasSubstr("axis 2 is not in [-2, 1]"));
    EXPECT_THAT(refusal_with(with_inputs(11, "ReduceMean", {{2, 3}}), "axes", std::vector<int64_t>{1, -1}), HasSubstr("twice"));
    EXPECT_THAT(refusal_with(with_inputs(11, "ReduceMean", {{2, 3}}), "keepdims", 1.0F), HasSubstr("not of type INT"));
    EXPECT_THAT(refusal_with(with_inputs(6, "Abs", {{2}}), "consumed_inputs", axes), HasSubstr("no attribute consumed_inputs"));
    EXPECT_THAT(refusal_with(with_inputs(20, "Gelu", {{2}}), "approximate", std::string("erf")),
                HasSubstr("\"erf\", not none or tanh"));
    onnx_model twice = with_inputs(11, "ReduceMean", {{2, 3}});
    set(node_of(twice), "keepdims", int64_t{1});
    EXPECT_THAT(refusal_with(twice, "keepdims", int64_t{1}), HasSubstr("attribute keepdims is given twice"));
    onnx_model wrong_axes = with_inputs(18, "ReduceMean", {{2, 3}, {1}});
    EXPECT_THAT(refusal(wrong_axes.proto), HasSubstr("input axes has type f32; it must be s64"));
    onnx_model no_outputs = with_inputs(13, "Abs", {{2}});
    node_of(no_outputs).add_output("z");
    EXPECT_THAT(refusal(no_outputs.proto), HasSubstr("2 outputs are given"));
}

TEST(io_onnx_rules, shapes_of_views) {
    const auto reshape = [](const std::vector<int64_t> &shape) {
        onnx_model m(14);
        m.node("Reshape", {"x", "shape"});
        m.input("x", f32, {2, 3});
        m.integers("shape", shape);
        m.output();
        return refusal(m.proto);
    };
    EXPECT_THAT(reshape({4}), HasSubstr("the shape 4 has 4 elements, input 0 2x3 has 6"));
    EXPECT_THAT(reshape({4, -1}), HasSubstr("the shape 4x1 has 4 elements"));
    EXPECT_THAT(reshape({-1, -1}), HasSubstr("more than one dim of -1"));
    EXPECT_THAT(reshape({-2}), HasSubstr("a dim of -2"));
    EXPECT_THAT(reshape({2, 3, 0}), HasSubstr("dim 2 is 0"));
    EXPECT_THAT(reshape({int64_t{1} << 40, int64_t{1} << 40}), HasSubstr("more than 2^63 elements"));
    EXPECT_THAT(refusal_with(with_inputs(11, "Squeeze", {{2, 3}}), "axes", std::vector<int64_t>{0}),
                HasSubstr("axis 0 has 2 elements"));
    EXPECT_THAT(refusal_with(with_inputs(11, "Unsqueeze", {{2}}), "axes", std::vector<int64_t>{5}),
                HasSubstr("axis 5 is not in"));
    EXPECT_THAT(refusal_with(with_inputs(9, "Flatten", {{2}}), "axis", int64_t{-1}), HasSubstr("came with opset 11"));
}

TEST(io_onnx_rules, names) {
    onnx_model m = with_inputs(13, "Abs", {{2}});
    m.node("Exp", {"x0"});
    EXPECT_THAT(refusal(m.proto), HasSubstr("node 1 (Exp, opset 13): output \"y\": the name is given twice"));
    m = with_inputs(13, "Abs", {{2}});
    node_of(m).set_input(0, "nothing");
    EXPECT_THAT(refusal(m.proto), HasSubstr("input \"nothing\" is the name of nothing in the graph"));
    m = with_inputs(13, "Abs", {{2}});
    node_of(m).set_input(0, "z");
    m.node("Exp", {"y"}, {"z"});
    EXPECT_THAT(refusal(m.proto), HasSubstr("comes from node 1, which is not before it: the nodes form a cycle"));
    m = with_inputs(13, "Abs", {{2}});
    node_of(m).set_input(0, "y");
    EXPECT_THAT(refusal(m.proto), HasSubstr("comes from node 0"));
    m = with_inputs(13, "Abs", {{2}});
    m.input("x0", f32, {2});
    EXPECT_THAT(refusal(m.proto), HasSubstr("two inputs of that name"));
    m = with_inputs(13, "Abs", {{2}});
    m.output();
    EXPECT_THAT(refusal(m.proto), HasSubstr("two outputs of that name"));
    m = with_inputs(13, "Abs", {{2}});
    m.output("none");
    EXPECT_THAT(refusal(m.proto), HasSubstr("output \"none\": is the name of nothing"));
    m = with_inputs(13, "Abs", {{2}});
    m.integers("i", {});
    m.integers("i", {});
    EXPECT_THAT(refusal(m.proto), HasSubstr("initializer \"i\": the name is given twice"));
    m = with_inputs(13, "Abs", {{2}});
    m.input("", f32, {2});
    EXPECT_THAT(refusal(m.proto), HasSubstr("has no name"));
    m = with_inputs(13, "Abs", {{2}});
    m.graph().mutable_input(0)->clear_type();
    EXPECT_THAT(refusal(m.proto), HasSubstr("input \"x0\": has no type"));
}

TEST(io_onnx_rules, dims) {
    EXPECT_THAT(refusal(with_inputs(13, "Abs", {{-5}}).proto), HasSubstr("\"x0\": has a dim of -5"));
    const int64_t huge = int64_t{1} << 62;
    EXPECT_THAT(refusal(with_inputs(13, "Abs", {{huge, huge}}).proto), HasSubstr("input \"x0\""));
    onnx_model m = with_inputs(13, "Abs", {{2}});
    m.initializer("w", f32, {huge, huge});
    EXPECT_THAT(refusal(m.proto), HasSubstr("initializer \"w\": its dims ask for more than 2^63 bytes"));
    m = with_inputs(13, "Abs", {{2}});
    m.initializer("w", f32, {-1});
    EXPECT_THAT(refusal(m.proto), HasSubstr("has a dim of -1"));
    m = with_inputs(13, "Abs", {{2}});
    m.initializer("w", f32, {int64_t{1} << 40}).set_raw_data("abcd"); // nothing of that size is allocated
    EXPECT_THAT(refusal(m.proto), HasSubstr("ask for 4398046511104 bytes, its raw data has 4"));
    m = with_inputs(13, "Abs", {{2}});
    m.initializer("w", f32, {3}).add_float_data(1);
    EXPECT_THAT(refusal(m.proto), HasSubstr("its dims 3 ask for 3 elements of type f32, it has 1"));
    m.graph().mutable_initializer(0)->set_raw_data("abcd");
    EXPECT_THAT(refusal(m.proto), HasSubstr("in more than one place"));
    m = with_inputs(13, "Abs", {{2}});
    m.initializer("w", pb::TensorProto::INT8, {1}).add_int32_data(300);
    EXPECT_THAT(refusal(m.proto), HasSubstr("the element 300 is outside the range"));
}

/// Reads files from a folder of its own.
class io_onnx_files : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::path(testing::TempDir()) / ("onefold_onnx_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_ / "model");
        std::ofstream(folder_ / "secret", std::ios::binary) << "12345678";
        std::ofstream(folder_ / "model" / "weights", std::ios::binary) << std::string("skip\0\0\x80\x3f\0\0\0\x40", 12);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string message(const std::string &content) const {
        const auto path = folder_ / "model" / "m.onnx";
        std::ofstream(path, std::ios::binary) << content;
        try {
            impl::io::read_onnx(path);
        } catch (const impl::error &e) {
            EXPECT_THAT(e.what(), HasSubstr("m.onnx: "));
            return e.what();
        }
        return "";
    }

    /// A model that adds an external tensor of two f32 elements.
    onnx_model external(const std::map<std::string, std::string> &entries) const {
        onnx_model m = with_inputs(13, "Add", {{2}, {2}});
        m.graph().mutable_input()->RemoveLast();
        pb::TensorProto &tensor = m.initializer("x1", f32, {2});
        tensor.set_data_location(pb::TensorProto::EXTERNAL);
        for (const auto &[key, value] : entries) {
            auto &entry = *tensor.add_external_data();
            entry.set_key(key);
            entry.set_value(value);
        }
        return m;
    }

    std::filesystem::path folder_;
};

TEST_F(io_onnx_files, that_are_not_models) {
    EXPECT_THAT(message(""), HasSubstr("is not an ONNX model: there is no graph"));
    EXPECT_THAT(message("{\"graph\": []}"), HasSubstr("protobuf cannot read it"));
    EXPECT_THAT(message(std::string(100, '\xff')), HasSubstr("protobuf cannot read it"));
    // A graph that claims to be 2 GB long.
    EXPECT_THAT(message("\x08\x08\x3a\xff\xff\xff\xff\x07"), HasSubstr("protobuf cannot read it"));
    // So does the raw data of an initializer.
    EXPECT_THAT(message("\x08\x08\x3a\xff\xff\xff\xff\x07\x2a\xff\xff\xff\xf0\x07\x4a\xff\xff\xff\xe0\x07zz"),
                HasSubstr("cannot read it"));
}

TEST_F(io_onnx_files, that_are_cut_anywhere) {
    const std::string whole = with_inputs(13, "Abs", {{2}}).proto.SerializeAsString();
    EXPECT_EQ(message(whole), "");
    for (size_t size = 0; size < whole.size(); ++size)
        EXPECT_NE(message(whole.substr(0, size)), "") << size;
}

TEST_F(io_onnx_files, that_are_damaged_anywhere) {
    onnx_model m = with_inputs(13, "ReduceSum", {{2, 3}});
    node_of(m).add_input("axes");
    m.integers("axes", {1});
    m.node("Reshape", {"y", "axes"}, {"z"});
    m.node("Conv", {"z"}, {"c"});
    m.output("z");
    m.output("c");
    const std::string whole = m.proto.SerializeAsString();
    for (size_t i = 0; i < whole.size(); ++i)
        for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
            std::string damaged = whole;
            damaged[i] = static_cast<char>(damaged[i] ^ flip);
            pb::ModelProto model;
            if (!model.ParseFromString(damaged)) continue;
            try { // right or refused, but nothing else
                impl::io::import_model(model, folder_);
            } catch (const impl::error &) {
            }
        }
}

TEST_F(io_onnx_files, external_data) {
    const onnx_model good = external({{"location", "weights"}, {"offset", "4"}, {"length", "8"}});
    const auto graph = impl::io::import_model(good.proto, folder_ / "model");
    ASSERT_EQ(graph.constants.size(), 1U);
    EXPECT_EQ(graph.constants.begin()->second.data.at(3), std::byte{0x3f});
    const auto says = [&](const std::map<std::string, std::string> &entries) {
        return message(external(entries).proto.SerializeAsString());
    };
    EXPECT_EQ(says({{"location", "weights"}, {"offset", "4"}}), "");
    EXPECT_THAT(says({{"location", "../secret"}}), HasSubstr("is not in the model's folder"));
    EXPECT_THAT(says({{"location", (folder_ / "secret").string()}}), HasSubstr("is not in the model's folder"));
    EXPECT_THAT(says({{"location", "missing"}}), HasSubstr("there is no file \"missing\""));
    EXPECT_THAT(says({{"location", "."}}), HasSubstr("there is no file"));
    EXPECT_THAT(says({}), HasSubstr("the location is missing"));
    EXPECT_THAT(says({{"location", "weights"}}), HasSubstr("ask for 8 bytes, \"weights\" gives 12"));
    EXPECT_THAT(says({{"location", "weights"}, {"offset", "8"}, {"length", "8"}}), HasSubstr("bytes 8 to 16"));
    EXPECT_THAT(says({{"location", "weights"}, {"offset", "18446744073709551615"}, {"length", "8"}}),
                HasSubstr("which has 12"));
    EXPECT_THAT(says({{"location", "weights"}, {"offset", "x"}}), HasSubstr("offset is \"x\", not a number"));
    std::filesystem::create_symlink(folder_ / "secret", folder_ / "model" / "link");
    EXPECT_THAT(says({{"location", "link"}}), HasSubstr("is not in the model's folder"));
}

} // namespace
