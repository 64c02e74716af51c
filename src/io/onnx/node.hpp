#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "graph/error.hpp"
#include "io/onnx/array.hpp"
#include "io/onnx/ops.hpp"

namespace onefold::impl::io {

/// What a mapping throws where a node is right by ONNX's rules, but onefold cannot do it.
class not_supported : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A tensor as an attribute's value; it is read only where it is needed.
struct onnx_tensor_value {
    int32_t type; // ONNX's number
    /// nullopt where onefold cannot hold the type. Throws error(invalid_arguments), `place` in front.
    std::function<std::optional<onnx_array>(const std::string &place)> read;
};

/// A list that is empty and does not say of what type it is.
struct onnx_untyped_list {};

/// std::monostate: of a type that nothing reads.
using onnx_value = std::variant<std::monostate, int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                                onnx_tensor_value, onnx_untyped_list>;

struct onnx_named_value {
    std::string name;
    onnx_value value;
};

/// A node as a model file, or a framework, has it.
struct onnx_node_source {
    std::string op_type;
    std::string domain;
    std::string name;
    std::vector<std::string> inputs; // an empty name: left out
    std::vector<std::string> outputs;
    std::vector<onnx_named_value> attributes;
};

/// A node of the model: its attributes, and the sentences about it.
class onnx_node {
public:
    onnx_node(onnx_node_source source, size_t index, int opset);

    const std::string &op_type() const { return source_.op_type; }
    const std::string &domain() const { return source_.domain; }
    const std::string &name() const { return source_.name; }
    const std::vector<std::string> &inputs() const { return source_.inputs; }
    const std::vector<std::string> &outputs() const { return source_.outputs; }
    size_t attribute_count() const { return source_.attributes.size(); }
    int opset() const { return opset_; }
    /// `node 3 (ReduceMean "mean", opset 18)`: how every message names a node.
    const std::string &place() const { return place_; }
    /// The table's row; nullptr where there is none.
    const onnx_op *row() const { return row_; }

    /// Checks what the row says of attributes and of the number of inputs and outputs; there must be a row.
    void check() const;

    /// False for an input that is left out, or whose name is empty.
    bool has_input(size_t i) const { return i < inputs().size() && !inputs()[i].empty(); }
    const std::string &dst() const { return outputs().at(0); }

    bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
    // Each fails where the attribute is of another type.
    int64_t integer(std::string_view name, int64_t fallback) const;
    float real(std::string_view name, float fallback) const;
    std::string string(std::string_view name, std::string_view fallback) const;
    std::optional<std::vector<int64_t>> integers(std::string_view name) const;
    std::optional<std::vector<float>> reals(std::string_view name) const;
    const onnx_tensor_value *tensor(std::string_view name) const;

    /// Fails: the model breaks a rule of ONNX.
    template <typename... Args>
    [[noreturn]] void reject(fmt::format_string<Args...> format, Args &&...args) const {
        fail(onefold_invalid_arguments, "{}: {}", place_, fmt::format(format, std::forward<Args>(args)...));
    }

private:
    const onnx_named_value *find(std::string_view name) const;
    /// The value, which must be a T; nullptr where there is no such attribute.
    template <typename T>
    const T *find_as(std::string_view name, std::string_view type) const;

    onnx_node_source source_;
    int opset_;
    const onnx_op *row_;
    std::string place_;
};

/// True for the operator set that ONNX itself defines.
bool is_default_domain(std::string_view domain);

} // namespace onefold::impl::io
