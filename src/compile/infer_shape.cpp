#include "compile/infer_shape.hpp"

#include <algorithm>

#include "compile/ports.hpp"
#include "graph/error.hpp"

namespace onefold::impl {

namespace {

const logical_tensor &find_port(const std::vector<logical_tensor> &ports, const partition &p, size_t id) {
    const auto port = std::find_if(ports.begin(), ports.end(), [&](const logical_tensor &t) { return t.id == id; });
    if (port == ports.end()) fail(onefold_invalid_arguments, "partition {}: it has no output tensor {}", p.id, id);
    return *port;
}

/// Shapes do not depend on the layouts of inputs: what is not known of them is taken for row-major.
std::vector<logical_tensor> with_layouts(std::span<const logical_tensor> inputs) {
    std::vector<logical_tensor> result(inputs.begin(), inputs.end());
    for (logical_tensor &input : result) {
        if (input.layout == onefold_layout_opaque || input.has_known_strides()) continue;
        input.layout = onefold_layout_any;
        input.strides.clear();
    }
    return result;
}

} // namespace

std::vector<logical_tensor> infer_shape(const partition &p, std::span<const logical_tensor> inputs,
                                        std::span<const logical_tensor> outputs) {
    std::vector<logical_tensor> typed(outputs.begin(), outputs.end());
    for (logical_tensor &output : typed)
        if (output.type == onefold_data_type_undef) output.type = find_port(p.outputs, p, output.id).type;
    const resolved_ports ports = resolve_ports(p, with_layouts(inputs), typed);
    std::vector<logical_tensor> result;
    for (const logical_tensor &output : outputs)
        result.push_back(find_port(ports.outputs, p, output.id));
    return result;
}

} // namespace onefold::impl
