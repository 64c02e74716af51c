#include "io/onnx/inputs.hpp"

#include "io/json.hpp"
#include "io/onnx/tensor.hpp"

namespace onefold::impl::io {

namespace {

/// The sizes that symbolic dims have, and the input that each comes from.
struct symbol {
    int64_t size;
    std::string input;
};
using symbols = std::map<std::string, symbol>;

std::string place_of(const pb::ValueInfoProto &info) { return fmt::format("input \"{}\"", printable(info.name())); }

/// Holds the dims given against those declared; symbols get their size.
void bind(const pb::ValueInfoProto &info, const dims &given, symbols &known) {
    const std::string place = place_of(info);
    if (!info.type().tensor_type().has_shape()) return;
    const auto &shape = info.type().tensor_type().shape();
    if (static_cast<size_t>(shape.dim_size()) != given.size())
        fail(onefold_invalid_arguments, "{}: has rank {}, but an array of rank {} is given", place, shape.dim_size(),
             given.size());
    const declared_tensor declared = read_declaration(info);
    for (size_t d = 0; d < given.size(); ++d) {
        const int64_t expected = declared.dims->at(d);
        if (expected != unknown_dim && expected != given[d])
            fail(onefold_invalid_arguments, "{}: dim {} is {}, but an array of shape {} is given", place, d, expected,
                 to_string(given));
        const std::string &name = shape.dim(static_cast<int>(d)).dim_param();
        if (name.empty()) continue;
        const auto [other, is_new] = known.emplace(name, symbol{given[d], info.name()});
        if (!is_new && other->second.size != given[d])
            fail(onefold_invalid_arguments, "{}: dim {} (\"{}\") is {} in the array given, but {} in that of input \"{}\"",
                 place, d, printable(name), given[d], other->second.size, printable(other->second.input));
    }
}

void add_input(graph_builder &b, const pb::ValueInfoProto &info, const onnx_shapes &shapes, const symbols &known) {
    declared_tensor declared = read_declaration(info);
    onnx_input input{info.name(), 0, {}};
    if (const auto given = shapes.find(info.name()); given != shapes.end()) declared.dims = given->second;
    if (!declared.dims) input.unknown.push_back("the shape");
    for (size_t d = 0; declared.dims && d < declared.dims->size(); ++d) {
        int64_t &dim = declared.dims->at(d);
        if (dim != unknown_dim) continue;
        const std::string &name = info.type().tensor_type().shape().dim(static_cast<int>(d)).dim_param();
        if (const auto symbol = known.find(name); symbol != known.end() && !name.empty())
            dim = symbol->second.size;
        else
            input.unknown.push_back(name.empty() ? fmt::format("dim {}", d)
                                                 : fmt::format("dim {} (\"{}\")", d, printable(name)));
    }
    try {
        b.add_input(std::move(input), b.make_tensor(declared.type, declared.dims));
    } catch (const error &e) {
        fail(onefold_invalid_arguments, "{}: {}", place_of(info), e.what());
    }
}

} // namespace

declared_tensor read_declaration(const pb::ValueInfoProto &info) {
    declared_tensor result;
    if (!info.type().has_tensor_type()) return result;
    const auto &tensor = info.type().tensor_type();
    result.type = type_from_onnx(tensor.elem_type());
    if (!tensor.has_shape()) return result;
    result.dims.emplace();
    for (const auto &dim : tensor.shape().dim()) {
        if (dim.has_dim_value() && dim.dim_value() < -1)
            fail(onefold_invalid_arguments, "\"{}\": has a dim of {}", printable(info.name()), dim.dim_value());
        // Some exporters write -1 for a dim that they leave open.
        result.dims->push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : unknown_dim);
    }
    return result;
}

void add_inputs(graph_builder &b, const pb::GraphProto &graph, const onnx_shapes &shapes) {
    std::map<std::string, bool> is_initializer;
    for (const pb::TensorProto &tensor : graph.initializer())
        is_initializer[tensor.name()] = true;
    symbols known;
    std::set<std::string> seen;
    for (const pb::ValueInfoProto &info : graph.input()) {
        if (info.name().empty()) fail(onefold_invalid_arguments, "an input of the graph has no name");
        if (!seen.insert(info.name()).second)
            fail(onefold_invalid_arguments, "{}: the graph has two inputs of that name", place_of(info));
        if (!info.has_type()) fail(onefold_invalid_arguments, "{}: has no type", place_of(info));
        if (const auto given = shapes.find(info.name()); given != shapes.end()) bind(info, given->second, known);
    }
    for (const pb::ValueInfoProto &info : graph.input())
        if (!is_initializer.contains(info.name())) add_input(b, info, shapes, known);
}

} // namespace onefold::impl::io
