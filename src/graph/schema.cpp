#include "graph/schema.hpp"

#include <algorithm>
#include <array>

#include "graph/error.hpp"
#include "graph/op.hpp"

namespace onefold::impl {

namespace {

using rows_by_kind = std::array<const op_schema *, onefold_op_kind_count>;

rows_by_kind join_tables() {
    rows_by_kind joined{};
    for (const auto table : {reduction_schemas(), binary_schemas(), nary_schemas(), unary_schemas(), conversion_schemas(),
                             normalization_schemas(), structural_schemas(), foreign_schemas()})
        for (const op_schema &row : table)
            joined.at(static_cast<size_t>(row.kind)) = &row;
    return joined;
}

const rows_by_kind &all_rows() {
    static const rows_by_kind rows = join_tables();
    return rows;
}

enum class direction { input, output };

std::string_view name_of(direction d) { return d == direction::input ? "input" : "output"; }

void check_count(const op &o, direction d, std::span<const port_schema> ports, size_t given) {
    const auto required = static_cast<size_t>(
        std::count_if(ports.begin(), ports.end(), [](const port_schema &p) { return p.need == port_need::required; }));
    const bool variadic = std::any_of(ports.begin(), ports.end(), [](const auto &p) { return p.need == port_need::variadic; });
    if (given < required)
        fail(onefold_invalid_graph_op, "{}: {} {} is missing: {} given, {} required", to_string(o), name_of(d),
             ports[given].name, given, required);
    if (given > ports.size() && !variadic)
        fail(onefold_invalid_graph_op, "{}: {} {}s given, at most {} allowed", to_string(o), given, name_of(d), ports.size());
}

std::string names_of(type_set set) {
    std::string names;
    for (int type = onefold_data_type_undef; type <= onefold_u64; ++type)
        if (contains(set, static_cast<data_type>(type)))
            names += fmt::format("{}{}", names.empty() ? "" : ", ", impl::name_of(static_cast<data_type>(type)));
    return names;
}

/// The first type seen for each type variable, with the port's name for the message.
struct seen_type {
    char variable;
    std::string_view port;
    data_type type;
};

void check_types(const op &o, direction d, std::span<const port_schema> ports, const std::vector<logical_tensor> &given,
                 std::vector<seen_type> &seen) {
    for (size_t i = 0; i < given.size(); ++i) {
        const port_schema &port = ports[std::min(i, ports.size() - 1)];
        const data_type type = given[i].type;
        if (!contains(port.allowed, type))
            fail(onefold_invalid_graph_op, "{}: {} {} has data type {}; allowed: {}", to_string(o), name_of(d), port.name,
                 impl::name_of(type), names_of(port.allowed));
        if (port.type_variable == 0) continue;
        const auto first =
            std::find_if(seen.begin(), seen.end(), [&](const seen_type &s) { return s.variable == port.type_variable; });
        if (first == seen.end())
            seen.push_back({port.type_variable, port.name, type});
        else if (first->type != type)
            fail(onefold_invalid_graph_op, "{}: {} {} has data type {}, but {} has {}; they must be the same", to_string(o),
                 name_of(d), port.name, impl::name_of(type), first->port, impl::name_of(first->type));
    }
}

void check_string(const op &o, const attribute_schema &row, const attribute_value &value) {
    const auto *text = std::get_if<std::string>(&value);
    if (!text || row.allowed_strings.empty()) return;
    if (std::find(row.allowed_strings.begin(), row.allowed_strings.end(), *text) == row.allowed_strings.end()) {
        std::string allowed;
        for (const std::string_view choice : row.allowed_strings)
            allowed += fmt::format("{}'{}'", allowed.empty() ? "" : ", ", choice);
        fail(onefold_invalid_graph_op, "{}: attribute {} is '{}'; allowed: {}", to_string(o), impl::name_of(row.name), *text,
             allowed);
    }
}

void check_attributes(const op &o, std::span<const attribute_schema> rows) {
    for (const attribute_schema &row : rows)
        if (row.need == attribute_need::required && !o.raw_attributes.count(row.name))
            fail(onefold_invalid_graph_op, "{}: attribute {} is missing", to_string(o), impl::name_of(row.name));
    for (const auto &attribute : o.raw_attributes) {
        const op_attr name = attribute.first;
        const attribute_value &value = attribute.second;
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const attribute_schema &r) { return r.name == name; });
        if (row == rows.end())
            fail(onefold_invalid_graph_op, "{}: there is no attribute {} in this op", to_string(o), impl::name_of(name));
        const auto type = type_of(name);
        if (!type || *type != type_of(value))
            fail(onefold_invalid_graph_op, "{}: attribute {} has type {}, not {}", to_string(o), impl::name_of(name),
                 impl::name_of(type_of(value)), type ? impl::name_of(*type) : "any");
        check_string(o, *row, value);
    }
}

/// The value given, else the row's default, else the type's zero.
template <typename T>
T value_of(const op &o, op_attr name) {
    if (const auto given = o.raw_attributes.find(name); given != o.raw_attributes.end()) return std::get<T>(given->second);
    for (const attribute_schema &row : o.schema().attributes)
        if (row.name == name) {
            if constexpr (std::is_same_v<T, std::string>) {
                if (const auto *text = std::get_if<std::string_view>(&row.value_if_absent)) return std::string(*text);
            } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
                if (const auto *list = std::get_if<std::span<const int64_t>>(&row.value_if_absent))
                    return {list->begin(), list->end()};
            } else {
                if (const T *value = std::get_if<T>(&row.value_if_absent)) return *value;
            }
        }
    return T{};
}

reduction_attributes make_reduction_attributes(const op &o) {
    const bool is_noop_given = o.raw_attributes.count(onefold_op_attr_noop_with_empty_axes) != 0;
    const bool is_noop = value_of<bool>(o, onefold_op_attr_noop_with_empty_axes);
    return {value_of<std::vector<int64_t>>(o, onefold_op_attr_axes), value_of<bool>(o, onefold_op_attr_keep_dims),
            !is_noop_given ? empty_axes::identity
            : is_noop      ? empty_axes::reduce_none
                           : empty_axes::reduce_all};
}

unary_attributes make_unary_attributes(const op &o) {
    // The op's float attributes in the order alpha, beta, min, max: no op has more than two of them.
    std::array<float, 2> values{};
    size_t count = 0;
    for (const op_attr name : {onefold_op_attr_alpha, onefold_op_attr_beta, onefold_op_attr_min, onefold_op_attr_max})
        for (const attribute_schema &row : o.schema().attributes)
            if (row.name == name && count < values.size()) values[count++] = value_of<float>(o, name);
    return {values[0], values[1], value_of<std::string>(o, onefold_op_attr_mode) == "gelu_tanh"};
}

normalization_attributes make_normalization_attributes(const op &o) {
    return {value_of<int64_t>(o, onefold_op_attr_axis), value_of<int64_t>(o, onefold_op_attr_begin_norm_axis),
            value_of<float>(o, onefold_op_attr_epsilon), value_of<bool>(o, onefold_op_attr_keep_stats),
            value_of<bool>(o, onefold_op_attr_use_affine)};
}

} // namespace

const op_schema &schema_of(op_kind kind) {
    const auto index = static_cast<size_t>(kind); // of a negative kind: too large
    const op_schema *row = index < all_rows().size() ? all_rows()[index] : nullptr;
    if (!row) fail(onefold_invalid_arguments, "there is no op kind {}", static_cast<int>(kind));
    return *row;
}

const op_schema *schema_by_name(std::string_view name) {
    const auto &rows = all_rows();
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const op_schema *r) { return r && r->name == name; });
    return row == rows.end() ? nullptr : *row;
}

bool is_compiled(op_family family) { return family != op_family::structural && family != op_family::foreign; }

void validate(const op &o) {
    const op_schema &schema = o.schema();
    check_count(o, direction::input, schema.inputs, o.inputs.size());
    check_count(o, direction::output, schema.outputs, o.outputs.size());
    std::vector<seen_type> seen;
    check_types(o, direction::input, schema.inputs, o.inputs, seen);
    check_types(o, direction::output, schema.outputs, o.outputs, seen);
    if (o.kind != onefold_op_wildcard) check_attributes(o, schema.attributes);
    if (schema.check) schema.check(o);
}

op_attributes make_attributes(const op &o) {
    switch (o.schema().family) {
    case op_family::reduction:
        return make_reduction_attributes(o);
    case op_family::binary:
        return binary_attributes{value_of<std::string>(o, onefold_op_attr_auto_broadcast) != "none"};
    case op_family::unary:
        return make_unary_attributes(o);
    case op_family::normalization:
        return make_normalization_attributes(o);
    default:
        return {};
    }
}

std::string to_string(const op &o) { return fmt::format("op {} ({})", o.id, o.schema().name); }

} // namespace onefold::impl
