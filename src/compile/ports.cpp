#include "compile/ports.hpp"

#include <algorithm>
#include <numeric>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

const logical_tensor &find_given(const partition &p, std::string_view direction, const logical_tensor &port,
                                 std::span<const logical_tensor> given) {
    const auto found = std::find_if(given.begin(), given.end(), [&](const logical_tensor &t) { return t.id == port.id; });
    if (found == given.end())
        fail(onefold_invalid_arguments, "partition {}: {} tensor {} is not among the {} given", p.id, direction, port.id,
             given.size());
    return *found;
}

void check_type(const partition &p, std::string_view direction, const logical_tensor &port, const logical_tensor &given) {
    if (given.type != port.type)
        fail(onefold_invalid_data_type, "partition {}: {} tensor {} is given as {}; the graph says {}", p.id, direction,
             port.id, name_of(given.type), name_of(port.type));
}

/// What the graph or the caller said of the dims, known or in part, must agree with what they are.
void check_dims(const op *producer, std::string_view direction, const logical_tensor &said, const dims &d) {
    if (said.ndims == unknown_ndims || may_agree(said.dims, d)) return;
    const std::string from = producer ? to_string(*producer) + ": " : "";
    fail(onefold_invalid_shape, "{}{} tensor {} has dims {}, not {}", from, direction, said.id, to_string(d),
         to_string(said.dims));
}

void check_layout(const partition &p, const logical_tensor &port, const logical_tensor &input) {
    if (input.layout == onefold_layout_opaque || input.layout == onefold_layout_undef)
        fail(onefold_invalid_arguments, "partition {}: input tensor {} has layout {}; strided or any is needed", p.id, port.id,
             name_of(input.layout));
}

void check_is_not_opaque(const partition &p, const logical_tensor &port, const logical_tensor &output) {
    if (output.layout == onefold_layout_opaque)
        fail(onefold_invalid_arguments, "partition {}: output tensor {} has layout opaque; strided, any or undef is needed",
             p.id, port.id);
}

bool is_open(const logical_tensor &input) {
    const bool needs_strides = input.layout == onefold_layout_strided && input.ndims != unknown_ndims;
    return !input.has_known_dims() || (needs_strides && !input.has_known_strides());
}

logical_tensor resolve_input(const partition &p, const logical_tensor &port, std::span<const logical_tensor> given) {
    logical_tensor input = find_given(p, "input", port, given);
    check_type(p, "input", port, input);
    if (!input.has_known_dims())
        fail(onefold_invalid_arguments, "partition {}: input tensor {} has unknown dims", p.id, port.id);
    check_dims(nullptr, "input", port, input.dims);
    check_layout(p, port, input);
    if (!input.has_known_strides()) {
        if (input.layout == onefold_layout_strided && input.ndims > 0)
            fail(onefold_invalid_arguments, "partition {}: input tensor {} has unknown strides", p.id, port.id);
        input.layout = onefold_layout_strided;
        input.strides = row_major_strides(input.dims);
    }
    return input;
}

/// True if two different indices of the tensor share memory.
bool overlaps(const dims &d, const dims &strides) {
    if (element_count(d) == 0) return false;
    std::vector<size_t> order;
    for (size_t i = 0; i < d.size(); ++i)
        if (d[i] > 1) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return strides[a] < strides[b]; });
    int64_t reach = 0; // of the dims so far
    for (const size_t i : order) {
        if (strides[i] <= reach) return true;
        reach += (d[i] - 1) * strides[i];
    }
    return false;
}

/// The strides of an input of the same dims if it is dense: an element-wise op keeps the order of its data.
dims preferred_strides(const dims &d, const std::vector<logical_tensor> &inputs) {
    for (const logical_tensor &input : inputs)
        if (input.dims == d && span_of(d, input.strides) == element_count(d) && !overlaps(d, input.strides))
            return input.strides;
    return row_major_strides(d);
}

logical_tensor resolve_output(const partition &p, const logical_tensor &port, std::span<const logical_tensor> given,
                              const dims &d, const op &producer, const std::vector<logical_tensor> &inputs) {
    logical_tensor output = find_given(p, "output", port, given);
    check_type(p, "output", port, output);
    check_dims(&producer, "output", output, d);
    check_is_not_opaque(p, port, output);
    const bool has_strides =
        output.layout == onefold_layout_strided && output.ndims != unknown_ndims && output.has_known_strides();
    output.ndims = static_cast<int64_t>(d.size());
    output.dims = d;
    if (!has_strides) output.strides = preferred_strides(d, inputs);
    output.layout = onefold_layout_strided;
    if (overlaps(d, output.strides))
        fail(onefold_invalid_arguments, "{}: output tensor {} of dims {} has strides {}: elements overlap", to_string(producer),
             port.id, to_string(d), to_string(output.strides));
    mem_size(output);
    return output;
}

bool produces(const op &o, size_t tensor_id) {
    return std::any_of(o.outputs.begin(), o.outputs.end(), [&](const logical_tensor &t) { return t.id == tensor_id; });
}

/// The dims of a reduction's result where no rule tells them before its axes are there: the caller's, else the graph's.
dims told_dims(const op &o, std::span<const logical_tensor> outputs) {
    const logical_tensor &dst = o.outputs[0];
    for (const logical_tensor &output : outputs)
        if (output.id == dst.id && output.has_known_dims()) return output.dims;
    if (!dst.has_known_dims())
        fail(onefold_invalid_arguments,
             "{}: output dst (tensor {}) has unknown dims; they are needed, since the axes are an input", to_string(o), dst.id);
    return dst.dims;
}

/// Dims of every tensor, op by op; what the graph says of a tensor is checked on the way.
void infer_dims(const partition &p, std::span<const logical_tensor> outputs, resolved_ports &ports) {
    for (const logical_tensor &input : ports.inputs)
        ports.dims_of[input.id] = input.dims;
    for (const op &o : p.ops) {
        std::vector<logical_tensor> inputs = o.inputs;
        for (logical_tensor &input : inputs) {
            input.dims = ports.dims_of.at(input.id);
            input.ndims = static_cast<int64_t>(input.dims.size());
        }
        const std::vector<dims> results =
            has_axes_input(o) ? std::vector<dims>{told_dims(o, outputs)} : o.schema().infer(o, inputs);
        for (size_t i = 0; i < results.size(); ++i) {
            element_count(results[i]);
            check_dims(&o, "output", o.outputs[i], results[i]);
            ports.dims_of[o.outputs[i].id] = results[i];
        }
    }
}

logical_tensor find_open_input(const partition &p, const logical_tensor &port, std::span<const logical_tensor> given) {
    logical_tensor input = find_given(p, "input", port, given);
    if (!is_open(input)) return resolve_input(p, port, given);
    check_type(p, "input", port, input);
    if (input.ndims == unknown_ndims)
        fail(onefold_invalid_arguments, "partition {}: input tensor {} has an unknown rank; compile() needs it", p.id, port.id);
    check_dims(nullptr, "input", port, input.dims);
    check_layout(p, port, input);
    if (input.layout != onefold_layout_strided) input.strides.assign(input.dims.size(), unknown_dim);
    input.layout = onefold_layout_strided;
    return input;
}

logical_tensor find_open_output(const partition &p, const logical_tensor &port, std::span<const logical_tensor> given) {
    const logical_tensor &output = find_given(p, "output", port, given);
    check_type(p, "output", port, output);
    if (output.ndims != unknown_ndims) check_dims(nullptr, "output", port, output.dims);
    check_is_not_opaque(p, port, output);
    return output;
}

} // namespace

bool may_agree(const dims &a, const dims &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](int64_t x, int64_t y) { return x == y || x == unknown_dim || y == unknown_dim; });
}

bool has_open_inputs(const partition &p, std::span<const logical_tensor> inputs) {
    return std::any_of(p.inputs.begin(), p.inputs.end(),
                       [&](const logical_tensor &port) { return is_open(find_given(p, "input", port, inputs)); });
}

open_ports find_open_ports(const partition &p, std::span<const logical_tensor> inputs,
                           std::span<const logical_tensor> outputs) {
    open_ports ports;
    for (const logical_tensor &port : p.inputs)
        ports.inputs.push_back(find_open_input(p, port, inputs));
    for (const logical_tensor &port : p.outputs)
        ports.outputs.push_back(find_open_output(p, port, outputs));
    return ports;
}

resolved_ports resolve_ports(const partition &p, std::span<const logical_tensor> inputs,
                             std::span<const logical_tensor> outputs) {
    resolved_ports ports;
    for (const logical_tensor &port : p.inputs)
        ports.inputs.push_back(resolve_input(p, port, inputs));
    infer_dims(p, outputs, ports);
    for (const logical_tensor &port : p.outputs) {
        const auto producer = std::find_if(p.ops.begin(), p.ops.end(), [&](const op &o) { return produces(o, port.id); });
        ports.outputs.push_back(resolve_output(p, port, outputs, ports.dims_of.at(port.id), *producer, ports.inputs));
    }
    return ports;
}

} // namespace onefold::impl
