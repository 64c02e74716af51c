#include "graph/attributes.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace onefold::impl {

namespace {

constexpr std::array<std::string_view, 6> type_names = {"f32", "f32[]", "s64", "s64[]", "bool", "string"};
static_assert(std::variant_size_v<attribute_value> == type_names.size());

} // namespace

std::string_view name_of(attribute_type type) { return type_names[static_cast<size_t>(type)]; }

std::optional<attribute_type> attribute_type_from_name(std::string_view name) {
    for (size_t i = 0; i < type_names.size(); ++i)
        if (type_names[i] == name) return static_cast<attribute_type>(i);
    return std::nullopt;
}

std::optional<attribute_type> type_of(op_attr attr) {
    if (name_of(attr).empty()) return std::nullopt;
    // onefold.h groups the enumerators by type.
    if (attr < onefold_op_attr_scales) return attribute_type::f32;
    if (attr < onefold_op_attr_axis) return attribute_type::f32_list;
    if (attr < onefold_op_attr_axes) return attribute_type::s64;
    if (attr < onefold_op_attr_exclude_pad) return attribute_type::s64_list;
    if (attr < onefold_op_attr_auto_broadcast) return attribute_type::boolean;
    return attribute_type::string;
}

std::string to_string(const attribute_value &value) {
    return std::visit(
        [](const auto &v) -> std::string {
            using value_type = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<value_type, std::string>)
                return fmt::format("'{}'", v);
            else
                return fmt::format("{}", v);
        },
        value);
}

} // namespace onefold::impl
