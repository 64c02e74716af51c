#include "graph/types.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace onefold::impl {

namespace {

template <typename Enum>
struct named {
    Enum value;
    std::string_view name;
};

struct data_type_row {
    data_type value;
    std::string_view name;
    int bits;
    bool floating;
};

constexpr std::array data_types = {
    data_type_row{onefold_data_type_undef, "undef", 0, false},
    data_type_row{onefold_f16, "f16", 16, true},
    data_type_row{onefold_bf16, "bf16", 16, true},
    data_type_row{onefold_f32, "f32", 32, true},
    data_type_row{onefold_s32, "s32", 32, false},
    data_type_row{onefold_s8, "s8", 8, false},
    data_type_row{onefold_u8, "u8", 8, false},
    data_type_row{onefold_f64, "f64", 64, true},
    data_type_row{onefold_boolean, "boolean", 8, false},
    data_type_row{onefold_f8_e5m2, "f8_e5m2", 8, true},
    data_type_row{onefold_f8_e4m3, "f8_e4m3", 8, true},
    data_type_row{onefold_s4, "s4", 4, false},
    data_type_row{onefold_u4, "u4", 4, false},
    data_type_row{onefold_s16, "s16", 16, false},
    data_type_row{onefold_u16, "u16", 16, false},
    data_type_row{onefold_u32, "u32", 32, false},
    data_type_row{onefold_s64, "s64", 64, false},
    data_type_row{onefold_u64, "u64", 64, false},
};

constexpr std::array layout_types = {
    named<layout_type>{onefold_layout_undef, "undef"},
    named<layout_type>{onefold_layout_any, "any"},
    named<layout_type>{onefold_layout_strided, "strided"},
    named<layout_type>{onefold_layout_opaque, "opaque"},
};

constexpr std::array property_types = {
    named<property_type>{onefold_property_undef, "undef"},
    named<property_type>{onefold_property_variable, "variable"},
    named<property_type>{onefold_property_constant, "constant"},
};

constexpr std::array fpmath_modes = {
    named<fpmath_mode>{onefold_fpmath_strict, "strict"}, named<fpmath_mode>{onefold_fpmath_bf16, "bf16"},
    named<fpmath_mode>{onefold_fpmath_f16, "f16"},       named<fpmath_mode>{onefold_fpmath_any, "any"},
    named<fpmath_mode>{onefold_fpmath_tf32, "tf32"},
};

constexpr std::array statuses = {
    named<status>{onefold_success, "success"},
    named<status>{onefold_out_of_memory, "out_of_memory"},
    named<status>{onefold_invalid_arguments, "invalid_arguments"},
    named<status>{onefold_unimplemented, "unimplemented"},
    named<status>{onefold_last_impl_reached, "last_impl_reached"},
    named<status>{onefold_runtime_error, "runtime_error"},
    named<status>{onefold_not_required, "not_required"},
    named<status>{onefold_invalid_graph, "invalid_graph"},
    named<status>{onefold_invalid_graph_op, "invalid_graph_op"},
    named<status>{onefold_invalid_shape, "invalid_shape"},
    named<status>{onefold_invalid_data_type, "invalid_data_type"},
};

constexpr std::array op_attrs = {
    named<op_attr>{onefold_op_attr_alpha, "alpha"},
    named<op_attr>{onefold_op_attr_beta, "beta"},
    named<op_attr>{onefold_op_attr_epsilon, "epsilon"},
    named<op_attr>{onefold_op_attr_max, "max"},
    named<op_attr>{onefold_op_attr_min, "min"},
    named<op_attr>{onefold_op_attr_momentum, "momentum"},
    named<op_attr>{onefold_op_attr_scales, "scales"},
    named<op_attr>{onefold_op_attr_axis, "axis"},
    named<op_attr>{onefold_op_attr_begin_norm_axis, "begin_norm_axis"},
    named<op_attr>{onefold_op_attr_groups, "groups"},
    named<op_attr>{onefold_op_attr_axes, "axes"},
    named<op_attr>{onefold_op_attr_dilations, "dilations"},
    named<op_attr>{onefold_op_attr_dst_shape, "dst_shape"},
    named<op_attr>{onefold_op_attr_kernel, "kernel"},
    named<op_attr>{onefold_op_attr_order, "order"},
    named<op_attr>{onefold_op_attr_output_padding, "output_padding"},
    named<op_attr>{onefold_op_attr_pads_begin, "pads_begin"},
    named<op_attr>{onefold_op_attr_pads_end, "pads_end"},
    named<op_attr>{onefold_op_attr_shape, "shape"},
    named<op_attr>{onefold_op_attr_sizes, "sizes"},
    named<op_attr>{onefold_op_attr_src_shape, "src_shape"},
    named<op_attr>{onefold_op_attr_strides, "strides"},
    named<op_attr>{onefold_op_attr_weights_shape, "weights_shape"},
    named<op_attr>{onefold_op_attr_zps, "zps"},
    named<op_attr>{onefold_op_attr_group_shape, "group_shape"},
    named<op_attr>{onefold_op_attr_exclude_pad, "exclude_pad"},
    named<op_attr>{onefold_op_attr_keep_dims, "keep_dims"},
    named<op_attr>{onefold_op_attr_keep_stats, "keep_stats"},
    named<op_attr>{onefold_op_attr_per_channel_broadcast, "per_channel_broadcast"},
    named<op_attr>{onefold_op_attr_special_zero, "special_zero"},
    named<op_attr>{onefold_op_attr_transpose_a, "transpose_a"},
    named<op_attr>{onefold_op_attr_transpose_b, "transpose_b"},
    named<op_attr>{onefold_op_attr_use_affine, "use_affine"},
    named<op_attr>{onefold_op_attr_use_dst, "use_dst"},
    named<op_attr>{onefold_op_attr_noop_with_empty_axes, "noop_with_empty_axes"},
    named<op_attr>{onefold_op_attr_auto_broadcast, "auto_broadcast"},
    named<op_attr>{onefold_op_attr_auto_pad, "auto_pad"},
    named<op_attr>{onefold_op_attr_coordinate_transformation_mode, "coordinate_transformation_mode"},
    named<op_attr>{onefold_op_attr_data_format, "data_format"},
    named<op_attr>{onefold_op_attr_mode, "mode"},
    named<op_attr>{onefold_op_attr_qtype, "qtype"},
    named<op_attr>{onefold_op_attr_rounding_type, "rounding_type"},
    named<op_attr>{onefold_op_attr_weights_format, "weights_format"},
};

template <typename Rows, typename Enum>
std::string_view find_name(const Rows &rows, Enum value) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto &r) { return r.value == value; });
    return row == rows.end() ? std::string_view{} : row->name;
}

template <typename Rows>
auto find_value(const Rows &rows, std::string_view name) -> std::optional<decltype(rows.front().value)> {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto &r) { return r.name == name; });
    if (row == rows.end()) return std::nullopt;
    return row->value;
}

const data_type_row *find_row(data_type type) {
    const auto row = std::find_if(data_types.begin(), data_types.end(), [&](const auto &r) { return r.value == type; });
    return row == data_types.end() ? nullptr : &*row;
}

} // namespace

std::string_view name_of(data_type type) { return find_name(data_types, type); }
std::string_view name_of(layout_type layout) { return find_name(layout_types, layout); }
std::string_view name_of(property_type property) { return find_name(property_types, property); }
std::string_view name_of(op_attr attr) { return find_name(op_attrs, attr); }
std::string_view name_of(status s) { return find_name(statuses, s); }
std::string_view name_of(fpmath_mode mode) { return find_name(fpmath_modes, mode); }

std::optional<data_type> data_type_from_name(std::string_view name) { return find_value(data_types, name); }
std::optional<layout_type> layout_type_from_name(std::string_view name) { return find_value(layout_types, name); }
std::optional<property_type> property_type_from_name(std::string_view name) { return find_value(property_types, name); }
std::optional<op_attr> op_attr_from_name(std::string_view name) { return find_value(op_attrs, name); }
std::optional<fpmath_mode> fpmath_mode_from_name(std::string_view name) { return find_value(fpmath_modes, name); }

int bits_of(data_type type) {
    const auto *row = find_row(type);
    return row ? row->bits : 0;
}

bool is_floating(data_type type) {
    const auto *row = find_row(type);
    return row && row->floating;
}

std::string to_string(const dims &d) {
    if (d.empty()) return "scalar";
    std::vector<std::string> parts;
    parts.reserve(d.size());
    for (const int64_t size : d)
        parts.push_back(size == unknown_dim ? "?" : std::to_string(size));
    return fmt::format("{}", fmt::join(parts, "x"));
}

dims row_major_strides(const dims &d) {
    dims strides(d.size(), 1);
    for (size_t i = d.size(); i-- > 1;)
        strides[i - 1] = strides[i] * std::max<int64_t>(d[i], 1);
    return strides;
}

} // namespace onefold::impl
