#include "io/onnx/node.hpp"

#include <algorithm>
#include <set>

#include "io/json.hpp"

namespace onefold::impl::io {

namespace {

/// IR version 1 has no types on attributes: the field that is set tells.
bool has_value(const pb::AttributeProto &a, pb::AttributeProto::AttributeType type) {
    if (a.has_type() && a.type() != pb::AttributeProto::UNDEFINED) return a.type() == type;
    switch (type) {
    case pb::AttributeProto::INT:
        return a.has_i();
    case pb::AttributeProto::FLOAT:
        return a.has_f();
    case pb::AttributeProto::STRING:
        return a.has_s();
    case pb::AttributeProto::TENSOR:
        return a.has_t();
    default: // a list, which may be empty
        return !a.has_i() && !a.has_f() && !a.has_s() && !a.has_t();
    }
}

} // namespace

onnx_node::onnx_node(const pb::NodeProto &proto, size_t index, int opset)
    : proto_(proto),
      index_(index),
      opset_(opset),
      row_(proto.domain().empty() || proto.domain() == "ai.onnx" ? find_onnx_op(proto.op_type(), opset) : nullptr),
      place_(fmt::format("node {} ({}{}, opset {})", index, printable(proto.op_type()),
                         proto.name().empty() ? "" : fmt::format(" \"{}\"", printable(proto.name())), opset)) {}

void onnx_node::check() const {
    std::set<std::string_view> seen;
    for (const pb::AttributeProto &a : proto_.attribute()) {
        if (!seen.insert(a.name()).second) reject("attribute {} is given twice", printable(a.name()));
        const auto known = [&](const onnx_attribute &row) {
            return row.name == a.name() && row.since <= opset_ && opset_ <= row.until;
        };
        if (std::none_of(row_->attributes.begin(), row_->attributes.end(), known))
            reject("there is no attribute {} in this version of the op", printable(a.name()));
    }
    const auto [min, max, operands] = row_->inputs;
    const int given = proto_.input_size();
    if (given < min || given > max)
        reject("{} inputs are given; this version of the op takes {}", given,
               min == max                               ? fmt::format("{}", min)
               : max == std::numeric_limits<int>::max() ? fmt::format("{} or more", min)
                                                        : fmt::format("{} to {}", min, max));
    for (int i = 0; i < min; ++i)
        if (!has_input(i)) reject("input {} is left out, but required", i);
    if (proto_.output_size() < 1 || proto_.output_size() > row_->outputs)
        reject("{} outputs are given; the op has {}", proto_.output_size(),
               row_->outputs == 1 ? "1" : fmt::format("1 to {}", row_->outputs));
}

const pb::AttributeProto *onnx_node::find(std::string_view name) const {
    const auto found = std::find_if(proto_.attribute().begin(), proto_.attribute().end(),
                                    [&](const pb::AttributeProto &a) { return a.name() == name; });
    return found == proto_.attribute().end() ? nullptr : &*found;
}

const pb::AttributeProto *onnx_node::find(std::string_view name, pb::AttributeProto::AttributeType type) const {
    const pb::AttributeProto *found = find(name);
    if (found && !has_value(*found, type))
        reject("attribute {} is not of type {}", name, pb::AttributeProto::AttributeType_Name(type));
    return found;
}

int64_t onnx_node::integer(std::string_view name, int64_t fallback) const {
    const pb::AttributeProto *a = find(name, pb::AttributeProto::INT);
    return a ? a->i() : fallback;
}

float onnx_node::real(std::string_view name, float fallback) const {
    const pb::AttributeProto *a = find(name, pb::AttributeProto::FLOAT);
    return a ? a->f() : fallback;
}

std::string onnx_node::string(std::string_view name, std::string_view fallback) const {
    const pb::AttributeProto *a = find(name, pb::AttributeProto::STRING);
    return a ? a->s() : std::string(fallback);
}

std::optional<std::vector<int64_t>> onnx_node::integers(std::string_view name) const {
    const pb::AttributeProto *a = find(name, pb::AttributeProto::INTS);
    if (!a) return std::nullopt;
    return std::vector<int64_t>(a->ints().begin(), a->ints().end());
}

std::optional<std::vector<float>> onnx_node::reals(std::string_view name) const {
    const pb::AttributeProto *a = find(name, pb::AttributeProto::FLOATS);
    if (!a) return std::nullopt;
    return std::vector<float>(a->floats().begin(), a->floats().end());
}

const pb::TensorProto *onnx_node::tensor(std::string_view name) const {
    const pb::AttributeProto *a = find(name, pb::AttributeProto::TENSOR);
    return a ? &a->t() : nullptr;
}

} // namespace onefold::impl::io
