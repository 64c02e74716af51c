#include <array>

#include "graph/schema.hpp"

namespace onefold::impl {

namespace {

constexpr type_set any_type = ~type_set{0};

constexpr std::array end_inputs = {port_schema{"src", any_type}};
constexpr std::array wildcard_inputs = {port_schema{"src", any_type, 0, port_need::variadic}};
constexpr std::array wildcard_outputs = {port_schema{"dst", any_type, 0, port_need::variadic}};

constexpr std::array rows = {
    op_schema{onefold_op_end, "End", op_family::structural, end_inputs, {}},
    op_schema{onefold_op_wildcard, "Wildcard", op_family::structural, wildcard_inputs, wildcard_outputs},
};

} // namespace

std::span<const op_schema> structural_schemas() { return rows; }

} // namespace onefold::impl
