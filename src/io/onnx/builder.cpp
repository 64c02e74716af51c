#include "io/onnx/builder.hpp"

#include <algorithm>
#include <numeric>

#include "graph/shape_inference.hpp"
#include "io/json.hpp"

namespace onefold::impl::io {

namespace {

bool all_known(const dims &d) { return std::find(d.begin(), d.end(), unknown_dim) == d.end(); }

/// An error's sentence without the op's name: it stands for a node, which has its own.
std::string without_name(const op &o, const error &e) {
    const std::string message = e.what(), name = to_string(o) + ": ";
    return message.starts_with(name) ? message.substr(name.size()) : message;
}

} // namespace

void graph_builder::know(const logical_tensor &tensor, const onnx_known_input &known) {
    const bool may_be_axes = known.type == onefold_s64 && tensor.type == onefold_s64 && known.dims.size() == 1;
    const auto bytes = may_be_axes ? static_cast<size_t>(known.dims[0]) * sizeof(int64_t) : 0;
    if (may_be_axes && bytes == known.data.size())
        known_axes_[tensor.id] = integers_of({known.type, known.dims, {known.data.begin(), known.data.end()}});
}

/// What the model says of the shape may be open or stale: the axes that are known to come count before it.
std::optional<dims> graph_builder::infer_with_axes_input(const op &o) const {
    const size_t rank = o.inputs[0].dims.size();
    const dims &count = o.inputs[1].dims;
    op reduction = o;
    std::vector<int64_t> &axes = std::get<reduction_attributes>(reduction.attributes).axes;
    if (const auto known = known_axes_.find(o.inputs[1].id); known != known_axes_.end()) {
        axes = known->second;
    } else if (count == dims{0} || count == dims{static_cast<int64_t>(rank)}) {
        axes.resize(static_cast<size_t>(count[0])); // none or all of them
        std::iota(axes.begin(), axes.end(), int64_t{0});
    } else {
        return o.reduction().keep_dims ? std::optional(dims(rank, unknown_dim)) : std::nullopt;
    }
    return infer_reduction(reduction, reduction.inputs);
}

std::optional<dims> graph_builder::infer(const op &o) const {
    const auto has_rank = [](const logical_tensor &t) { return t.ndims != unknown_ndims; };
    if (!has_rank(o.inputs[0])) return std::nullopt;
    if (has_axes_input(o)) return infer_with_axes_input(o);
    if (!std::all_of(o.inputs.begin(), o.inputs.end(), has_rank)) return std::nullopt;
    const auto outputs = infer_open(o, o.inputs);
    return outputs ? std::optional(outputs->at(0)) : std::nullopt;
}

logical_tensor graph_builder::make_tensor(data_type type, const std::optional<dims> &dims) {
    const size_t id = next_id_++;
    if (!dims)
        return make_logical_tensor(id, type, unknown_ndims, nullptr, nullptr, onefold_layout_undef, 0, onefold_property_undef);
    if (all_known(*dims)) return make_dense(id, type, *dims);
    return make_logical_tensor(id, type, static_cast<int64_t>(dims->size()), dims->data(), nullptr, onefold_layout_undef, 0,
                               onefold_property_undef);
}

logical_tensor graph_builder::add_constant(onnx_array array) {
    logical_tensor tensor = make_tensor(array.type, array.dims);
    tensor.property = onefold_property_constant;
    graph_.constants.emplace(tensor.id, std::move(array));
    return tensor;
}

void graph_builder::push(op o) {
    for (const logical_tensor &output : o.outputs)
        free_dsts_.insert(output.id);
    graph_.file.ops.push_back(std::move(o));
}

void graph_builder::add_input(onnx_input input, const logical_tensor &tensor) {
    input.id = tensor.id;
    graph_.file.input_ports->push_back(tensor.id);
    define(input.name, tensor);
    graph_.inputs.push_back(std::move(input));
}

void graph_builder::add_output(const std::string &name) {
    logical_tensor tensor = tensors_.at(name);
    // Inputs, constants and what has two names need a tensor of their own to come out.
    if (free_dsts_.erase(tensor.id) == 0) {
        tensor = add_view(fmt::format("Identity \"{}\"", printable(name)), tensor, tensor.dims);
        free_dsts_.erase(tensor.id);
    }
    graph_.file.output_ports->push_back(tensor.id);
    graph_.names[tensor.id] = name;
}

void graph_builder::define(const std::string &name, logical_tensor tensor) {
    if (name.empty()) return;
    if (const auto declared = declared_.find(name); declared != declared_.end()) {
        const auto &[type, dims] = declared->second;
        if (type != onefold_data_type_undef && tensor.type != onefold_data_type_undef && type != tensor.type)
            fail(onefold_invalid_arguments, "tensor \"{}\": is declared as {}, but is {}", printable(name), name_of(type),
                 name_of(tensor.type));
        // Axes that are known at run time only, for one, leave the dims open.
        const bool tells_more = dims && all_known(*dims) && !tensor.has_known_dims();
        auto &ops = graph_.file.ops;
        if (tells_more && !ops.empty() && !ops.back().outputs.empty() && ops.back().outputs[0].id == tensor.id) {
            tensor = make_dense(tensor.id, tensor.type, *dims, tensor.property);
            ops.back().outputs[0] = tensor;
        }
    }
    graph_.names.emplace(tensor.id, name);
    tensors_.emplace(name, std::move(tensor));
}

const onnx_array *graph_builder::constant(const onnx_node &n, size_t i) const {
    const auto found = graph_.constants.find(src(n, i).id);
    return found == graph_.constants.end() ? nullptr : &found->second;
}

logical_tensor graph_builder::add(const onnx_node &n, std::string_view kind, std::vector<logical_tensor> srcs,
                                  attribute_map attributes, data_type dst_type) {
    const op_schema *schema = schema_by_name(kind);
    if (!schema) throw not_supported(fmt::format("onefold has no op kind {}", kind));
    op o;
    o.id = graph_.file.ops.size();
    o.kind = schema->kind;
    o.name = n.name();
    std::replace(o.name.begin(), o.name.end(), '\0', '?');
    o.raw_attributes = std::move(attributes);
    o.inputs = std::move(srcs);
    if (dst_type == onefold_data_type_undef) dst_type = o.inputs[0].type;
    o.outputs = {make_tensor(dst_type, std::nullopt)};
    try {
        validate(o);
    } catch (const error &e) {
        throw not_supported(without_name(o, e));
    }
    o.attributes = make_attributes(o);
    try {
        o.outputs = {make_tensor(dst_type, infer(o))};
    } catch (const error &e) {
        n.reject("{}", without_name(o, e));
    }
    push(std::move(o));
    return graph_.file.ops.back().outputs[0];
}

logical_tensor graph_builder::add_view(std::string name, const logical_tensor &src, const dims &dims) {
    if (const auto known = graph_.constants.find(src.id); known != graph_.constants.end() && dims != src.dims)
        return add_constant({src.type, dims, known->second.data});
    op o;
    o.id = graph_.file.ops.size();
    o.kind = onefold_op_wildcard;
    o.name = std::move(name);
    o.inputs = {src};
    o.outputs = {src.ndims == unknown_ndims && dims.empty() ? make_tensor(src.type, std::nullopt)
                                                            : make_tensor(src.type, dims)};
    graph_.views.insert(o.id);
    push(std::move(o));
    return graph_.file.ops.back().outputs[0];
}

void graph_builder::add_unsupported(const onnx_node &n, size_t first_op, const std::string &reason) {
    graph_.file.ops.resize(first_op);
    graph_.views.erase(graph_.views.lower_bound(first_op), graph_.views.end());
    op o;
    o.id = first_op;
    o.kind = onefold_op_wildcard;
    o.name = fmt::format("{} \"{}\"", printable(n.op_type()), printable(n.name()));
    for (size_t i = 0; i < n.inputs().size(); ++i)
        if (n.has_input(i)) o.inputs.push_back(src(n, i));
    for (const std::string &name : n.outputs()) {
        if (name.empty()) continue;
        const auto declared = declared_.find(name);
        const declared_tensor told = declared == declared_.end() ? declared_tensor{} : declared->second;
        o.outputs.push_back(make_tensor(told.type, told.dims));
    }
    const std::vector<logical_tensor> dsts = o.outputs;
    graph_.unsupported.emplace(o.id, fmt::format("{}: {}", n.place(), reason));
    push(std::move(o));
    auto dst = dsts.begin();
    for (const std::string &name : n.outputs())
        if (!name.empty()) define(name, *dst++);
}

} // namespace onefold::impl::io
