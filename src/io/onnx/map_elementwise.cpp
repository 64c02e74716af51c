#include <array>
#include <cmath>
#include <limits>

#include "io/json.hpp"
#include "io/onnx/builder.hpp"

namespace onefold::impl::io {

namespace {

std::vector<logical_tensor> srcs_of(const graph_builder &b, const onnx_node &n) {
    std::vector<logical_tensor> srcs;
    for (size_t i = 0; i < n.inputs().size(); ++i) {
        if (!n.has_input(i)) n.reject("input {} is left out, but required", i);
        srcs.push_back(b.src(n, i));
    }
    return srcs;
}

void add_one_to_one(graph_builder &b, const onnx_node &n, std::vector<logical_tensor> srcs) {
    attribute_map attributes;
    for (const onnx_attribute &row : n.row()->attributes)
        if (row.passed_as != onefold_op_attr_undef) attributes.emplace(row.passed_as, n.real(row.name, row.fallback));
    b.define(n.dst(), b.add(n, n.row()->kind, std::move(srcs), std::move(attributes)));
}

/// False only where both shapes are known well enough to see that they differ.
bool may_be_equal(const logical_tensor &a, const logical_tensor &b) {
    if (a.ndims == unknown_ndims || b.ndims == unknown_ndims) return true;
    if (a.dims.size() != b.dims.size()) return false;
    for (size_t d = 0; d < a.dims.size(); ++d)
        if (a.dims[d] != b.dims[d] && a.dims[d] != unknown_dim && b.dims[d] != unknown_dim) return false;
    return true;
}

/// Before opset 7: src 1 matches a run of src 0's dims that begins at attribute axis, or ends with src 0's last. The dims that
/// src 1 needs for NumPy's rule to mean the same.
dims dims_for_one_way_broadcast(const onnx_node &n, const logical_tensor &a, const logical_tensor &b) {
    if (!a.has_known_dims() || !b.has_known_dims()) throw not_supported("broadcasting of this version needs known shapes");
    const auto rank_a = static_cast<int64_t>(a.dims.size()), rank_b = static_cast<int64_t>(b.dims.size());
    if (rank_b <= rank_a && element_count(b.dims) == 1) return b.dims;
    const int64_t axis = n.integer("axis", rank_a - rank_b);
    if (rank_b > rank_a || axis < 0 || axis > rank_a - rank_b ||
        !std::equal(b.dims.begin(), b.dims.end(), a.dims.begin() + axis))
        n.reject("input 1 {} does not match the dims of input 0 {} from axis {} on; before opset 7 it must", to_string(b.dims),
                 to_string(a.dims), axis);
    dims widened = b.dims;
    widened.resize(static_cast<size_t>(rank_a - axis), 1);
    return widened;
}

void check_same_shape(const onnx_node &n, const logical_tensor &a, const logical_tensor &b, size_t i, std::string_view rule) {
    if (!may_be_equal(a, b))
        n.reject("input 0 {} and input {} {} differ in shape; {}", to_string(a.dims), i, to_string(b.dims), rule);
}

constexpr std::string_view no_broadcast = "before opset 7 they must be equal unless attribute broadcast is 1";

/// A bound of Clip as an attribute, where it is a constant that an f32 holds. A NaN is not: it makes everything a NaN.
std::optional<float> bound(const graph_builder &b, const onnx_node &n, size_t i) {
    const onnx_array *array = b.constant(n, i);
    const std::optional<double> value = array ? scalar_of(*array) : std::nullopt;
    // Beyond 2^53 a double may not be what the integer was.
    constexpr double exact = 0x1p53;
    if (!value || (!is_floating(array->type) && std::abs(*value) > exact)) return std::nullopt;
    const auto rounded = static_cast<float>(*value);
    return static_cast<double>(rounded) == *value ? std::optional(rounded) : std::nullopt;
}

/// A bound of Clip as an operand that is broadcast to src.
logical_tensor bound_tensor(const graph_builder &b, const onnx_node &n, size_t i) {
    const logical_tensor &given = b.src(n, i);
    const bool fits = given.ndims == 0 || (given.ndims == 1 && b.src(n, 0).ndims > 0 && given.dims[0] == 1);
    if (given.ndims == unknown_ndims) throw not_supported("the rank of a bound is not known");
    if (!fits) n.reject("input {} has the dims {}; a bound must be a scalar", i, to_string(given.dims));
    return given;
}

double scalar(const graph_builder &b, const onnx_node &n, size_t i, std::string_view what) {
    const onnx_array *array = b.constant(n, i);
    const std::optional<double> value = array ? scalar_of(*array) : std::nullopt;
    if (!value) throw not_supported(fmt::format("the {} is not a constant of one element", what));
    return *value;
}

} // namespace

void map_elementwise(graph_builder &b, const onnx_node &n) { add_one_to_one(b, n, srcs_of(b, n)); }

void map_equal_shapes(graph_builder &b, const onnx_node &n) {
    const std::vector<logical_tensor> srcs = srcs_of(b, n);
    for (size_t i = 1; i < srcs.size(); ++i)
        check_same_shape(n, srcs[0], srcs[i], i, "before opset 8 they must be equal");
    add_one_to_one(b, n, srcs);
}

void map_one_way_broadcast(graph_builder &b, const onnx_node &n) {
    std::vector<logical_tensor> srcs = srcs_of(b, n);
    if (n.integer("broadcast", 0) == 0) {
        check_same_shape(n, srcs[0], srcs[1], 1, no_broadcast);
    } else if (const dims widened = dims_for_one_way_broadcast(n, srcs[0], srcs[1]); widened != srcs[1].dims) {
        srcs[1] = b.add_view(fmt::format("broadcast of \"{}\"", printable(n.inputs()[1])), srcs[1], widened);
    }
    add_one_to_one(b, n, std::move(srcs));
}

void map_gelu(graph_builder &b, const onnx_node &n) {
    const std::string approximate = n.string("approximate", "none");
    if (approximate != "none" && approximate != "tanh")
        n.reject("attribute approximate is \"{}\", not none or tanh", printable(approximate));
    const std::string mode = approximate == "tanh" ? "gelu_tanh" : "gelu_erf";
    b.define(n.dst(), b.add(n, n.row()->kind, {b.src(n, 0)}, {{onefold_op_attr_mode, mode}}));
}

void map_pow(graph_builder &b, const onnx_node &n) {
    const logical_tensor base = b.src(n, 0), exponent = b.src(n, 1);
    if (n.opset() < 7 && n.integer("broadcast", 0) == 0) check_same_shape(n, base, exponent, 1, no_broadcast);
    const double exponent_value = scalar(b, n, 1, "exponent");
    const auto beta = static_cast<float>(exponent_value);
    if (base.type == onefold_f64 && static_cast<double>(beta) != exponent_value)
        throw not_supported("the exponent of f64 is no f32, which the op's attribute is");
    if (base.ndims == unknown_ndims || exponent.dims.size() > base.dims.size())
        throw not_supported("the exponent's rank is not known to be at most the base's");
    b.define(n.dst(), b.add(n, n.row()->kind, {base}, {{onefold_op_attr_beta, beta}}));
}

void map_clip_attributes(graph_builder &b, const onnx_node &n) {
    constexpr float highest = std::numeric_limits<float>::max();
    b.define(n.dst(), b.add(n, n.row()->kind, {b.src(n, 0)},
                            {{onefold_op_attr_min, n.real("min", -highest)}, {onefold_op_attr_max, n.real("max", highest)}}));
}

void map_clip_inputs(graph_builder &b, const onnx_node &n) {
    logical_tensor src = b.src(n, 0);
    if (!n.has_input(1) && !n.has_input(2)) return b.define(n.dst(), src);
    const std::optional<float> min = n.has_input(1) ? bound(b, n, 1) : -std::numeric_limits<float>::infinity();
    const std::optional<float> max = n.has_input(2) ? bound(b, n, 2) : std::numeric_limits<float>::infinity();
    if (min && max)
        return b.define(n.dst(), b.add(n, n.row()->kind, {src}, {{onefold_op_attr_min, *min}, {onefold_op_attr_max, *max}}));
    // ONNX's own definition, of bounds that are known at run time only, or that no attribute holds.
    if (n.has_input(1)) src = b.add(n, "Maximum", {src, bound_tensor(b, n, 1)});
    if (n.has_input(2)) src = b.add(n, "Minimum", {src, bound_tensor(b, n, 2)});
    b.define(n.dst(), src);
}

void map_cast(graph_builder &b, const onnx_node &n) {
    if (!n.has_attribute("to")) n.reject("attribute to is missing");
    const std::optional<int64_t> number = n.opset() < 6 ? onnx_type_by_name(n.string("to", "")) : n.integer("to", 0);
    if (!number) n.reject("attribute to is \"{}\", not the name of a type", printable(n.string("to", "")));
    const data_type to = type_from_onnx(*number);
    if (to == onefold_data_type_undef) throw not_supported(fmt::format("onefold has no type for ONNX's type {}", *number));
    const logical_tensor &src = b.src(n, 0);
    if (to == src.type) return b.define(n.dst(), src);
    b.define(n.dst(), b.add(n, n.row()->kind, {src}, {}, to));
}

} // namespace onefold::impl::io
