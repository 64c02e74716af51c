#include <cmath>

#include <nlohmann/json.hpp>

#include "io/graph_file.hpp"

namespace onefold::impl::io {

namespace {

// Keeps the keys in oneDNN's order, and writes an f32 in the fewest digits that identify it.
using ordered_json = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool, int64_t, uint64_t, float>;

ordered_json write_f32(float value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

ordered_json write_value(const attribute_value &value) {
    return std::visit(
        [](const auto &v) -> ordered_json {
            using type = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<type, float>) {
                return write_f32(v);
            } else if constexpr (std::is_same_v<type, std::vector<float>>) {
                ordered_json list = ordered_json::array();
                for (const float element : v)
                    list.push_back(write_f32(element));
                return list;
            } else if constexpr (std::is_same_v<type, bool>) {
                return v ? 1 : 0;
            } else {
                return v;
            }
        },
        value);
}

ordered_json write_dims(const dims &values) {
    ordered_json list = ordered_json::array();
    // A lone INT64_MIN would mean an unknown rank.
    for (const int64_t value : values)
        list.push_back(value == unknown_dim && values.size() == 1 ? -1 : value);
    return list;
}

ordered_json write_tensor(const logical_tensor &tensor) {
    const ordered_json unknown = ordered_json::array({unknown_dim});
    const bool has_strides = tensor.ndims == 0 || (tensor.ndims > 0 && tensor.layout == onefold_layout_strided);
    ordered_json object;
    object["id"] = tensor.id;
    object["dtype"] = name_of(tensor.type);
    object["shape"] = tensor.ndims == unknown_ndims ? unknown : write_dims(tensor.dims);
    object["stride"] = has_strides ? write_dims(tensor.strides) : unknown;
    object["layout_type"] = name_of(tensor.layout);
    object["property_type"] = name_of(tensor.property);
    return object;
}

ordered_json write_op(const op &o) {
    ordered_json attributes = ordered_json::object();
    for (const auto &[attr, value] : o.raw_attributes)
        attributes[std::string(name_of(attr))] = {{"type", name_of(type_of(value))}, {"value", write_value(value)}};
    ordered_json inputs = ordered_json::array();
    for (const logical_tensor &tensor : o.inputs)
        inputs.push_back(write_tensor(tensor));
    ordered_json outputs = ordered_json::array();
    for (const logical_tensor &tensor : o.outputs)
        outputs.push_back(write_tensor(tensor));
    ordered_json object;
    object["id"] = o.id;
    object["name"] = o.name;
    object["kind"] = o.schema().name;
    object["attrs"] = std::move(attributes);
    object["inputs"] = std::move(inputs);
    object["outputs"] = std::move(outputs);
    return object;
}

std::string_view engine_name(engine_kind kind) {
    return kind == onefold_gpu ? "gpu" : kind == onefold_any_engine ? "any" : "cpu";
}

} // namespace

std::string serialize(const graph_file &file) {
    ordered_json root;
    root["version"] = file.version;
    root["engine_kind"] = engine_name(file.kind);
    root["fpmath_mode"] = name_of(file.fpmath);
    root["fpmath_mode_apply_to_int"] = file.fpmath_applies_to_int ? "true" : "false"; // a string, as in oneDNN
    if (file.input_ports) root["input_ports"] = *file.input_ports;
    if (file.output_ports) root["output_ports"] = *file.output_ports;
    ordered_json ops = ordered_json::array();
    for (const op &o : file.ops)
        ops.push_back(write_op(o));
    root["graph"] = std::move(ops);
    // Names come from users; bytes that are not UTF-8 are replaced.
    return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

} // namespace onefold::impl::io
