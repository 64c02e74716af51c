#include "graph/schema_foreign_checks.hpp"

#include <algorithm>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

/// The value that the user set; nullptr if there is none.
template <typename T>
const T *find_attribute(const op &o, op_attr name) {
    const auto given = o.raw_attributes.find(name);
    return given == o.raw_attributes.end() ? nullptr : std::get_if<T>(&given->second);
}

template <typename T>
size_t list_size(const op &o, op_attr name) {
    const auto *list = find_attribute<std::vector<T>>(o, name);
    return list ? list->size() : 0;
}

void check_not_negative(const op &o, op_attr name) {
    const auto *values = find_attribute<std::vector<int64_t>>(o, name);
    if (values && std::any_of(values->begin(), values->end(), [](int64_t v) { return v < 0; }))
        fail(onefold_invalid_graph_op, "{}: attribute {} is {}; negative values are not allowed", to_string(o), name_of(name),
             to_string(attribute_value(*values)));
}

void check_statistics_ports(const op &o, std::span<const port_schema> ports, const std::vector<logical_tensor> &given) {
    const data_type src_type = o.inputs[0].type;
    for (size_t i = 0; i < given.size(); ++i)
        if (ports[i].type_variable == statistics_variable && given[i].type == onefold_bf16 && src_type != onefold_bf16)
            fail(onefold_invalid_graph_op, "{}: {} has data type bf16, but src has {}; only a bf16 src allows that",
                 to_string(o), ports[i].name, name_of(src_type));
}

void check_together(const op &o, std::span<const port_schema> ports, size_t given) {
    const auto required = static_cast<size_t>(
        std::count_if(ports.begin(), ports.end(), [](const port_schema &p) { return p.need == port_need::required; }));
    if (given > required && given < ports.size())
        fail(onefold_invalid_graph_op, "{}: {} is given without {}; both or neither must be", to_string(o),
             ports[given - 1].name, ports[given].name);
}

/// All outputs must be there if the attribute is true, which it is where it is not set.
void check_outputs_if(const op &o, op_attr name) {
    const bool *given = find_attribute<bool>(o, name);
    const auto ports = o.schema().outputs;
    if ((!given || *given) && o.outputs.size() < ports.size())
        fail(onefold_invalid_graph_op, "{}: output {} is missing: attribute {} is true", to_string(o),
             ports[o.outputs.size()].name, name_of(name));
}

std::string quantization_type(const op &o) {
    const auto *given = find_attribute<std::string>(o, onefold_op_attr_qtype);
    return given ? *given : "per_tensor";
}

bool is_f8(const logical_tensor &tensor) { return tensor.type == onefold_f8_e5m2 || tensor.type == onefold_f8_e4m3; }

void check_one_element(const op &o, std::string_view port, const logical_tensor &tensor) {
    if (tensor.has_known_dims() && element_count(tensor.dims) != 1)
        fail(onefold_invalid_graph_op, "{}: input {} has shape {}; per_tensor quantization takes 1 element", to_string(o), port,
             to_string(tensor.dims));
}

} // namespace

void check_pads(const op &o) {
    check_not_negative(o, onefold_op_attr_pads_begin);
    check_not_negative(o, onefold_op_attr_pads_end);
}

void check_dilations(const op &o) {
    const auto *dilations = find_attribute<std::vector<int64_t>>(o, onefold_op_attr_dilations);
    if (!dilations || dilations->size() == list_size<int64_t>(o, onefold_op_attr_kernel)) return;
    // oneDNN's graph dumps hold its default, twelve ones, whatever the kernel.
    if (std::all_of(dilations->begin(), dilations->end(), [](int64_t v) { return v == 1; })) return;
    fail(onefold_invalid_graph_op, "{}: attribute dilations is {}, but kernel has {} dims", to_string(o),
         to_string(attribute_value(*dilations)), list_size<int64_t>(o, onefold_op_attr_kernel));
}

void check_statistics_type(const op &o) {
    check_statistics_ports(o, o.schema().inputs, o.inputs);
    check_statistics_ports(o, o.schema().outputs, o.outputs);
}

void check_optional_inputs_together(const op &o) { check_together(o, o.schema().inputs, o.inputs.size()); }
void check_optional_outputs_together(const op &o) { check_together(o, o.schema().outputs, o.outputs.size()); }

void check_kept_statistics(const op &o) { check_outputs_if(o, onefold_op_attr_keep_stats); }
void check_affine_gradients(const op &o) { check_outputs_if(o, onefold_op_attr_use_affine); }

void check_sizes_or_scales(const op &o) {
    const bool has_sizes = list_size<int64_t>(o, onefold_op_attr_sizes) != 0;
    const bool has_scales = list_size<float>(o, onefold_op_attr_scales) != 0;
    const bool has_tensor = o.inputs.size() == o.schema().inputs.size(); // sizes is the last input
    if (has_sizes && has_scales)
        fail(onefold_invalid_graph_op, "{}: both attributes sizes and scales are given; one is allowed", to_string(o));
    if (!has_sizes && !has_scales && !has_tensor)
        fail(onefold_invalid_graph_op, "{}: attribute sizes, attribute scales or input sizes must be given", to_string(o));
}

void check_static_quantization(const op &o) {
    const size_t scales = list_size<float>(o, onefold_op_attr_scales);
    if (quantization_type(o) == "per_tensor" && scales != 1)
        fail(onefold_invalid_graph_op, "{}: attribute scales has {} values; per_tensor quantization takes 1", to_string(o),
             scales);
    const auto *zps = find_attribute<std::vector<int64_t>>(o, onefold_op_attr_zps);
    if (!zps) return;
    if (is_f8(o.inputs[0]) || is_f8(o.outputs[0]))
        fail(onefold_invalid_graph_op, "{}: attribute zps is given, but f8 quantization has no zero points", to_string(o));
    if (zps->size() != scales)
        fail(onefold_invalid_graph_op, "{}: attribute zps has {} values, but scales has {}", to_string(o), zps->size(), scales);
}

void check_dynamic_quantization(const op &o) {
    const std::string type = quantization_type(o);
    const logical_tensor &scales = o.inputs[1];
    const logical_tensor *zps = o.inputs.size() > 2 ? &o.inputs[2] : nullptr;
    if (type == "per_tensor") {
        check_one_element(o, "scales", scales);
        if (zps) check_one_element(o, "zps", *zps);
        return;
    }
    if (!zps || !zps->has_known_dims() || !scales.has_known_dims() || zps->dims == scales.dims) return;
    // One zero point may serve all channels, but not all groups.
    if (type == "per_channel" && element_count(zps->dims) == 1) return;
    fail(onefold_invalid_graph_op, "{}: input zps has shape {}, but scales has {}", to_string(o), to_string(zps->dims),
         to_string(scales.dims));
}

} // namespace onefold::impl
