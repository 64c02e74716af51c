#include <array>

#include "graph/error.hpp"
#include "graph/op.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

struct unary_ports {
    std::array<port_schema, 1> src;
    std::array<port_schema, 1> dst;
};
constexpr unary_ports ports_of(type_set allowed) {
    return {{port_schema{"src", allowed, 'T'}}, {port_schema{"dst", allowed, 'T'}}};
}
constexpr unary_ports of_floats = ports_of(all_floats);
constexpr unary_ports of_numbers = ports_of(all_numbers);
constexpr unary_ports of_signed = ports_of(all_floats | signed_integers);
constexpr unary_ports of_anything = ports_of(numbers_and_boolean);

constexpr std::array src_0_src_1 = {port_schema{"src_0", all_numbers, 'T'}, port_schema{"src_1", all_numbers, 'T'}};
constexpr std::array dst_of_any_number = {port_schema{"dst", all_numbers, 'T'}};

// Multiply and Divide may mix small floats.
constexpr std::array mixed_src_0_src_1 = {port_schema{"src_0", all_numbers}, port_schema{"src_1", all_numbers}};
constexpr std::array mixed_dst = {port_schema{"dst", all_numbers}};

constexpr port_schema one(std::string_view name, type_set allowed) { return {name, allowed, 'T'}; }
constexpr port_schema any_count(std::string_view name, type_set allowed) { return {name, allowed, 'T', port_need::variadic}; }
constexpr std::array number_srcs = {one("src_0", all_numbers), any_count("src_i", all_numbers)};
constexpr std::array float_srcs = {one("src_0", all_floats), any_count("src_i", all_floats)};
constexpr std::array dst_of_any_float = {one("dst", all_floats)};

constexpr std::array<std::string_view, 2> broadcasts = {"none", "numpy"};
constexpr std::array auto_broadcast = {
    attribute_schema{onefold_op_attr_auto_broadcast, attribute_need::optional, std::string_view("numpy"), broadcasts}};

constexpr attribute_schema required(op_attr name) { return {name, attribute_need::required}; }

constexpr std::array alpha = {required(onefold_op_attr_alpha)};
constexpr std::array beta = {required(onefold_op_attr_beta)};
constexpr std::array alpha_beta = {required(onefold_op_attr_alpha), required(onefold_op_attr_beta)};
constexpr std::array min_max = {required(onefold_op_attr_min), required(onefold_op_attr_max)};
constexpr std::array beta_default_1 = {attribute_schema{onefold_op_attr_beta, attribute_need::optional, 1.0F}};
constexpr std::array<std::string_view, 2> gelu_modes = {"gelu_erf", "gelu_tanh"};
constexpr std::array gelu_mode = {
    attribute_schema{onefold_op_attr_mode, attribute_need::optional, std::string_view("gelu_erf"), gelu_modes}};

void check_mixed_types(const op &o) {
    const data_type a = o.inputs[0].type;
    const data_type b = o.inputs[1].type;
    const data_type c = o.outputs[0].type;
    if (a == b && b == c) return;
    if (contains(small_floats, a) && contains(small_floats, b) && contains(small_floats, c)) return;
    fail(onefold_invalid_graph_op,
         "{}: input src_0 has data type {}, src_1 {} and output dst {}; they must be the same unless all are among f32, bf16 "
         "and f16",
         to_string(o), name_of(a), name_of(b), name_of(c));
}

constexpr op_schema binary(op_kind kind, std::string_view name) {
    return {kind, name, op_family::binary, src_0_src_1, dst_of_any_number, auto_broadcast, one_output<infer_broadcast>};
}

constexpr op_schema mixed_binary(op_kind kind, std::string_view name) {
    return {kind,      name,           op_family::binary,           mixed_src_0_src_1,
            mixed_dst, auto_broadcast, one_output<infer_broadcast>, check_mixed_types};
}

constexpr op_schema nary(op_kind kind, std::string_view name) {
    return {kind, name, op_family::nary, number_srcs, dst_of_any_number, {}, one_output<infer_broadcast>};
}

constexpr op_schema unary(op_kind kind, std::string_view name, const unary_ports &p,
                          std::span<const attribute_schema> attributes = {}) {
    return {kind, name, op_family::unary, p.src, p.dst, attributes, one_output<infer_same>};
}

void check_type_cast(const op &o) {
    const data_type from = o.inputs[0].type;
    const data_type to = o.outputs[0].type;
    if (from == to) fail(onefold_invalid_graph_op, "{}: src and dst have the same type, {}", to_string(o), name_of(from));
}

constexpr std::array cast_src = {port_schema{"src", numbers_and_boolean}};
constexpr std::array cast_dst = {port_schema{"dst", numbers_and_boolean}};

constexpr std::array binary_rows = {
    binary(onefold_op_add, "Add"),
    mixed_binary(onefold_op_divide, "Divide"),
    binary(onefold_op_maximum, "Maximum"),
    binary(onefold_op_minimum, "Minimum"),
    mixed_binary(onefold_op_multiply, "Multiply"),
    binary(onefold_op_squared_difference, "SquaredDifference"),
    binary(onefold_op_subtract, "Subtract"),
};

constexpr std::array nary_rows = {
    nary(onefold_op_max, "Max"),
    op_schema{onefold_op_mean, "Mean", op_family::nary, float_srcs, dst_of_any_float, {}, one_output<infer_broadcast>},
    nary(onefold_op_min, "Min"),
    nary(onefold_op_sum, "Sum"),
};

constexpr std::array unary_rows = {
    unary(onefold_op_abs, "Abs", of_numbers),
    unary(onefold_op_clamp, "Clamp", of_numbers, min_max),
    unary(onefold_op_elu, "Elu", of_floats, alpha),
    unary(onefold_op_exp, "Exp", of_floats),
    unary(onefold_op_gelu, "GELU", of_floats, gelu_mode),
    unary(onefold_op_hard_sigmoid, "HardSigmoid", of_floats, alpha_beta),
    unary(onefold_op_hard_swish, "HardSwish", of_floats),
    unary(onefold_op_leaky_relu, "LeakyReLU", of_floats, alpha),
    unary(onefold_op_log, "Log", of_floats),
    unary(onefold_op_mish, "Mish", of_floats),
    unary(onefold_op_neg, "Neg", of_signed),
    unary(onefold_op_pow, "Pow", of_numbers, beta),
    unary(onefold_op_reciprocal, "Reciprocal", of_floats),
    unary(onefold_op_relu, "ReLU", of_numbers),
    unary(onefold_op_round, "Round", of_floats),
    unary(onefold_op_sigmoid, "Sigmoid", of_floats),
    unary(onefold_op_softplus, "SoftPlus", of_floats, beta_default_1),
    unary(onefold_op_sqrt, "Sqrt", of_floats),
    unary(onefold_op_square, "Square", of_numbers),
    unary(onefold_op_tanh, "Tanh", of_floats),
};

constexpr std::array conversion_rows = {
    op_schema{
        onefold_op_reorder, "Reorder", op_family::conversion, of_anything.src, of_anything.dst, {}, one_output<infer_same>},
    op_schema{onefold_op_type_cast,
              "TypeCast",
              op_family::conversion,
              cast_src,
              cast_dst,
              {},
              one_output<infer_same>,
              check_type_cast},
};

} // namespace

std::span<const op_schema> binary_schemas() { return binary_rows; }
std::span<const op_schema> nary_schemas() { return nary_rows; }
std::span<const op_schema> unary_schemas() { return unary_rows; }
std::span<const op_schema> conversion_schemas() { return conversion_rows; }

} // namespace onefold::impl
