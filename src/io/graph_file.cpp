#include "io/graph_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include "graph/error.hpp"
#include "io/json.hpp"

namespace onefold::impl::io {

namespace {

// The largest graph dumps have some MB.
constexpr size_t max_file_size = size_t{64} << 20;

/// Reads a string and looks it up by a `*_from_name` function.
template <typename FromName>
auto named(const json_reader &reader, FromName &&from_name, std::string_view what) {
    const auto value = from_name(reader.string());
    if (!value) reader.reject(fmt::format("is not the name of {}", what));
    return *value;
}

/// oneDNN writes this one entry where it does not know the rank, any of the dims, or any of the strides.
bool is_all_unknown(const dims &values) { return values.size() == 1 && values[0] == unknown_dim; }

/// -1 stands for one entry that is not known; everything else is left for make_logical_tensor() to judge.
dims read_dims(const json_reader &reader) {
    dims values = reader.list([](const json_reader &r) { return r.s64(); });
    if (is_all_unknown(values)) return values;
    for (int64_t &value : values)
        if (value == -1) value = unknown_dim;
    return values;
}

struct tensor_parts {
    dims shape;
    std::optional<dims> stride; // nothing: not told
    bool unknown_rank = false;
    layout_type layout = onefold_layout_strided;
};

tensor_parts read_parts(const json_reader &reader) {
    tensor_parts parts;
    const json_reader shape = reader.at("shape");
    parts.unknown_rank = is_all_unknown(shape.list([](const json_reader &r) { return r.s64(); }));
    if (!parts.unknown_rank) parts.shape = read_dims(shape);
    if (reader.has("layout_type")) parts.layout = named(reader.at("layout_type"), layout_type_from_name, "a layout type");
    // A file that tells neither means row-major; "strided" without strides has lost something.
    if (!reader.has("stride")) {
        if (reader.has("layout_type") && parts.layout == onefold_layout_strided) reader.at("stride");
        return parts;
    }
    const json_reader stride = reader.at("stride");
    dims values = read_dims(stride);
    if (is_all_unknown(values) && (parts.unknown_rank || parts.shape.size() != 1)) {
        parts.stride = dims(parts.shape.size(), unknown_dim);
    } else {
        if (!parts.unknown_rank && values.size() != parts.shape.size())
            fail(onefold_invalid_arguments, "{}: shape has {} entries, stride has {}", reader.place(), parts.shape.size(),
                 values.size());
        parts.stride = std::move(values);
    }
    return parts;
}

logical_tensor read_tensor(const json_reader &reader) {
    const size_t id = reader.at("id").id();
    const data_type type = named(reader.at("dtype"), data_type_from_name, "a data type");
    tensor_parts parts = read_parts(reader);
    property_type property = onefold_property_undef;
    if (reader.has("property_type")) property = named(reader.at("property_type"), property_type_from_name, "a property type");
    const bool known_strides =
        parts.stride && std::find(parts.stride->begin(), parts.stride->end(), unknown_dim) == parts.stride->end();
    // benchdnn takes a tensor of undefined layout with strides as strided; older files are written so.
    if (parts.layout == onefold_layout_undef && known_strides && !parts.unknown_rank) parts.layout = onefold_layout_strided;
    try {
        if (parts.unknown_rank)
            return make_logical_tensor(id, type, unknown_ndims, nullptr, nullptr, parts.layout, 0, property);
        return make_logical_tensor(id, type, static_cast<int64_t>(parts.shape.size()), parts.shape.data(),
                                   parts.stride ? parts.stride->data() : nullptr, parts.layout, 0, property);
    } catch (const error &e) {
        fail(onefold_invalid_arguments, "{}: {}", reader.place(), e.what());
    }
}

attribute_value read_attribute_value(const json_reader &reader, attribute_type type) {
    switch (type) {
    case attribute_type::f32:
        return reader.f32();
    case attribute_type::f32_list:
        return reader.list([](const json_reader &r) { return r.f32(); });
    case attribute_type::s64:
        return reader.s64();
    case attribute_type::s64_list:
        return reader.list([](const json_reader &r) { return r.s64(); });
    case attribute_type::boolean:
        return reader.boolean();
    case attribute_type::string:
        return reader.string();
    }
    reader.reject("has no type");
}

attribute_map read_attributes(const json_reader &reader) {
    attribute_map attributes;
    for (const std::string &name : reader.keys()) {
        // oneDNN's bookkeeping in the dumps that it makes after partitioning.
        if (name == "partition_id" || name == "backend") continue;
        const json_reader entry = reader.at(name);
        const std::optional<op_attr> attr = op_attr_from_name(name);
        if (!attr) fail(onefold_invalid_arguments, "{}: there is no attribute \"{}\"", reader.place(), printable(name));
        const attribute_type type = named(entry.at("type"), attribute_type_from_name, "an attribute type");
        const std::optional<attribute_type> expected = type_of(*attr);
        if (expected && type != *expected)
            fail(onefold_invalid_arguments, "{}: the type is {}, it must be {}", entry.place(), name_of(type),
                 name_of(*expected));
        attributes.emplace(*attr, read_attribute_value(entry.at("value"), type));
    }
    return attributes;
}

op read_op(const json_reader &reader) {
    op o;
    o.id = reader.at("id").id();
    const json_reader kind = reader.at("kind");
    const op_schema *schema = schema_by_name(kind.string());
    if (!schema)
        fail(onefold_invalid_arguments, "op {}: kind: \"{}\" is not the name of an op kind", o.id, printable(kind.string()));
    o.kind = schema->kind;
    return o;
}

/// The rest of an op, whose id and kind are known: `reader` names them in its messages.
void read_op_parts(const json_reader &reader, op &o) {
    if (reader.has("name")) o.name = reader.at("name").string();
    if (reader.has("attrs")) o.raw_attributes = read_attributes(reader.at("attrs"));
    const auto read_ports = [&](std::string_view key, std::string_view singular) {
        std::vector<logical_tensor> tensors;
        size_t port = 0;
        for (const json_reader &element : reader.at(key).elements())
            tensors.push_back(read_tensor(element.renamed(fmt::format("{}: {} {}", reader.place(), singular, port++))));
        return tensors;
    };
    o.inputs = read_ports("inputs", "input");
    o.outputs = read_ports("outputs", "output");
}

std::vector<op> read_ops(const json_reader &reader) {
    std::vector<op> ops;
    std::map<size_t, size_t> position_of_id;
    for (const json_reader &element : reader.elements()) {
        op o = read_op(element);
        const auto [other, is_new] = position_of_id.emplace(o.id, ops.size());
        if (!is_new)
            fail(onefold_invalid_arguments, "{} {} and {} have the same id {}", reader.place(), other->second, ops.size(),
                 o.id);
        read_op_parts(element.renamed(to_string(o)), o);
        ops.push_back(std::move(o));
    }
    if (ops.empty()) fail(onefold_invalid_arguments, "{}: there are no ops", reader.place());
    return ops;
}

std::optional<engine_kind> engine_kind_from_name(std::string_view name) {
    if (name == "cpu") return onefold_cpu;
    if (name == "gpu") return onefold_gpu;
    if (name == "any" || name == "any_engine") return onefold_any_engine;
    return std::nullopt;
}

void read_fpmath(const json_reader &reader, graph_file &file) {
    constexpr std::string_view what = "a floating-point math mode";
    if (reader.is_string()) {
        file.fpmath = named(reader, fpmath_mode_from_name, what);
        return;
    }
    file.fpmath = named(reader.at("mode"), fpmath_mode_from_name, what);
    if (reader.has("apply_to_int")) file.fpmath_applies_to_int = reader.at("apply_to_int").boolean();
}

} // namespace

graph_file parse_graph(std::string_view text) {
    const json root = parse_json(text);
    const json_reader reader(root, "graph file");
    graph_file file;
    file.ops = read_ops(reader.at("graph").renamed("graph"));
    if (reader.has("version")) file.version = reader.at("version").string();
    if (reader.has("engine_kind")) file.kind = named(reader.at("engine_kind"), engine_kind_from_name, "an engine kind");
    if (reader.has("fpmath_mode")) read_fpmath(reader.at("fpmath_mode"), file);
    if (reader.has("fpmath_mode_apply_to_int")) file.fpmath_applies_to_int = reader.at("fpmath_mode_apply_to_int").boolean();
    const auto read_ids = [&](std::string_view key) {
        return reader.at(key).list([](const json_reader &r) { return r.id(); });
    };
    if (reader.has("input_ports")) file.input_ports = read_ids("input_ports");
    if (reader.has("output_ports")) file.output_ports = read_ids("output_ports");
    return file;
}

graph_file read_graph(const std::filesystem::path &path) {
    const std::string name = path.string();
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) fail(onefold_invalid_arguments, "{}: is a directory", name);
    std::ifstream stream(path, std::ios::binary);
    if (!stream) fail(onefold_invalid_arguments, "{}: cannot be opened: {}", name, std::strerror(errno));
    // In pieces: a pipe or a device has no size to ask for.
    std::string text;
    std::vector<char> piece(size_t{1} << 16);
    while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())), stream.gcount() > 0) {
        text.append(piece.data(), static_cast<size_t>(stream.gcount()));
        if (text.size() > max_file_size)
            fail(onefold_invalid_arguments, "{}: is larger than {} MB; no graph file is", name, max_file_size >> 20);
    }
    if (stream.bad()) fail(onefold_invalid_arguments, "{}: cannot be read", name);
    try {
        return parse_graph(text);
    } catch (const error &e) {
        fail(e.code(), "{}: {}", name, e.what());
    }
}

} // namespace onefold::impl::io
