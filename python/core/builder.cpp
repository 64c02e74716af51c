#include "python/core/builder.hpp"

#include <algorithm>

#include "graph/error.hpp"
#include "graph/shape_inference.hpp"
#include "io/json.hpp"

namespace onefold::python {

namespace {

bool all_known(const std::vector<impl::logical_tensor> &tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [](const auto &t) { return t.has_known_dims(); });
}

/// The dims of an op's outputs, where its inputs tell them now.
std::optional<std::vector<impl::dims>> infer(const impl::op &o) {
    const impl::op_schema &schema = o.schema();
    if (!impl::is_compiled(schema.family) || !schema.infer || impl::has_axes_input(o) || !all_known(o.inputs))
        return std::nullopt;
    return schema.infer(o, o.inputs);
}

} // namespace

builder::builder() {
    source_.is_model = true;
    source_.file.input_ports.emplace();
    source_.file.output_ports.emplace();
}

impl::logical_tensor &builder::make_tensor(impl::data_type type, const std::optional<impl::dims> &dims) {
    const size_t id = tensors_.size();
    const int64_t rank = dims ? static_cast<int64_t>(dims->size()) : impl::unknown_ndims;
    // Layouts stay open: those of the arrays count, and between ops the library's choice.
    const impl::logical_tensor tensor = impl::make_logical_tensor(id, type, rank, dims ? dims->data() : nullptr, nullptr,
                                                                  onefold_layout_undef, 0, onefold_property_undef);
    return tensors_[id] = tensor;
}

void builder::check_name(const std::string &name) const {
    const auto has_it = [&](const auto &entry) { return entry.second == name; };
    if (std::any_of(source_.names.begin(), source_.names.end(), has_it))
        impl::fail(onefold_invalid_arguments, "\"{}\": another tensor of the graph has that name", impl::io::printable(name));
}

std::string builder::named(const std::string &name, const char *what, size_t count) const {
    if (!name.empty()) {
        check_name(name);
        return name;
    }
    const auto is_taken = [&](const std::string &candidate) {
        return std::any_of(source_.names.begin(), source_.names.end(),
                           [&](const auto &entry) { return entry.second == candidate; });
    };
    std::string made = what + std::to_string(count);
    while (is_taken(made))
        made += '_';
    return made;
}

size_t builder::add_input(const std::string &name, impl::data_type type, const std::optional<impl::dims> &dims) {
    const std::string its_name = named(name, "input", source_.inputs.size());
    const size_t id = make_tensor(type, dims).id;
    source_.names[id] = its_name;
    source_.file.input_ports->push_back(id);
    source_.inputs.push_back({its_name, id, {}});
    return id;
}

size_t builder::add_constant(const std::string &name, impl::io::onnx_array array) {
    const std::string its_name = named(name, "constant", source_.constants.size());
    impl::logical_tensor &tensor = make_tensor(array.type, array.dims);
    tensor.property = onefold_property_constant;
    source_.names[tensor.id] = its_name;
    source_.constants.emplace(tensor.id, std::move(array));
    return tensor.id;
}

std::vector<size_t> builder::add_op(op_request request) {
    impl::op o;
    o.id = source_.file.ops.size();
    o.name = std::move(request.name);
    const impl::op_schema *schema = impl::schema_by_name(request.kind);
    if (!schema)
        impl::fail(onefold_invalid_graph_op, "op {}: there is no op kind \"{}\"", o.id, impl::io::printable(request.kind));
    o.kind = schema->kind;
    o.raw_attributes = std::move(request.attributes);
    for (const size_t id : request.inputs)
        o.inputs.push_back(tensors_.at(id));
    impl::data_type type = request.dst_type;
    if (type == onefold_data_type_undef && !o.inputs.empty()) type = o.inputs[0].type;
    for (size_t i = 0; i < request.outputs; ++i)
        o.outputs.push_back(impl::make_logical_tensor(tensors_.size() + i, type, impl::unknown_ndims, nullptr, nullptr,
                                                      onefold_layout_undef, 0, onefold_property_undef));
    impl::validate(o);
    o.attributes = impl::make_attributes(o);
    const auto dims = infer(o);
    if (dims && request.dst_dims && dims->at(0) != *request.dst_dims)
        impl::fail(onefold_invalid_shape, "{}: dst is given the dims {}, but has {}", impl::to_string(o),
                   impl::to_string(*request.dst_dims), impl::to_string(dims->at(0)));
    std::vector<size_t> ids;
    for (size_t i = 0; i < o.outputs.size(); ++i) {
        const auto told = i == 0 ? request.dst_dims : std::nullopt;
        o.outputs[i] = make_tensor(type, dims ? std::optional(dims->at(i)) : told);
        free_dsts_.insert(o.outputs[i].id);
        ids.push_back(o.outputs[i].id);
    }
    source_.file.ops.push_back(std::move(o));
    return ids;
}

void builder::add_output(size_t id, const std::string &name) {
    const bool is_own = free_dsts_.contains(id);
    const bool keeps_name = is_own && name.empty() && source_.names.contains(id);
    const std::string its_name = keeps_name ? source_.names[id] : named(name, "output", source_.file.output_ports->size());
    if (!is_own) { // an input, a constant, an output already: comes out as a tensor of its own
        const impl::logical_tensor src = tensors_.at(id);
        impl::op o;
        o.id = source_.file.ops.size();
        o.kind = onefold_op_wildcard;
        o.name = "identity";
        o.inputs = {src};
        impl::logical_tensor &dst = make_tensor(src.type, std::nullopt);
        dst.ndims = src.ndims;
        dst.dims = src.dims;
        o.outputs = {dst};
        id = dst.id;
        source_.views.insert(o.id);
        source_.file.ops.push_back(std::move(o));
    }
    free_dsts_.erase(id);
    source_.names[id] = its_name;
    source_.file.output_ports->push_back(id);
}

} // namespace onefold::python
