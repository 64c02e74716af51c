#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/error.hpp"
#include "io/onnx/ops.hpp"
#include "io/onnx/proto.hpp"

namespace onefold::impl::io {

/// What a mapping throws where a node is right by ONNX's rules, but onefold cannot do it.
class not_supported : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A node of the model: its attributes, and the sentences about it.
class onnx_node {
public:
    onnx_node(const pb::NodeProto &proto, size_t index, int opset);

    const pb::NodeProto &proto() const { return proto_; }
    size_t index() const { return index_; }
    int opset() const { return opset_; }
    /// `node 3 (ReduceMean "mean", opset 18)`: how every message names a node.
    const std::string &place() const { return place_; }
    /// The table's row; nullptr where there is none.
    const onnx_op *row() const { return row_; }

    /// Checks what the row says of attributes and of the number of inputs and outputs; there must be a row.
    void check() const;

    /// False for an input that is left out, or whose name is empty.
    bool has_input(int i) const { return i < proto_.input_size() && !proto_.input(i).empty(); }
    const std::string &dst() const { return proto_.output(0); }

    bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
    // Each fails where the attribute is of another type.
    int64_t integer(std::string_view name, int64_t fallback) const;
    float real(std::string_view name, float fallback) const;
    std::string string(std::string_view name, std::string_view fallback) const;
    std::optional<std::vector<int64_t>> integers(std::string_view name) const;
    std::optional<std::vector<float>> reals(std::string_view name) const;
    const pb::TensorProto *tensor(std::string_view name) const;

    /// Fails: the model breaks a rule of ONNX.
    template <typename... Args>
    [[noreturn]] void reject(fmt::format_string<Args...> format, Args &&...args) const {
        fail(onefold_invalid_arguments, "{}: {}", place_, fmt::format(format, std::forward<Args>(args)...));
    }

private:
    const pb::AttributeProto *find(std::string_view name) const;
    const pb::AttributeProto *find(std::string_view name, pb::AttributeProto::AttributeType type) const;

    const pb::NodeProto &proto_;
    size_t index_;
    int opset_;
    const onnx_op *row_;
    std::string place_;
};

} // namespace onefold::impl::io
