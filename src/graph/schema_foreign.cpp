// The ops of the Graph specification that onefold does not compile: it validates them and hands them back in unsupported
// partitions. To add one, add a row at the end; lists of ports and attributes that several ops share have one name.
#include <array>
#include <tuple>

#include "graph/schema_foreign_checks.hpp"

namespace onefold::impl {

namespace {

using enum port_need;

constexpr type_set floats = types({onefold_f32, onefold_bf16, onefold_f16});
constexpr type_set bytes = types({onefold_u8, onefold_s8});
constexpr type_set quantized = bytes | types({onefold_f8_e5m2, onefold_f8_e4m3});
constexpr type_set only_f32 = types({onefold_f32});
constexpr type_set only_s32 = types({onefold_s32});
constexpr type_set only_boolean = types({onefold_boolean});

/// Lists of ports or attributes, one after the other.
template <typename... Lists>
constexpr auto join(const Lists &...lists) {
    return std::apply([](const auto &...rows) { return std::array{rows...}; }, std::tuple_cat(lists...));
}

// Ports.

/// A float tensor; all of an op's have one type.
constexpr port_schema data(std::string_view name, port_need need = required) { return {name, floats, 'T', need}; }

template <typename... Names>
constexpr auto data_ports(Names... names) {
    return std::array{data(names)...};
}

/// A tensor of values per channel; all of an op's have one type, which may be wider than src's.
constexpr port_schema statistics(std::string_view name, port_need need = required) {
    return {name, types({onefold_f32, onefold_bf16}), statistics_variable, need};
}

/// A shape as a tensor instead of an attribute.
constexpr port_schema shape(std::string_view name) { return {name, only_s32, 0, optional}; }

constexpr auto src = data_ports("src");
constexpr auto dst = data_ports("dst");
constexpr auto diff_src = data_ports("diff_src");
constexpr auto diff_dst = data_ports("diff_dst");
constexpr auto src_diff_dst = data_ports("src", "diff_dst");
constexpr auto src_or_dst_diff_dst = data_ports("src/dst", "diff_dst"); // attribute use_dst says which
constexpr auto diff_dst_dst = data_ports("diff_dst", "dst");
constexpr auto diff_dst_weights = data_ports("diff_dst", "weights");
constexpr auto src_bias = data_ports("src", "bias");
constexpr auto src_slope = data_ports("src", "slope");
constexpr auto src_slope_diff_dst = data_ports("src", "slope", "diff_dst");
constexpr auto diff_src_diff_slope = data_ports("diff_src", "diff_slope");
constexpr auto diff_bias = data_ports("diff_bias");
constexpr auto diff_weights = data_ports("diff_weights");
constexpr std::array concat_inputs = {data("src_0"), data("src_i", variadic)};
constexpr std::array src_weights_bias = {data("src"), data("weights"), data("bias", optional)};

constexpr auto diff_dst_weights_dst_shape = join(diff_dst_weights, std::array{shape("dst_shape")});
constexpr auto src_diff_dst_weights_shape = join(src_diff_dst, std::array{shape("weights_shape")});
constexpr auto diff_dst_src_shape = join(diff_dst, std::array{shape("src_shape")});
constexpr auto src_sizes = join(src, std::array{shape("sizes")});
constexpr auto src_diff_dst_sizes = join(src_diff_dst, std::array{shape("sizes")});

constexpr std::array norm_inputs = {data("src"), statistics("gamma", optional), statistics("beta", optional)};
constexpr std::array norm_outputs = {data("dst"), statistics("mean", optional), statistics("variance", optional)};
constexpr std::array norm_backward_outputs = {data("diff_src"), statistics("diff_gamma", optional),
                                              statistics("diff_beta", optional)};
constexpr std::array batch_norm_backward_inputs = {data("src"), data("diff_dst"), statistics("mean"), statistics("variance"),
                                                   statistics("gamma", optional)};
constexpr auto layer_norm_backward_inputs = join(batch_norm_backward_inputs, std::array{statistics("beta", optional)});
constexpr std::array batch_norm_inputs = {data("src"), statistics("gamma"), statistics("beta"), statistics("mean"),
                                          statistics("variance")};
constexpr std::array batch_norm_training_inputs = {data("src"), statistics("mean"), statistics("variance"),
                                                   statistics("gamma", optional), statistics("beta", optional)};
constexpr std::array batch_norm_training_outputs = {data("dst"), statistics("running_mean"), statistics("running_variance"),
                                                    statistics("batch_mean"), statistics("batch_variance")};

constexpr std::array s32_dst = {port_schema{"dst", only_s32}};
constexpr std::array boolean_dst = {port_schema{"dst", only_boolean}};
constexpr std::array select_inputs = {port_schema{"cond", only_boolean}, data("src_0"), data("src_1")};
constexpr std::array compared = {port_schema{"src_0", floats | only_s32, 'T'}, port_schema{"src_1", floats | only_s32, 'T'}};

constexpr std::array f32_src = {port_schema{"src", only_f32}};
constexpr std::array f32_dst = {port_schema{"dst", only_f32}};
constexpr std::array quantized_src = {port_schema{"src", quantized}};
constexpr std::array quantized_dst = {port_schema{"dst", quantized}};
constexpr std::array bytes_dst = {port_schema{"dst", bytes}};
constexpr std::array dynamic_quantize_inputs = {port_schema{"src", only_f32}, port_schema{"scales", only_f32},
                                                port_schema{"zps", bytes | only_s32, 0, optional}};
constexpr type_set small_integers = bytes | types({onefold_s4, onefold_u4});
constexpr std::array dynamic_dequantize_inputs = {port_schema{"src", small_integers}, data("scales"),
                                                  port_schema{"zps", small_integers | only_s32, 0, optional}};

// Attributes.

template <size_t size>
using strings = std::array<std::string_view, size>;

constexpr attribute_schema must(op_attr name) { return {name, attribute_need::required}; }
constexpr attribute_schema may(op_attr name, default_value value = {}) { return {name, attribute_need::optional, value}; }
constexpr attribute_schema choice(op_attr name, std::span<const std::string_view> allowed) {
    return {name, attribute_need::optional, allowed[0], allowed}; // the first is the default
}

constexpr strings<2> data_formats = {"NXC", "NCX"};
constexpr strings<2> weights_formats = {"XIO", "OIX"};
constexpr strings<2> transposed_weights_formats = {"XOI", "IOX"};
constexpr strings<4> auto_pads = {"None", "SAME_UPPER", "SAME_LOWER", "VALID"};
constexpr strings<2> rounding_types = {"floor", "ceil"};
constexpr strings<2> broadcasts = {"numpy", "none"};
constexpr strings<4> interpolations = {"nearest", "linear", "bilinear", "trilinear"};
constexpr strings<2> coordinate_transformations = {"half_pixel", "align_corners"};
constexpr strings<3> quantization_types = {"per_tensor", "per_channel", "per_group"};
constexpr strings<2> gelu_modes = {"gelu_erf", "gelu_tanh"};

constexpr std::array data_format = {choice(onefold_op_attr_data_format, data_formats)};
constexpr std::array auto_broadcast = {choice(onefold_op_attr_auto_broadcast, broadcasts)};
constexpr std::array gelu_mode = {choice(onefold_op_attr_mode, gelu_modes)};
constexpr std::array axis = {must(onefold_op_attr_axis)};
constexpr std::array axis_default_1 = {may(onefold_op_attr_axis, int64_t{1})};
constexpr std::array axis_default_last = {may(onefold_op_attr_axis, int64_t{-1})};
constexpr std::array use_dst = {may(onefold_op_attr_use_dst, true)};
constexpr std::array elu_backward_attributes = {must(onefold_op_attr_alpha), may(onefold_op_attr_use_dst, true)};
constexpr std::array clamp_backward_attributes = {must(onefold_op_attr_min), must(onefold_op_attr_max),
                                                  may(onefold_op_attr_use_dst, true)};
constexpr std::array alpha_beta = {must(onefold_op_attr_alpha), must(onefold_op_attr_beta)};
constexpr std::array beta_default_1 = {may(onefold_op_attr_beta, 1.0F)};
constexpr std::array transposes = {may(onefold_op_attr_transpose_a, false), may(onefold_op_attr_transpose_b, false)};
constexpr std::array reshape_attributes = {must(onefold_op_attr_shape), must(onefold_op_attr_special_zero)};
constexpr std::array transpose_attributes = {must(onefold_op_attr_order)};
constexpr std::array prelu_attributes = {data_format[0], may(onefold_op_attr_per_channel_broadcast, true)};
constexpr std::array dst_shape = {may(onefold_op_attr_dst_shape)};
constexpr std::array weights_shape = {may(onefold_op_attr_weights_shape)};
constexpr std::array output_padding = {may(onefold_op_attr_output_padding)};

/// Convolutions and pools slide a window.
constexpr std::array window_attributes = {must(onefold_op_attr_strides), must(onefold_op_attr_pads_begin),
                                          must(onefold_op_attr_pads_end), choice(onefold_op_attr_auto_pad, auto_pads),
                                          data_format[0]};
constexpr auto convolution_core =
    join(window_attributes, std::array{must(onefold_op_attr_dilations), may(onefold_op_attr_groups, int64_t{1})});
constexpr auto convolution_attributes =
    join(convolution_core, std::array{choice(onefold_op_attr_weights_format, weights_formats)});
constexpr auto convolution_backward_data_attributes = join(convolution_attributes, output_padding, dst_shape);
constexpr auto convolution_backward_weights_attributes = join(convolution_attributes, weights_shape);
constexpr auto conv_transpose_attributes =
    join(convolution_core, std::array{choice(onefold_op_attr_weights_format, transposed_weights_formats)}, output_padding);
constexpr auto conv_transpose_backward_weights_attributes = join(conv_transpose_attributes, weights_shape);

constexpr auto pool_core = join(window_attributes, std::array{must(onefold_op_attr_kernel)});
constexpr std::array rounding_type = {choice(onefold_op_attr_rounding_type, rounding_types)};
constexpr auto avg_pool_core = join(pool_core, std::array{must(onefold_op_attr_exclude_pad)});
constexpr auto avg_pool_attributes = join(avg_pool_core, rounding_type);
constexpr auto avg_pool_backward_attributes = join(avg_pool_core, std::array{may(onefold_op_attr_src_shape)});
constexpr auto max_pool_backward_attributes = join(pool_core, std::array{may(onefold_op_attr_dilations)});
constexpr auto max_pool_attributes = join(max_pool_backward_attributes, rounding_type);

constexpr std::array batch_norm_attributes = {must(onefold_op_attr_epsilon), data_format[0]};
constexpr auto batch_norm_training_attributes = join(batch_norm_attributes, std::array{may(onefold_op_attr_momentum)});
constexpr std::array norm_core = {may(onefold_op_attr_use_affine, true), may(onefold_op_attr_epsilon, 1e-5F)};
constexpr std::array keep_stats = {may(onefold_op_attr_keep_stats, true)};
constexpr auto group_norm_attributes = join(norm_core, keep_stats, data_format, std::array{must(onefold_op_attr_groups)});
constexpr auto layer_norm_backward_attributes = join(norm_core, std::array{may(onefold_op_attr_begin_norm_axis, int64_t{-1})});

constexpr std::array interpolate_attributes = {
    attribute_schema{onefold_op_attr_mode, attribute_need::required, {}, interpolations},
    may(onefold_op_attr_sizes),
    may(onefold_op_attr_scales),
    choice(onefold_op_attr_coordinate_transformation_mode, coordinate_transformations),
    data_format[0],
};

// Only DynamicDequantize knows groups.
constexpr std::array channel_quantization = {choice(onefold_op_attr_qtype, std::span(quantization_types).first<2>()),
                                             axis_default_1[0]};
constexpr auto static_quantization_attributes =
    join(channel_quantization, std::array{must(onefold_op_attr_scales), may(onefold_op_attr_zps)});
constexpr std::array group_quantization = {choice(onefold_op_attr_qtype, quantization_types), axis_default_1[0],
                                           may(onefold_op_attr_group_shape)};

// The table.

using inputs = std::span<const port_schema>;
using outputs = std::span<const port_schema>;
using attributes = std::span<const attribute_schema>;
using check = void (*)(const op &);

constexpr op_schema row(op_kind kind, std::string_view name, inputs in, outputs out, attributes attrs = {}, check c = nullptr) {
    return {kind, name, op_family::foreign, in, out, attrs, nullptr, c};
}

constexpr check check_norm =
    check_all<check_optional_inputs_together, check_optional_outputs_together, check_kept_statistics, check_statistics_type>;
constexpr check check_norm_backward = check_all<check_optional_outputs_together, check_affine_gradients, check_statistics_type>;
constexpr check check_max_pool = check_all<check_pads, check_dilations>;

// clang-format off
constexpr std::array rows = {
    // convolution and matrix multiplication
    row(onefold_op_convolution, "Convolution", src_weights_bias, dst, convolution_attributes, check_pads),
    row(onefold_op_convolution_backward_data, "ConvolutionBackwardData", diff_dst_weights_dst_shape, diff_src,
        convolution_backward_data_attributes, check_pads),
    row(onefold_op_convolution_backward_weights, "ConvolutionBackwardWeights", src_diff_dst_weights_shape, diff_weights,
        convolution_backward_weights_attributes, check_pads),
    row(onefold_op_conv_transpose, "ConvTranspose", src_weights_bias, dst, conv_transpose_attributes, check_pads),
    row(onefold_op_conv_transpose_backward_data, "ConvTransposeBackwardData", diff_dst_weights, diff_src,
        conv_transpose_attributes, check_pads),
    row(onefold_op_conv_transpose_backward_weights, "ConvTransposeBackwardWeights", src_diff_dst_weights_shape, diff_weights,
        conv_transpose_backward_weights_attributes, check_pads),
    row(onefold_op_matmul, "MatMul", src_weights_bias, dst, transposes),
    row(onefold_op_bias_add, "BiasAdd", src_bias, dst, data_format),
    row(onefold_op_bias_add_backward, "BiasAddBackward", diff_dst, diff_bias, data_format),

    // pooling and interpolation
    row(onefold_op_avg_pool, "AvgPool", src, dst, avg_pool_attributes, check_pads),
    row(onefold_op_avg_pool_backward, "AvgPoolBackward", diff_dst_src_shape, diff_src, avg_pool_backward_attributes,
        check_pads),
    row(onefold_op_max_pool, "MaxPool", src, dst, max_pool_attributes, check_max_pool),
    row(onefold_op_max_pool_backward, "MaxPoolBackward", src_diff_dst, diff_src, max_pool_backward_attributes, check_max_pool),
    row(onefold_op_interpolate, "Interpolate", src_sizes, dst, interpolate_attributes, check_sizes_or_scales),
    row(onefold_op_interpolate_backward, "InterpolateBackward", src_diff_dst_sizes, diff_src, interpolate_attributes,
        check_sizes_or_scales),

    // normalization
    row(onefold_op_batch_norm_inference, "BatchNormInference", batch_norm_inputs, dst, batch_norm_attributes,
        check_statistics_type),
    row(onefold_op_batch_norm_forward_training, "BatchNormForwardTraining", batch_norm_training_inputs,
        batch_norm_training_outputs, batch_norm_training_attributes, check_statistics_type),
    row(onefold_op_batch_norm_backward, "BatchNormTrainingBackward", batch_norm_backward_inputs, norm_backward_outputs,
        batch_norm_attributes, check_statistics_type),
    row(onefold_op_group_norm, "GroupNorm", norm_inputs, norm_outputs, group_norm_attributes, check_norm),
    row(onefold_op_layer_norm_backward, "LayerNormBackward", layer_norm_backward_inputs, norm_backward_outputs,
        layer_norm_backward_attributes, check_norm_backward),
    row(onefold_op_softmax_backward, "SoftMaxBackward", diff_dst_dst, diff_src, axis_default_1),
    row(onefold_op_log_softmax_backward, "LogSoftmaxBackward", diff_dst_dst, diff_src, axis_default_last),

    // gradients of element-wise ops
    row(onefold_op_abs_backward, "AbsBackward", src_diff_dst, diff_src),
    row(onefold_op_clamp_backward, "ClampBackward", src_or_dst_diff_dst, diff_src, clamp_backward_attributes),
    row(onefold_op_elu_backward, "EluBackward", src_or_dst_diff_dst, diff_src, elu_backward_attributes),
    row(onefold_op_gelu_backward, "GELUBackward", src_diff_dst, diff_src, gelu_mode),
    row(onefold_op_hard_sigmoid_backward, "HardSigmoidBackward", src_diff_dst, diff_src, alpha_beta),
    row(onefold_op_hard_swish_backward, "HardSwishBackward", src_diff_dst, diff_src),
    row(onefold_op_mish_backward, "MishBackward", src_diff_dst, diff_src),
    row(onefold_op_prelu, "PReLU", src_slope, dst, prelu_attributes),
    row(onefold_op_prelu_backward, "PReLUBackward", src_slope_diff_dst, diff_src_diff_slope, data_format),
    row(onefold_op_relu_backward, "ReLUBackward", src_or_dst_diff_dst, diff_src, use_dst),
    row(onefold_op_sigmoid_backward, "SigmoidBackward", src_or_dst_diff_dst, diff_src, use_dst),
    row(onefold_op_softplus_backward, "SoftPlusBackward", src_diff_dst, diff_src, beta_default_1),
    row(onefold_op_sqrt_backward, "SqrtBackward", src_or_dst_diff_dst, diff_src, use_dst),
    row(onefold_op_tanh_backward, "TanhBackward", src_or_dst_diff_dst, diff_src, use_dst),

    // quantization
    row(onefold_op_quantize, "Quantize", f32_src, quantized_dst, static_quantization_attributes, check_static_quantization),
    row(onefold_op_dequantize, "Dequantize", quantized_src, f32_dst, static_quantization_attributes, check_static_quantization),
    row(onefold_op_dynamic_quantize, "DynamicQuantize", dynamic_quantize_inputs, bytes_dst, channel_quantization,
        check_dynamic_quantization),
    row(onefold_op_dynamic_dequantize, "DynamicDequantize", dynamic_dequantize_inputs, dst, group_quantization,
        check_dynamic_quantization),

    // moving and choosing elements
    row(onefold_op_concat, "Concat", concat_inputs, dst, axis),
    row(onefold_op_gen_index, "GenIndex", src, s32_dst, axis),
    row(onefold_op_greater_equal, "GreaterEqual", compared, boolean_dst, auto_broadcast),
    row(onefold_op_select, "Select", select_inputs, dst, auto_broadcast),
    row(onefold_op_static_reshape, "StaticReshape", src, dst, reshape_attributes),
    row(onefold_op_static_transpose, "StaticTranspose", src, dst, transpose_attributes),
};
// clang-format on

} // namespace

std::span<const op_schema> foreign_schemas() { return rows; }

} // namespace onefold::impl
