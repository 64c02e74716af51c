#include "io/onnx_file/inputs.hpp"

#include "io/json.hpp"

namespace onefold::impl::io {

namespace {

std::string place_of(const pb::ValueInfoProto &info) { return fmt::format("input \"{}\"", printable(info.name())); }

/// Holds the dims given against those declared; symbols get their size.
void bind(const pb::ValueInfoProto &info, const dims &given, onnx_symbols &known) {
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
        const auto [other, is_new] = known.emplace(name, onnx_symbol{given[d], info.name()});
        if (!is_new && other->second.size != given[d])
            fail(onefold_invalid_arguments, "{}: dim {} (\"{}\") is {} in the array given, but {} in that of input \"{}\"",
                 place, d, printable(name), given[d], other->second.size, printable(other->second.input));
    }
}

void add_input(graph_builder &b, const pb::ValueInfoProto &info, const onnx_known_inputs &known, const onnx_symbols &symbols) {
    declared_tensor declared = read_declaration(info, symbols);
    onnx_input input{info.name(), 0, {}};
    const auto given = known.find(info.name());
    if (given != known.end()) declared.dims = given->second.dims;
    if (!declared.dims) input.unknown.push_back("the shape");
    for (size_t d = 0; declared.dims && d < declared.dims->size(); ++d) {
        if (declared.dims->at(d) != unknown_dim) continue;
        const std::string &name = info.type().tensor_type().shape().dim(static_cast<int>(d)).dim_param();
        input.unknown.push_back(name.empty() ? fmt::format("dim {}", d) : fmt::format("dim {} (\"{}\")", d, printable(name)));
    }
    try {
        const logical_tensor tensor = b.make_tensor(declared.type, declared.dims);
        if (given != known.end()) b.know(tensor, given->second);
        b.add_input(std::move(input), tensor);
    } catch (const error &e) {
        fail(onefold_invalid_arguments, "{}: {}", place_of(info), e.what());
    }
}

} // namespace

declared_tensor read_declaration(const pb::ValueInfoProto &info, const onnx_symbols &symbols) {
    declared_tensor result;
    if (!info.type().has_tensor_type()) return result;
    const auto &tensor = info.type().tensor_type();
    result.type = type_from_onnx(tensor.elem_type());
    if (!tensor.has_shape()) return result;
    result.dims.emplace();
    for (const auto &dim : tensor.shape().dim()) {
        if (dim.has_dim_value() && dim.dim_value() < -1)
            fail(onefold_invalid_arguments, "\"{}\": has a dim of {}", printable(info.name()), dim.dim_value());
        const auto symbol = symbols.find(dim.dim_param());
        if (symbol != symbols.end())
            result.dims->push_back(symbol->second.size);
        else // some exporters write -1 for a dim that they leave open
            result.dims->push_back(dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : unknown_dim);
    }
    return result;
}

onnx_symbols bind_symbols(const pb::GraphProto &graph, const onnx_known_inputs &known) {
    onnx_symbols symbols;
    std::set<std::string> seen;
    for (const pb::ValueInfoProto &info : graph.input()) {
        if (info.name().empty()) fail(onefold_invalid_arguments, "an input of the graph has no name");
        if (!seen.insert(info.name()).second)
            fail(onefold_invalid_arguments, "{}: the graph has two inputs of that name", place_of(info));
        if (!info.has_type()) fail(onefold_invalid_arguments, "{}: has no type", place_of(info));
        if (const auto given = known.find(info.name()); given != known.end()) bind(info, given->second.dims, symbols);
    }
    return symbols;
}

void add_inputs(graph_builder &b, const pb::GraphProto &graph, const onnx_known_inputs &known, const onnx_symbols &symbols) {
    std::set<std::string> initializers;
    for (const pb::TensorProto &tensor : graph.initializer())
        initializers.insert(tensor.name());
    for (const pb::ValueInfoProto &info : graph.input())
        if (!initializers.contains(info.name())) add_input(b, info, known, symbols);
}

} // namespace onefold::impl::io
