#include "tests/driver/shapes.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "graph/error.hpp"
#include "tests/driver/commands.hpp"

namespace onefold::driver {

namespace {

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args &&...args) {
    throw bad_input(fmt::format(format, std::forward<Args>(args)...));
}

std::set<size_t> produced_tensors(const impl::io::graph_file &file) {
    std::set<size_t> produced;
    for (const impl::op &o : file.ops) {
        for (const impl::logical_tensor &t : o.outputs)
            produced.insert(t.id);
    }
    return produced;
}

/// Calls change(tensor) wherever a tensor of that id stands; refuses an id that stands nowhere.
void change_tensor(impl::io::graph_file &file, size_t id, const std::string &knob,
                   const std::function<void(impl::logical_tensor &)> &change) {
    bool found = false;
    for (impl::op &o : file.ops) {
        for (auto *ports : {&o.inputs, &o.outputs}) {
            for (impl::logical_tensor &t : *ports) {
                if (t.id != id) continue;
                found = true;
                change(t);
            }
        }
    }
    if (!found) refuse("{}: the graph has no tensor {}", knob, id);
}

impl::op &find_op(impl::io::graph_file &file, size_t id, const std::string &knob) {
    const auto found = std::find_if(file.ops.begin(), file.ops.end(), [&](const impl::op &o) { return o.id == id; });
    if (found == file.ops.end()) refuse("{}: the graph has no op {}", knob, id);
    return *found;
}

void set_shape(impl::logical_tensor &t, const impl::dims &d, const impl::dims &strides) {
    t = impl::make_logical_tensor(t.id, t.type, static_cast<int64_t>(d.size()), d.data(), strides.data(),
                                  onefold_layout_strided, 0, t.property);
}

/// `text` is SHAPE, TAG, SHAPE*TAG or SHAPE*STRIDES.
void reshape(impl::logical_tensor &t, const std::string &text) {
    const std::string what = fmt::format("--in-shapes: tensor {}", t.id);
    const auto parts = split(text, '*');
    if (parts.size() > 2 || parts[0].empty()) refuse("{}: '{}' is not SHAPE, TAG, SHAPE*TAG or SHAPE*STRIDES", what, text);
    const auto is_tag = [](const std::string &part) { return std::isalpha(static_cast<unsigned char>(part[0])) != 0; };
    const bool only_tag = parts.size() == 1 && is_tag(parts[0]);
    const impl::dims d = only_tag ? t.dims : parse_integers(parts[0], what);
    if (only_tag && !t.has_known_dims()) refuse("{}: '{}' gives a tag, but the file has no dims", what, text);
    if (parts.size() == 2 && !parts[1].empty() && !is_tag(parts[1])) {
        const impl::dims strides = parse_integers(parts[1], what);
        if (strides.size() != d.size()) refuse("{}: {} strides for {} dims", what, strides.size(), d.size());
        return set_shape(t, d, strides);
    }
    // As in benchdnn, a new shape of the same rank keeps the order of dims that the file's strides have.
    const bool keeps_order = t.ndims == static_cast<int64_t>(d.size()) && t.has_known_dims() && t.has_known_strides();
    const std::string tag = only_tag            ? parts[0]
                            : parts.size() == 2 ? parts[1]
                            : keeps_order       ? tag_of_strides(t.dims, t.strides)
                                                : std::string();
    set_shape(t, d, tag.empty() ? impl::row_major_strides(d) : strides_of_tag(d, tag));
}

void rewrite_shapes(impl::io::graph_file &file, const text_by_id &shapes) {
    for (const auto &[id, text] : shapes) {
        change_tensor(file, id, "--in-shapes", [&value = text](impl::logical_tensor &t) { reshape(t, value); });
    }
}

/// The batch is the first dim of the graph's inputs of the highest rank, as far as they agree.
void rewrite_batch(impl::io::graph_file &file, int64_t mb) {
    const std::set<size_t> produced = produced_tensors(file);
    std::vector<impl::logical_tensor> inputs;
    for (const impl::op &o : file.ops) {
        for (const impl::logical_tensor &t : o.inputs) {
            if (!produced.contains(t.id) && t.ndims > 0 && t.has_known_dims()) inputs.push_back(t);
        }
    }
    const auto has_higher_rank = [](const auto &a, const auto &b) { return a.ndims < b.ndims; };
    const auto leader = std::max_element(inputs.begin(), inputs.end(), has_higher_rank);
    if (leader == inputs.end()) refuse("--mb: no input of the graph has a first dim");
    for (const impl::logical_tensor &input : inputs) {
        if (input.ndims != leader->ndims || input.dims[0] != leader->dims[0]) continue;
        change_tensor(file, input.id, "--mb", [&](impl::logical_tensor &t) {
            const std::string tag = t.has_known_strides() ? tag_of_strides(t.dims, t.strides) : std::string();
            impl::dims d = t.dims;
            d[0] = mb;
            set_shape(t, d, tag.empty() ? impl::row_major_strides(d) : strides_of_tag(d, tag));
        });
    }
}

impl::attribute_value parse_attribute(impl::op_attr name, const std::string &text, const std::string &what) {
    switch (*impl::type_of(name)) {
    case impl::attribute_type::f32: {
        const auto numbers = parse_floats(text, what);
        if (numbers.size() != 1) refuse("{}: '{}' is not one number", what, text);
        return numbers[0];
    }
    case impl::attribute_type::f32_list:
        return parse_floats(text, what);
    case impl::attribute_type::s64:
        return parse_integer(text, what);
    case impl::attribute_type::s64_list:
        return parse_integers(text, what);
    case impl::attribute_type::boolean:
        if (text == "1" || text == "true") return true;
        if (text == "0" || text == "false") return false;
        refuse("{}: '{}' is not true or false", what, text);
    case impl::attribute_type::string:
        return text;
    }
    refuse("{}: an attribute of no type", what);
}

/// `text` is NAME:VALUE[*NAME:VALUE...].
void rewrite_attributes(impl::op &o, const std::string &text) {
    for (const std::string &entry : split(text, '*')) {
        const size_t colon = entry.find(':');
        if (colon == std::string::npos) refuse("--op-attrs: {}: '{}' is not NAME:VALUE", impl::to_string(o), entry);
        const std::string name = entry.substr(0, colon);
        const auto attribute = impl::op_attr_from_name(name);
        const std::string what = fmt::format("--op-attrs: {}: {}", impl::to_string(o), name);
        if (!attribute || !impl::type_of(*attribute)) refuse("{}: there is no such attribute", what);
        o.raw_attributes.insert_or_assign(*attribute, parse_attribute(*attribute, entry.substr(colon + 1), what));
    }
}

/// Attributes that the new kind does not know go.
void rewrite_kind(impl::op &o, const std::string &name) {
    const impl::op_schema *schema = impl::schema_by_name(name);
    if (schema == nullptr) refuse("--op-kind: {}: no kind '{}'", impl::to_string(o), name);
    o.kind = schema->kind;
    std::erase_if(o.raw_attributes, [&](const auto &attribute) {
        const auto is_it = [&](const impl::attribute_schema &known) { return known.name == attribute.first; };
        return std::none_of(schema->attributes.begin(), schema->attributes.end(), is_it);
    });
}

/// An axes tensor keeps its type. Ops that are not compiled have ports that some types may not enter, such as the mean and
/// variance of a normalization: those keep their type, as benchdnn has it, and integers do.
bool takes_type(const impl::op &o, const std::vector<impl::logical_tensor> &ports, size_t port, impl::data_type type) {
    const bool is_input = &ports == &o.inputs;
    if (o.schema().family == impl::op_family::reduction && is_input && port == 1) return false;
    if (impl::is_compiled(o.schema().family)) return true;
    if (!impl::is_floating(ports[port].type)) return false;
    const auto known = is_input ? o.schema().inputs : o.schema().outputs;
    if (o.schema().family != impl::op_family::foreign || known.empty()) return true;
    return impl::contains(known[std::min(port, known.size() - 1)].allowed, type);
}

void rewrite_type(impl::io::graph_file &file, impl::data_type type) {
    for (impl::op &o : file.ops) {
        if (o.kind == onefold_op_type_cast) refuse("--dt: {}: name the tensors, as ID:TYPE", impl::to_string(o));
        for (auto *ports : {&o.inputs, &o.outputs}) {
            for (size_t port = 0; port < ports->size(); ++port) {
                if (takes_type(o, *ports, port, type)) (*ports)[port].type = type;
            }
        }
    }
}

/// The dims of what ops produce follow from what has changed, and only the library knows how. Not even it does where a
/// reduction's axes are an input: those are among the shapes given, or stay where only kinds change.
void forget_produced_dims(impl::io::graph_file &file, const graph_rewrite &knobs) {
    const bool only_kinds_change = knobs.in_shapes.empty() && knobs.op_attrs.empty() && knobs.mb == 0;
    if (only_kinds_change && knobs.op_kinds.empty()) return;
    for (const impl::op &o : std::vector<impl::op>(file.ops)) {
        for (const impl::logical_tensor &produced : o.outputs) {
            if (knobs.in_shapes.contains(produced.id) || (only_kinds_change && impl::has_axes_input(o))) continue;
            change_tensor(file, produced.id, "", [](impl::logical_tensor &t) {
                t.ndims = impl::unknown_ndims;
                t.dims.clear();
                t.strides.clear();
            });
        }
    }
}

/// Some of benchdnn's files describe a tensor's strides in one way where it is produced and in another where it is read. As in
/// benchdnn, the op that produces it has the say.
void follow_producers(impl::io::graph_file &file) {
    for (const impl::op &producer : std::vector<impl::op>(file.ops)) {
        for (const impl::logical_tensor &produced : producer.outputs) {
            change_tensor(file, produced.id, "", [&](impl::logical_tensor &t) {
                if (t.dims == produced.dims && t.layout == produced.layout) t.strides = produced.strides;
            });
        }
    }
}

void set_property(impl::io::graph_file &file, size_t id, const std::string &name) {
    const auto property = impl::property_type_from_name(name);
    if (!property) refuse("--tensor-property: tensor {}: no property '{}'", id, name);
    change_tensor(file, id, "--tensor-property", [&](impl::logical_tensor &t) { t.property = *property; });
}

} // namespace

void rewrite(impl::io::graph_file &file, const graph_rewrite &knobs) {
    follow_producers(file);
    try {
        for (const auto &[id, kind] : knobs.op_kinds)
            rewrite_kind(find_op(file, id, "--op-kind"), kind);
        for (const auto &[id, attributes] : knobs.op_attrs)
            rewrite_attributes(find_op(file, id, "--op-attrs"), attributes);
        rewrite_shapes(file, knobs.in_shapes);
        if (knobs.mb != 0) rewrite_batch(file, knobs.mb);
        forget_produced_dims(file, knobs);
        if (knobs.type != onefold_data_type_undef) rewrite_type(file, knobs.type);
        for (const auto &entry : knobs.type_of_tensor)
            change_tensor(file, entry.first, "--dt", [&](impl::logical_tensor &t) { t.type = entry.second; });
        for (const auto &[id, property] : knobs.properties)
            set_property(file, id, property);
    } catch (const impl::error &e) {
        throw bad_input(e.what());
    }
    if (knobs.fpmath) {
        file.fpmath = *knobs.fpmath;
        file.fpmath_applies_to_int = knobs.fpmath_applies_to_int;
    }
}

impl::dims strides_of_tag(const impl::dims &d, const std::string &tag) {
    const std::string letters = std::string("abcdefghijklmnopqrstuvwxyz").substr(0, std::min<size_t>(d.size(), 26));
    if (tag.size() != d.size() || !std::is_permutation(tag.begin(), tag.end(), letters.begin(), letters.end()))
        refuse("'{}' is not a tag of the {} letters of {}", tag, d.size(), impl::to_string(d));
    impl::dims strides(d.size());
    int64_t stride = 1;
    for (size_t i = tag.size(); i-- > 0;) {
        const auto dim = static_cast<size_t>(tag[i] - 'a');
        strides[dim] = stride;
        if (__builtin_mul_overflow(stride, std::max<int64_t>(d[dim], 1), &stride))
            refuse("{} elements are too many", impl::to_string(d));
    }
    return strides;
}

std::string tag_of_strides(const impl::dims &d, const impl::dims &strides) {
    if (d.size() > 26) return "";
    std::string tag;
    for (size_t i = 0; i < d.size(); ++i)
        tag += static_cast<char>('a' + static_cast<int>(i));
    std::stable_sort(tag.begin(), tag.end(), [&](char a, char b) {
        return strides[static_cast<size_t>(a - 'a')] > strides[static_cast<size_t>(b - 'a')];
    });
    return tag;
}

} // namespace onefold::driver
