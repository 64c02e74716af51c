#include "io_onnx_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "tests/driver/session.hpp"

namespace onefold::test {

pb::NodeProto &onnx_model::node(const std::string &op, const std::vector<std::string> &inputs,
                                const std::vector<std::string> &outputs) {
    pb::NodeProto &node = *graph().add_node();
    node.set_op_type(op);
    for (const std::string &name : inputs)
        node.add_input(name);
    for (const std::string &name : outputs)
        node.add_output(name);
    return node;
}

pb::ValueInfoProto &onnx_model::input(const std::string &name, int type, const std::vector<int64_t> &dims) {
    pb::ValueInfoProto &info = *graph().add_input();
    info.set_name(name);
    auto &tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const int64_t dim : dims) {
        auto &added = *tensor.mutable_shape()->add_dim();
        if (dim != -1) added.set_dim_value(dim);
    }
    return info;
}

pb::ValueInfoProto &onnx_model::output(const std::string &name) {
    pb::ValueInfoProto &info = *graph().add_output();
    info.set_name(name);
    return info;
}

pb::TensorProto &onnx_model::initializer(const std::string &name, int type, const std::vector<int64_t> &dims) {
    pb::TensorProto &tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const int64_t dim : dims)
        tensor.add_dims(dim);
    return tensor;
}

void onnx_model::integers(const std::string &name, const std::vector<int64_t> &values) {
    pb::TensorProto &tensor = initializer(name, pb::TensorProto::INT64, {static_cast<int64_t>(values.size())});
    for (const int64_t value : values)
        tensor.add_int64_data(value);
}

namespace {

pb::AttributeProto &attribute(pb::NodeProto &node, const std::string &name, pb::AttributeProto::AttributeType type) {
    pb::AttributeProto &added = *node.add_attribute();
    added.set_name(name);
    added.set_type(type);
    return added;
}

} // namespace

void set(pb::NodeProto &node, const std::string &name, int64_t value) {
    attribute(node, name, pb::AttributeProto::INT).set_i(value);
}

void set(pb::NodeProto &node, const std::string &name, float value) {
    attribute(node, name, pb::AttributeProto::FLOAT).set_f(value);
}

void set(pb::NodeProto &node, const std::string &name, const std::string &value) {
    attribute(node, name, pb::AttributeProto::STRING).set_s(value);
}

void set(pb::NodeProto &node, const std::string &name, const std::vector<int64_t> &values) {
    pb::AttributeProto &added = attribute(node, name, pb::AttributeProto::INTS);
    for (const int64_t value : values)
        added.add_ints(value);
}

std::map<std::string, onnx_values> run(const pb::ModelProto &model, const std::map<std::string, onnx_values> &inputs) {
    std::map<std::string, std::vector<int64_t>> integers; // what may be axes
    impl::io::onnx_known_inputs known;
    for (const auto &[name, values] : inputs) {
        impl::io::onnx_known_input input{values.dims, values.type};
        if (values.type == onefold_s64)
            input.data = std::as_bytes(std::span(
                integers.emplace(name, std::vector<int64_t>(values.values.begin(), values.values.end())).first->second));
        known.emplace(name, input);
    }
    impl::io::onnx_graph graph = impl::io::import_model(model, {}, known);
    if (!graph.unsupported.empty()) throw std::runtime_error(graph.unsupported.begin()->second);
    driver::session s(std::move(graph.file), 1, graph::partition::policy::fusion, graph.views);
    s.compile();
    s.allocate();
    for (const auto &[id, array] : graph.constants)
        if (s.knows(id)) s.buffer_of(id).scatter(array.data);
    for (const impl::io::onnx_input &input : graph.inputs)
        if (s.knows(input.id)) s.buffer_of(input.id).store_all(inputs.at(input.name).values);
    s.execute();
    std::map<std::string, onnx_values> outputs;
    for (const size_t id : s.outputs()) {
        const driver::buffer &b = s.buffer_of(id);
        outputs.emplace(graph.names.at(id), onnx_values{b.description().dims, b.load_all(), b.type()});
    }
    return outputs;
}

std::string refusal(const pb::ModelProto &model) {
    try {
        impl::io::import_model(model, {});
    } catch (const impl::error &e) {
        EXPECT_EQ(e.code(), onefold_invalid_arguments);
        EXPECT_THAT(e.what(), testing::Not(testing::HasSubstr("\n")));
        return e.what();
    }
    ADD_FAILURE() << "not refused";
    return {};
}

std::string unsupported(const pb::ModelProto &model) {
    const impl::io::onnx_graph graph = impl::io::import_model(model, {});
    EXPECT_EQ(graph.unsupported.size(), 1U);
    return graph.unsupported.empty() ? std::string() : graph.unsupported.begin()->second;
}

} // namespace onefold::test
