#include "io/onnx/node.hpp"

#include <algorithm>
#include <set>

#include "io/json.hpp"

namespace onefold::impl::io {

bool is_default_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

onnx_node::onnx_node(onnx_node_source source, size_t index, int opset)
    : source_(std::move(source)),
      opset_(opset),
      row_(is_default_domain(domain()) ? find_onnx_op(op_type(), opset) : nullptr),
      place_(fmt::format("node {} ({}{}, opset {})", index, printable(op_type()),
                         name().empty() ? "" : fmt::format(" \"{}\"", printable(name())), opset)) {}

void onnx_node::check() const {
    std::set<std::string_view> seen;
    for (const onnx_named_value &a : source_.attributes) {
        if (!seen.insert(a.name).second) reject("attribute {} is given twice", printable(a.name));
        const auto known = [&](const onnx_attribute &row) {
            return row.name == a.name && row.since <= opset_ && opset_ <= row.until;
        };
        if (std::none_of(row_->attributes.begin(), row_->attributes.end(), known))
            reject("there is no attribute {} in this version of the op", printable(a.name));
    }
    const size_t min = row_->inputs.min, max = row_->inputs.max, given = inputs().size();
    if (given < min || given > max)
        reject("{} inputs are given; this version of the op takes {}", given,
               min == max               ? fmt::format("{}", min)
               : max == any_input_count ? fmt::format("{} or more", min)
                                        : fmt::format("{} to {}", min, max));
    for (size_t i = 0; i < min; ++i)
        if (!has_input(i)) reject("input {} is left out, but required", i);
    if (outputs().empty() || outputs().size() > row_->outputs)
        reject("{} outputs are given; the op has {}", outputs().size(),
               row_->outputs == 1 ? "1" : fmt::format("1 to {}", row_->outputs));
}

const onnx_named_value *onnx_node::find(std::string_view name) const {
    const auto found = std::find_if(source_.attributes.begin(), source_.attributes.end(),
                                    [&](const onnx_named_value &a) { return a.name == name; });
    return found == source_.attributes.end() ? nullptr : &*found;
}

template <typename T>
const T *onnx_node::find_as(std::string_view name, std::string_view type) const {
    const onnx_named_value *found = find(name);
    if (!found) return nullptr;
    if (const T *value = std::get_if<T>(&found->value)) return value;
    reject("attribute {} is not of type {}", name, type);
}

int64_t onnx_node::integer(std::string_view name, int64_t fallback) const {
    const auto *value = find_as<int64_t>(name, "INT");
    return value ? *value : fallback;
}

float onnx_node::real(std::string_view name, float fallback) const {
    const auto *value = find_as<float>(name, "FLOAT");
    return value ? *value : fallback;
}

std::string onnx_node::string(std::string_view name, std::string_view fallback) const {
    const auto *value = find_as<std::string>(name, "STRING");
    return value ? *value : std::string(fallback);
}

std::optional<std::vector<int64_t>> onnx_node::integers(std::string_view name) const {
    const onnx_named_value *found = find(name);
    if (found && std::holds_alternative<onnx_untyped_list>(found->value)) return std::vector<int64_t>{};
    const auto *value = find_as<std::vector<int64_t>>(name, "INTS");
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::vector<float>> onnx_node::reals(std::string_view name) const {
    const onnx_named_value *found = find(name);
    if (found && std::holds_alternative<onnx_untyped_list>(found->value)) return std::vector<float>{};
    const auto *value = find_as<std::vector<float>>(name, "FLOATS");
    return value ? std::optional(*value) : std::nullopt;
}

const onnx_tensor_value *onnx_node::tensor(std::string_view name) const { return find_as<onnx_tensor_value>(name, "TENSOR"); }

} // namespace onefold::impl::io
