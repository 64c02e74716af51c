// The table of ONNX ops. To add one: a row here, and a mapping only if it is not one to one.

#include "io/onnx/ops.hpp"

#include <algorithm>
#include <array>

namespace onefold::impl::io {

namespace {

constexpr int newest = newest_opset;

constexpr onnx_inputs none = {0, 0, 0};
constexpr onnx_inputs one = {1, 1, 1};
constexpr onnx_inputs two = {2, 2, 2};
constexpr onnx_inputs one_or_more = {1, any_input_count, any_input_count};
constexpr onnx_inputs three = {3, 3, 3};
constexpr onnx_inputs two_or_three = {2, 3, 3};
constexpr onnx_inputs up_to_three = {1, 3, 3};
constexpr onnx_inputs one_and_another = {2, 2, 1};
constexpr onnx_inputs one_and_maybe_another = {1, 2, 1};

constexpr type_set bf16 = types({onefold_bf16});
constexpr type_set floats = types({onefold_f16, onefold_f32, onefold_f64});
constexpr type_set small_signed = types({onefold_s8, onefold_s16});
constexpr type_set wide_signed = types({onefold_s32, onefold_s64});
constexpr type_set high_precision = floats | wide_signed | types({onefold_u32, onefold_u64});
constexpr type_set numbers = floats | all_integers;
constexpr type_set everything = ~type_set{0};

constexpr std::array float_types = {onnx_types{1, floats}, onnx_types{13, floats | bf16}};
constexpr std::array float_16_types = {onnx_types{1, floats}, onnx_types{16, floats | bf16}};
constexpr std::array float_22_types = {onnx_types{1, floats}, onnx_types{22, floats | bf16}};
constexpr std::array all_float_types = {onnx_types{1, floats | bf16}};
constexpr std::array abs_types = {onnx_types{1, floats}, onnx_types{6, numbers}, onnx_types{13, numbers | bf16}};
constexpr std::array neg_types = {onnx_types{1, floats}, onnx_types{6, floats | small_signed | wide_signed},
                                  onnx_types{13, floats | small_signed | wide_signed | bf16}};
constexpr std::array relu_types = {onnx_types{1, floats}, onnx_types{13, floats | bf16},
                                   onnx_types{14, floats | bf16 | small_signed | wide_signed}};
constexpr std::array binary_types = {onnx_types{1, floats}, onnx_types{6, high_precision},
                                     onnx_types{13, high_precision | bf16}, onnx_types{14, numbers | bf16}};
constexpr std::array pow_types = {onnx_types{1, floats}, onnx_types{12, floats | wide_signed},
                                  onnx_types{13, floats | wide_signed | bf16}};
constexpr std::array extreme_types = {onnx_types{1, floats}, onnx_types{12, numbers}, onnx_types{13, numbers | bf16}};
constexpr std::array reduce_types = {onnx_types{1, high_precision}, onnx_types{13, high_precision | bf16}};
constexpr std::array reduce_log_types = {onnx_types{1, high_precision}, onnx_types{13, high_precision | bf16},
                                         onnx_types{28, floats | bf16}};
constexpr type_set bytes = types({onefold_s8, onefold_u8});
constexpr std::array reduce_extreme_types = {onnx_types{1, high_precision}, onnx_types{12, high_precision | bytes},
                                             onnx_types{13, high_precision | bytes | bf16},
                                             onnx_types{20, high_precision | bytes | bf16 | types({onefold_boolean})}};
constexpr std::array all_types = {onnx_types{1, everything & ~bf16}, onnx_types{13, everything}};
constexpr std::array reshape_types = {onnx_types{1, floats}, onnx_types{5, everything & ~bf16}, onnx_types{13, everything}};
constexpr std::array flatten_types = {onnx_types{1, floats}, onnx_types{9, everything & ~bf16}, onnx_types{13, everything}};

// consumed_inputs was a hint; it says nothing about results.
constexpr onnx_attribute consumed = {"consumed_inputs", 1, 5};
constexpr std::array legacy = {consumed};
constexpr std::array broadcast = {onnx_attribute{"axis"}, onnx_attribute{"broadcast"}};
constexpr std::array legacy_broadcast = {onnx_attribute{"axis"}, onnx_attribute{"broadcast"}, consumed};
constexpr std::array alpha_0_01 = {onnx_attribute{"alpha", 1, newest, onefold_op_attr_alpha, 0.01F}, consumed};
constexpr std::array alpha_1 = {onnx_attribute{"alpha", 1, newest, onefold_op_attr_alpha, 1.0F}, consumed};
constexpr std::array alpha_beta = {onnx_attribute{"alpha", 1, newest, onefold_op_attr_alpha, 0.2F},
                                   onnx_attribute{"beta", 1, newest, onefold_op_attr_beta, 0.5F}, consumed};
constexpr std::array approximate = {onnx_attribute{"approximate"}};
constexpr std::array min_max = {onnx_attribute{"min"}, onnx_attribute{"max"}, consumed};
constexpr std::array cast_attributes = {onnx_attribute{"to"}, onnx_attribute{"saturate", 19}, onnx_attribute{"round_mode", 24}};
constexpr std::array constant_attributes = {onnx_attribute{"value"},
                                            onnx_attribute{"sparse_value", 11},
                                            onnx_attribute{"value_float", 12},
                                            onnx_attribute{"value_int", 12},
                                            onnx_attribute{"value_floats", 12},
                                            onnx_attribute{"value_ints", 12},
                                            onnx_attribute{"value_string", 12},
                                            onnx_attribute{"value_strings", 12}};
constexpr std::array shape = {onnx_attribute{"shape"}, consumed};
constexpr std::array allowzero = {onnx_attribute{"allowzero", 14}};
constexpr std::array axes = {onnx_attribute{"axes"}};
constexpr std::array axis = {onnx_attribute{"axis"}};
constexpr std::array axes_and_keepdims = {onnx_attribute{"axes"}, onnx_attribute{"keepdims"}};
constexpr std::array epsilon = {onnx_attribute{"epsilon"}, consumed};
constexpr std::array axis_and_p = {onnx_attribute{"axis"}, onnx_attribute{"p"}};
constexpr std::array axis_and_epsilon = {onnx_attribute{"axis"}, onnx_attribute{"epsilon"}, onnx_attribute{"stash_type"}};
constexpr std::array keepdims_and_noop = {onnx_attribute{"keepdims"}, onnx_attribute{"noop_with_empty_axes"}};

constexpr onnx_op unary(std::string_view name, int since, std::string_view kind, std::span<const onnx_types> allowed,
                        std::span<const onnx_attribute> attributes = legacy) {
    return {name, since, newest, kind, map_elementwise, one, allowed, attributes};
}

constexpr onnx_op legacy_binary(std::string_view name, std::string_view kind) {
    return {name, 1, 6, kind, map_one_way_broadcast, two, binary_types, legacy_broadcast};
}

constexpr onnx_op binary(std::string_view name, std::string_view kind) {
    return {name, 7, newest, kind, map_elementwise, two, binary_types};
}

constexpr onnx_op legacy_nary(std::string_view name, std::span<const onnx_types> allowed) {
    return {name, 1, 7, name, map_equal_shapes, one_or_more, allowed, legacy};
}

constexpr onnx_op nary(std::string_view name, std::span<const onnx_types> allowed) {
    return {name, 8, newest, name, map_elementwise, one_or_more, allowed};
}

/// A reduction up to the version before `change`, in which axes became an input.
constexpr onnx_op legacy_reduction(std::string_view name, int change = 18, std::span<const onnx_types> allowed = reduce_types) {
    return {name, 1, change - 1, name, map_reduction, one, allowed, axes_and_keepdims};
}

constexpr onnx_op reduction(std::string_view name, int change = 18, std::span<const onnx_types> allowed = reduce_types) {
    return {name, change, newest, name, map_reduction, one_and_maybe_another, allowed, keepdims_and_noop};
}

constexpr std::array rows = {
    unary("Abs", 1, "Abs", abs_types),
    unary("Elu", 1, "Elu", float_22_types, alpha_1),
    unary("Exp", 1, "Exp", float_types),
    unary("HardSigmoid", 1, "HardSigmoid", float_22_types, alpha_beta),
    unary("HardSwish", 14, "HardSwish", float_22_types),
    unary("LeakyRelu", 1, "LeakyReLU", float_16_types, alpha_0_01),
    unary("Log", 1, "Log", float_types),
    unary("Mish", 18, "Mish", float_22_types),
    unary("Neg", 1, "Neg", neg_types),
    unary("Reciprocal", 1, "Reciprocal", float_types),
    unary("Relu", 1, "ReLU", relu_types),
    unary("Round", 11, "Round", float_22_types),
    unary("Sigmoid", 1, "Sigmoid", float_types),
    unary("Softplus", 1, "SoftPlus", float_22_types, {}),
    unary("Sqrt", 1, "Sqrt", float_types),
    unary("Tanh", 1, "Tanh", float_types),
    onnx_op{"Gelu", 20, newest, "GELU", map_gelu, one, all_float_types, approximate},
    onnx_op{"Clip", 1, 10, "Clamp", map_clip_attributes, one, extreme_types, min_max},
    onnx_op{"Clip", 11, newest, "Clamp", map_clip_inputs, up_to_three, extreme_types},
    onnx_op{"Cast", 1, newest, "TypeCast", map_cast, one, all_types, cast_attributes},

    legacy_binary("Add", "Add"),
    binary("Add", "Add"),
    legacy_binary("Div", "Divide"),
    binary("Div", "Divide"),
    legacy_binary("Mul", "Multiply"),
    binary("Mul", "Multiply"),
    legacy_binary("Sub", "Subtract"),
    binary("Sub", "Subtract"),
    onnx_op{"Pow", 1, 6, "Pow", map_pow, two, pow_types, broadcast},
    onnx_op{"Pow", 7, 11, "Pow", map_pow, two, pow_types},
    onnx_op{"Pow", 12, newest, "Pow", map_pow, one_and_another, pow_types},

    legacy_nary("Max", extreme_types),
    nary("Max", extreme_types),
    legacy_nary("Mean", float_types),
    nary("Mean", float_types),
    legacy_nary("Min", extreme_types),
    nary("Min", extreme_types),
    legacy_nary("Sum", float_types),
    nary("Sum", float_types),

    legacy_reduction("ReduceL1"),
    reduction("ReduceL1"),
    legacy_reduction("ReduceL2"),
    reduction("ReduceL2"),
    legacy_reduction("ReduceLogSum", 18, reduce_log_types),
    reduction("ReduceLogSum", 18, reduce_log_types),
    legacy_reduction("ReduceLogSumExp", 18, reduce_log_types),
    reduction("ReduceLogSumExp", 18, reduce_log_types),
    legacy_reduction("ReduceMax", 18, reduce_extreme_types),
    reduction("ReduceMax", 18, reduce_extreme_types),
    legacy_reduction("ReduceMean"),
    reduction("ReduceMean"),
    legacy_reduction("ReduceMin", 18, reduce_extreme_types),
    reduction("ReduceMin", 18, reduce_extreme_types),
    legacy_reduction("ReduceProd"),
    reduction("ReduceProd"),
    legacy_reduction("ReduceSum", 13),
    reduction("ReduceSum", 13),
    legacy_reduction("ReduceSumSquare"),
    reduction("ReduceSumSquare"),

    onnx_op{"InstanceNormalization", 1, newest, "", map_instance_normalization, three, float_22_types, epsilon},
    onnx_op{"LayerNormalization", 17, newest, "LayerNorm", map_layer_normalization, two_or_three, all_float_types,
            axis_and_epsilon, 3},
    onnx_op{"LogSoftmax", 1, newest, "LogSoftmax", map_softmax, one, float_types, axis},
    onnx_op{"LpNormalization", 1, newest, "", map_lp_normalization, one, float_22_types, axis_and_p},
    onnx_op{"MeanVarianceNormalization", 9, newest, "", map_mean_variance_normalization, one, float_types, axes},
    onnx_op{"RMSNormalization", 23, newest, "RMSNorm", map_rms_normalization, one_and_another, all_float_types,
            axis_and_epsilon},
    onnx_op{"Softmax", 1, newest, "SoftMax", map_softmax, one, float_types, axis},

    onnx_op{"Constant", 1, newest, "", map_constant, none, all_types, constant_attributes},
    onnx_op{"Flatten", 1, newest, "", map_flatten, one, flatten_types, axis},
    onnx_op{"Identity", 1, newest, "", map_identity, one, all_types},
    onnx_op{"Reshape", 1, 4, "", map_reshape, one, reshape_types, shape},
    onnx_op{"Reshape", 5, newest, "", map_reshape, one_and_another, reshape_types, allowzero},
    onnx_op{"Squeeze", 1, 12, "", map_squeeze, one, all_types, axes},
    onnx_op{"Squeeze", 13, newest, "", map_squeeze, one_and_maybe_another, all_types},
    onnx_op{"Unsqueeze", 1, 12, "", map_unsqueeze, one, all_types, axes},
    onnx_op{"Unsqueeze", 13, newest, "", map_unsqueeze, one_and_another, all_types},
};

} // namespace

std::span<const onnx_op> onnx_ops() { return rows; }

const onnx_op *find_onnx_op(std::string_view name, int opset) {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const onnx_op &r) { return r.name == name && r.since <= opset && opset <= r.until; });
    return row == rows.end() ? nullptr : &*row;
}

const onnx_op *find_onnx_op(std::string_view name) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const onnx_op &r) { return r.name == name; });
    return row == rows.end() ? nullptr : &*row;
}

} // namespace onefold::impl::io
