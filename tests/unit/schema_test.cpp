// The schema table: its rows are sound, and validate() takes what they allow and explains what they do not. The tests loop
// over the table, so a new row is tested as it is added.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "graph/op.hpp"

namespace onefold::impl {

namespace {

constexpr size_t op_id = 4711; // looked for in messages

std::vector<const op_schema *> all_rows() {
    std::vector<const op_schema *> rows;
    for (const auto table : {reduction_schemas(), binary_schemas(), nary_schemas(), unary_schemas(), conversion_schemas(),
                             normalization_schemas(), structural_schemas(), foreign_schemas()})
        for (const op_schema &row : table)
            rows.push_back(&row);
    return rows;
}

std::vector<op_attr> all_attributes() {
    std::vector<op_attr> attributes;
    for (int value = 1; value < 256; ++value)
        if (!name_of(static_cast<op_attr>(value)).empty()) attributes.push_back(static_cast<op_attr>(value));
    return attributes;
}

const attribute_schema *find_attribute(const op_schema &row, op_attr name) {
    for (const attribute_schema &a : row.attributes)
        if (a.name == name) return &a;
    return nullptr;
}

/// Lowest type that the set holds, or does not hold; f32 first, undef where there is none.
data_type find_type(type_set set, bool contained) {
    if (contains(set, onefold_f32) == contained) return onefold_f32;
    for (int type = onefold_f16; type <= onefold_u64; ++type)
        if (contains(set, static_cast<data_type>(type)) == contained) return static_cast<data_type>(type);
    return onefold_data_type_undef;
}

attribute_value some_value(attribute_type type) {
    switch (type) {
    case attribute_type::f32:
        return 1.0F;
    case attribute_type::f32_list:
        return std::vector<float>{1.0F};
    case attribute_type::s64:
        return int64_t{1};
    case attribute_type::s64_list:
        return std::vector<int64_t>{1};
    case attribute_type::boolean:
        return true;
    case attribute_type::string:
        return std::string("text");
    }
    return {};
}

attribute_value allowed_value(const attribute_schema &row) {
    if (!row.allowed_strings.empty()) return std::string(row.allowed_strings.front());
    return some_value(type_of(row.name).value());
}

logical_tensor make_port(size_t id, data_type type) {
    logical_tensor port;
    port.id = id;
    port.type = type;
    return port;
}

/// Appends ports until `count` are there, each of a type that its row allows; those of one type variable alike.
void fill_ports(std::vector<logical_tensor> &ports, std::span<const port_schema> rows, size_t count, size_t first_id) {
    while (ports.size() < count) {
        const port_schema &row = rows[std::min(ports.size(), rows.size() - 1)];
        ports.push_back(make_port(first_id + ports.size(), find_type(row.allowed, true)));
    }
}

size_t required_count(std::span<const port_schema> ports) {
    return static_cast<size_t>(
        std::count_if(ports.begin(), ports.end(), [](const port_schema &p) { return p.need == port_need::required; }));
}

/// What a row's own check asks for beyond ports and attributes.
void satisfy_check(op &o) {
    const op_schema &row = o.schema();
    if (row.family == op_family::reduction) o.raw_attributes[onefold_op_attr_axes] = std::vector<int64_t>{0};
    if (find_attribute(row, onefold_op_attr_sizes)) o.raw_attributes[onefold_op_attr_sizes] = std::vector<int64_t>{8};
    // Left out, these are true and ask for the optional outputs.
    for (const op_attr name : {onefold_op_attr_keep_stats, onefold_op_attr_use_affine})
        if (find_attribute(row, name)) o.raw_attributes[name] = false;
    if (o.kind == onefold_op_type_cast) o.outputs[0].type = onefold_bf16;
}

/// An op with the required ports and attributes only.
op make_minimal(const op_schema &row) {
    op o;
    o.id = op_id;
    o.kind = row.kind;
    fill_ports(o.inputs, row.inputs, required_count(row.inputs), 100);
    fill_ports(o.outputs, row.outputs, required_count(row.outputs), 200);
    for (const attribute_schema &a : row.attributes)
        if (a.need == attribute_need::required) o.raw_attributes[a.name] = allowed_value(a);
    satisfy_check(o);
    return o;
}

/// The op is rejected, and the sentence names the op, its kind and `words`.
void expect_rejected(const op &o, std::vector<std::string_view> words) {
    words.insert(words.end(), {"4711", o.schema().name});
    try {
        validate(o);
        ADD_FAILURE() << "accepted";
    } catch (const error &e) {
        const std::string_view message = e.what();
        EXPECT_EQ(e.code(), onefold_invalid_graph_op) << message;
        for (const std::string_view word : words)
            EXPECT_NE(message.find(word), std::string_view::npos) << message << " lacks " << word;
    }
}

/// One side of an op, so that a test needs no copy for the other.
struct side {
    std::span<const port_schema> op_schema::*rows;
    std::vector<logical_tensor> op::*ports;
    std::string_view name;
};
constexpr side sides[] = {{&op_schema::inputs, &op::inputs, "input"}, {&op_schema::outputs, &op::outputs, "output"}};

/// Calls the function for every row, which is named if an expectation fails.
void for_each_row(const std::function<void(const op_schema &)> &function) {
    for (const op_schema *row : all_rows()) {
        SCOPED_TRACE(row->name);
        function(*row);
    }
}

void for_each_side(const std::function<void(const op_schema &, const side &)> &function) {
    for_each_row([&](const op_schema &row) {
        for (const side &s : sides) {
            SCOPED_TRACE(s.name);
            function(row, s);
        }
    });
}

} // namespace

// The table.

TEST(schema_table, has_one_row_per_kind) {
    std::vector<int> rows(onefold_op_kind_count);
    for (const op_schema *row : all_rows())
        ++rows.at(row->kind);
    for (int kind = 0; kind < onefold_op_kind_count; ++kind) {
        EXPECT_EQ(rows[static_cast<size_t>(kind)], 1) << "kind " << kind;
        EXPECT_EQ(schema_of(static_cast<op_kind>(kind)).kind, kind);
    }
}

TEST(schema_table, finds_rows_by_name) {
    for_each_row([](const op_schema &row) { EXPECT_EQ(schema_by_name(row.name), &schema_of(row.kind)); });
    EXPECT_EQ(schema_by_name(""), nullptr);
    EXPECT_EQ(schema_by_name("reducemean"), nullptr);
    EXPECT_EQ(schema_by_name("ReduceMea"), nullptr);
}

TEST(schema_table, rejects_kinds_that_do_not_exist) {
    for (const int kind : {-1, static_cast<int>(onefold_op_kind_count), 1000})
        try {
            schema_of(static_cast<op_kind>(kind));
            ADD_FAILURE() << kind;
        } catch (const error &e) {
            EXPECT_EQ(e.code(), onefold_invalid_arguments);
        }
}

TEST(schema_table, names_the_ports_of_an_op_apart) {
    for_each_side([](const op_schema &row, const side &s) {
        std::set<std::string_view> names;
        for (const port_schema &port : row.*s.rows) {
            EXPECT_FALSE(port.name.empty());
            EXPECT_TRUE(names.insert(port.name).second) << port.name;
            EXPECT_NE(port.allowed, 0U) << port.name;
        }
    });
}

TEST(schema_table, has_required_ports_before_others_and_variadic_ones_last) {
    for_each_side([](const op_schema &row, const side &s) {
        const auto ports = row.*s.rows;
        EXPECT_TRUE(std::is_sorted(ports.begin(), ports.end(), [](const auto &a, const auto &b) { return a.need < b.need; }));
        EXPECT_LE(std::count_if(ports.begin(), ports.end(), [](const auto &p) { return p.need == port_need::variadic; }), 1);
    });
}

TEST(schema_table, gives_ports_of_one_type_variable_the_same_types) {
    for_each_row([](const op_schema &row) {
        std::map<char, type_set> seen;
        for (const side &s : sides)
            for (const port_schema &port : row.*s.rows)
                if (port.type_variable != 0) {
                    EXPECT_EQ(seen.emplace(port.type_variable, port.allowed).first->second, port.allowed) << port.name;
                }
    });
}

TEST(schema_table, has_sound_attributes) {
    for_each_row([](const op_schema &row) {
        std::set<op_attr> names;
        for (const attribute_schema &a : row.attributes) {
            SCOPED_TRACE(name_of(a.name));
            EXPECT_TRUE(names.insert(a.name).second);
            ASSERT_TRUE(type_of(a.name).has_value());
            const bool has_default = !std::holds_alternative<std::monostate>(a.value_if_absent);
            EXPECT_FALSE(has_default && a.need == attribute_need::required);
            if (!a.allowed_strings.empty()) {
                EXPECT_EQ(type_of(a.name), attribute_type::string);
            }
        }
    });
}

TEST(schema_table, has_defaults_of_the_attribute_s_type) {
    struct default_type {
        std::optional<attribute_type> operator()(std::monostate) { return std::nullopt; }
        std::optional<attribute_type> operator()(float) { return attribute_type::f32; }
        std::optional<attribute_type> operator()(int64_t) { return attribute_type::s64; }
        std::optional<attribute_type> operator()(bool) { return attribute_type::boolean; }
        std::optional<attribute_type> operator()(std::string_view) { return attribute_type::string; }
        std::optional<attribute_type> operator()(std::span<const int64_t>) { return attribute_type::s64_list; }
    };
    for_each_row([](const op_schema &row) {
        for (const attribute_schema &a : row.attributes) {
            SCOPED_TRACE(name_of(a.name));
            const auto type = std::visit(default_type{}, a.value_if_absent);
            if (type) {
                EXPECT_EQ(type, type_of(a.name));
            }
            const auto *text = std::get_if<std::string_view>(&a.value_if_absent);
            if (text && !a.allowed_strings.empty()) {
                EXPECT_EQ(std::count(a.allowed_strings.begin(), a.allowed_strings.end(), *text), 1) << *text;
            }
        }
    });
}

TEST(schema_table, says_how_to_infer_the_shapes_of_what_is_compiled) {
    for_each_row([](const op_schema &row) { EXPECT_EQ(row.infer != nullptr, is_compiled(row.family)); });
}

// validate()

TEST(validate, accepts_the_least_that_an_op_needs) {
    for_each_row([](const op_schema &row) { EXPECT_NO_THROW(validate(make_minimal(row))); });
}

TEST(validate, accepts_every_optional_port) {
    for_each_row([](const op_schema &row) {
        op o = make_minimal(row);
        fill_ports(o.inputs, row.inputs, row.inputs.size(), 100);
        fill_ports(o.outputs, row.outputs, row.outputs.size(), 200);
        if (row.family == op_family::reduction) o.raw_attributes.erase(onefold_op_attr_axes);
        if (find_attribute(row, onefold_op_attr_use_affine)) o.raw_attributes[onefold_op_attr_use_affine] = true;
        EXPECT_NO_THROW(validate(o));
    });
}

TEST(validate, accepts_any_number_of_variadic_ports) {
    for_each_side([](const op_schema &row, const side &s) {
        const auto rows = row.*s.rows;
        if (rows.empty() || rows.back().need != port_need::variadic) return;
        op o = make_minimal(row);
        for (const size_t count : {2U, 9U, 1000U}) {
            fill_ports(o.*s.ports, rows, count, 300);
            EXPECT_NO_THROW(validate(o)) << count;
        }
    });
}

TEST(validate, rejects_a_missing_required_port) {
    for_each_side([](const op_schema &row, const side &s) {
        op o = make_minimal(row);
        while (!(o.*s.ports).empty()) {
            (o.*s.ports).pop_back();
            expect_rejected(o, {s.name, (row.*s.rows)[(o.*s.ports).size()].name});
        }
    });
}

TEST(validate, rejects_one_port_too_many) {
    for_each_side([](const op_schema &row, const side &s) {
        const auto rows = row.*s.rows;
        if (!rows.empty() && rows.back().need == port_need::variadic) return;
        op o = make_minimal(row);
        fill_ports(o.*s.ports, rows, rows.size(), 300);
        (o.*s.ports).push_back(make_port(400, onefold_f32));
        expect_rejected(o, {s.name});
    });
}

TEST(validate, rejects_a_type_that_a_port_does_not_allow) {
    for_each_side([](const op_schema &row, const side &s) {
        const auto rows = row.*s.rows;
        for (size_t i = 0; i < rows.size(); ++i) {
            const data_type wrong = find_type(rows[i].allowed, false);
            if (wrong == onefold_data_type_undef) continue;
            op o = make_minimal(row);
            fill_ports(o.*s.ports, rows, i + 1, 300);
            (o.*s.ports)[i].type = wrong;
            expect_rejected(o, {s.name, rows[i].name, name_of(wrong)});
        }
    });
}

TEST(validate, rejects_different_types_in_ports_of_one_type_variable) {
    for_each_side([](const op_schema &row, const side &s) {
        const auto rows = row.*s.rows;
        for (size_t i = 0; i < required_count(rows); ++i) {
            const char variable = rows[i].type_variable;
            const bool is_first = s.rows == &op_schema::inputs && i == 0;
            if (variable == 0 || is_first) continue;
            const bool has_other = std::any_of(row.inputs.begin(), row.inputs.end(), [&](const port_schema &p) {
                return p.need == port_need::required && p.type_variable == variable && &p != &rows[i];
            });
            if (!has_other) continue;
            op o = make_minimal(row);
            const data_type type = (o.*s.ports)[i].type;
            const type_set others = rows[i].allowed & ~types({type});
            (o.*s.ports)[i].type = find_type(others, true);
            expect_rejected(o, {name_of(type), name_of((o.*s.ports)[i].type)});
        }
    });
}

TEST(validate, rejects_a_missing_required_attribute) {
    for_each_row([](const op_schema &row) {
        for (const attribute_schema &a : row.attributes)
            if (a.need == attribute_need::required) {
                op o = make_minimal(row);
                o.raw_attributes.erase(a.name);
                expect_rejected(o, {name_of(a.name)});
            }
    });
}

TEST(validate, rejects_attributes_that_the_op_does_not_have) {
    for_each_row([](const op_schema &row) {
        if (row.kind == onefold_op_wildcard) return; // stands for any op
        for (const op_attr name : all_attributes())
            if (!find_attribute(row, name)) {
                op o = make_minimal(row);
                o.raw_attributes[name] = some_value(type_of(name).value());
                expect_rejected(o, {name_of(name)});
            }
    });
}

TEST(validate, rejects_attribute_values_of_another_type) {
    for_each_row([](const op_schema &row) {
        for (const attribute_schema &a : row.attributes) {
            const attribute_type right = type_of(a.name).value();
            for (const auto wrong : {attribute_type::f32, attribute_type::f32_list, attribute_type::s64,
                                     attribute_type::s64_list, attribute_type::boolean, attribute_type::string}) {
                if (wrong == right) continue;
                op o = make_minimal(row);
                o.raw_attributes[a.name] = some_value(wrong);
                expect_rejected(o, {name_of(a.name), name_of(wrong)});
            }
        }
    });
}

TEST(validate, accepts_the_strings_of_the_table_and_no_others) {
    for_each_row([](const op_schema &row) {
        for (const attribute_schema &a : row.attributes) {
            op o = make_minimal(row);
            for (const std::string_view allowed : a.allowed_strings) {
                o.raw_attributes[a.name] = std::string(allowed);
                EXPECT_NO_THROW(validate(o)) << allowed;
            }
            if (a.allowed_strings.empty()) continue;
            for (const std::string wrong : {"Numpy", "", "nonesuch"}) {
                o.raw_attributes[a.name] = wrong;
                expect_rejected(o, {name_of(a.name), "'" + wrong + "'", a.allowed_strings.front()});
            }
        }
    });
}

} // namespace onefold::impl
