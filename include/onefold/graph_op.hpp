/// Ops of the Graph API: their kinds, their attributes; graph.hpp includes it and says how it all fits together.
#ifndef ONEFOLD_GRAPH_OP_HPP
#define ONEFOLD_GRAPH_OP_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "onefold/graph_tensor.hpp"

namespace onefold {

template <>
struct handle_traits<onefold_op> {
    static constexpr const char *name = "op";
    static onefold_status destructor(onefold_op o) { return onefold_op_destroy(o); }
};

namespace graph {

/// An operation: kind, id, attributes, input and output ports in order, as dnnl::graph::op. What fits together is checked when
/// it is added to a graph.
class op : public handle<onefold_op> {
public:
    /// The op kinds of the Graph specification, and extensions.
    enum class kind {
        Abs = onefold_op_abs,
        AbsBackward = onefold_op_abs_backward,
        Add = onefold_op_add,
        AvgPool = onefold_op_avg_pool,
        AvgPoolBackward = onefold_op_avg_pool_backward,
        BatchNormForwardTraining = onefold_op_batch_norm_forward_training,
        BatchNormInference = onefold_op_batch_norm_inference,
        BatchNormTrainingBackward = onefold_op_batch_norm_backward,
        BiasAdd = onefold_op_bias_add,
        BiasAddBackward = onefold_op_bias_add_backward,
        Clamp = onefold_op_clamp,
        ClampBackward = onefold_op_clamp_backward,
        Concat = onefold_op_concat,
        Convolution = onefold_op_convolution,
        ConvolutionBackwardData = onefold_op_convolution_backward_data,
        ConvolutionBackwardWeights = onefold_op_convolution_backward_weights,
        ConvTranspose = onefold_op_conv_transpose,
        ConvTransposeBackwardData = onefold_op_conv_transpose_backward_data,
        ConvTransposeBackwardWeights = onefold_op_conv_transpose_backward_weights,
        Dequantize = onefold_op_dequantize,
        Divide = onefold_op_divide,
        DynamicDequantize = onefold_op_dynamic_dequantize,
        DynamicQuantize = onefold_op_dynamic_quantize,
        Elu = onefold_op_elu,
        EluBackward = onefold_op_elu_backward,
        End = onefold_op_end,
        Exp = onefold_op_exp,
        GELU = onefold_op_gelu,
        GELUBackward = onefold_op_gelu_backward,
        GenIndex = onefold_op_gen_index,
        GreaterEqual = onefold_op_greater_equal,
        GroupNorm = onefold_op_group_norm,
        HardSigmoid = onefold_op_hard_sigmoid,
        HardSigmoidBackward = onefold_op_hard_sigmoid_backward,
        HardSwish = onefold_op_hard_swish,
        HardSwishBackward = onefold_op_hard_swish_backward,
        Interpolate = onefold_op_interpolate,
        InterpolateBackward = onefold_op_interpolate_backward,
        LayerNorm = onefold_op_layer_norm,
        LayerNormBackward = onefold_op_layer_norm_backward,
        LeakyReLU = onefold_op_leaky_relu,
        Log = onefold_op_log,
        LogSoftmax = onefold_op_log_softmax,
        LogSoftmaxBackward = onefold_op_log_softmax_backward,
        MatMul = onefold_op_matmul,
        Maximum = onefold_op_maximum,
        MaxPool = onefold_op_max_pool,
        MaxPoolBackward = onefold_op_max_pool_backward,
        Minimum = onefold_op_minimum,
        Mish = onefold_op_mish,
        MishBackward = onefold_op_mish_backward,
        Multiply = onefold_op_multiply,
        Pow = onefold_op_pow,
        PReLU = onefold_op_prelu,
        PReLUBackward = onefold_op_prelu_backward,
        Quantize = onefold_op_quantize,
        Reciprocal = onefold_op_reciprocal,
        ReduceL1 = onefold_op_reduce_l1,
        ReduceL2 = onefold_op_reduce_l2,
        ReduceMax = onefold_op_reduce_max,
        ReduceMean = onefold_op_reduce_mean,
        ReduceMin = onefold_op_reduce_min,
        ReduceProd = onefold_op_reduce_prod,
        ReduceSum = onefold_op_reduce_sum,
        ReLU = onefold_op_relu,
        ReLUBackward = onefold_op_relu_backward,
        Reorder = onefold_op_reorder,
        Round = onefold_op_round,
        Select = onefold_op_select,
        Sigmoid = onefold_op_sigmoid,
        SigmoidBackward = onefold_op_sigmoid_backward,
        SoftMax = onefold_op_softmax,
        SoftMaxBackward = onefold_op_softmax_backward,
        SoftPlus = onefold_op_softplus,
        SoftPlusBackward = onefold_op_softplus_backward,
        Sqrt = onefold_op_sqrt,
        SqrtBackward = onefold_op_sqrt_backward,
        Square = onefold_op_square,
        SquaredDifference = onefold_op_squared_difference,
        StaticReshape = onefold_op_static_reshape,
        StaticTranspose = onefold_op_static_transpose,
        Subtract = onefold_op_subtract,
        Tanh = onefold_op_tanh,
        TanhBackward = onefold_op_tanh_backward,
        TypeCast = onefold_op_type_cast,
        Wildcard = onefold_op_wildcard,
        // extensions: element-wise over one input or more, which are broadcast to each other (as in ONNX)
        Mean = onefold_op_mean,
        Max = onefold_op_max,
        Min = onefold_op_min,
        Sum = onefold_op_sum,
        // extension: a reduction like the others
        ReduceSumSquare = onefold_op_reduce_sum_square,
        ReduceLogSum = onefold_op_reduce_log_sum,
        ReduceLogSumExp = onefold_op_reduce_log_sum_exp,
        Neg = onefold_op_neg,
        // of newer versions of the specification
        RMSNorm = onefold_op_rms_norm,
        // above all kinds, not one itself
        LastSymbol = onefold_op_kind_count
    };

    /// The attributes of the Graph specification, and an extension, by the type that set_attr() takes.
    enum class attr {
        undef = onefold_op_attr_undef,
        // one float
        alpha = onefold_op_attr_alpha,
        beta = onefold_op_attr_beta,
        epsilon = onefold_op_attr_epsilon,
        max = onefold_op_attr_max,
        min = onefold_op_attr_min,
        momentum = onefold_op_attr_momentum,
        // std::vector<float>
        scales = onefold_op_attr_scales,
        // one int64_t
        axis = onefold_op_attr_axis,
        begin_norm_axis = onefold_op_attr_begin_norm_axis,
        groups = onefold_op_attr_groups,
        // std::vector<int64_t>
        axes = onefold_op_attr_axes,
        dilations = onefold_op_attr_dilations,
        dst_shape = onefold_op_attr_dst_shape,
        kernel = onefold_op_attr_kernel,
        order = onefold_op_attr_order,
        output_padding = onefold_op_attr_output_padding,
        pads_begin = onefold_op_attr_pads_begin,
        pads_end = onefold_op_attr_pads_end,
        shape = onefold_op_attr_shape,
        sizes = onefold_op_attr_sizes,
        src_shape = onefold_op_attr_src_shape,
        strides = onefold_op_attr_strides,
        weights_shape = onefold_op_attr_weights_shape,
        zps = onefold_op_attr_zps,
        group_shape = onefold_op_attr_group_shape,
        // one bool
        exclude_pad = onefold_op_attr_exclude_pad,
        keep_dims = onefold_op_attr_keep_dims,
        keep_stats = onefold_op_attr_keep_stats,
        per_channel_broadcast = onefold_op_attr_per_channel_broadcast,
        special_zero = onefold_op_attr_special_zero,
        transpose_a = onefold_op_attr_transpose_a,
        transpose_b = onefold_op_attr_transpose_b,
        use_affine = onefold_op_attr_use_affine,
        use_dst = onefold_op_attr_use_dst,
        // extension: one bool; what a reduction without axes does, see onefold.h
        noop_with_empty_axes = onefold_op_attr_noop_with_empty_axes,
        // one std::string
        auto_broadcast = onefold_op_attr_auto_broadcast,
        auto_pad = onefold_op_attr_auto_pad,
        coordinate_transformation_mode = onefold_op_attr_coordinate_transformation_mode,
        data_format = onefold_op_attr_data_format,
        mode = onefold_op_attr_mode,
        qtype = onefold_op_attr_qtype,
        rounding_type = onefold_op_attr_rounding_type,
        weights_format = onefold_op_attr_weights_format,
        // above all attributes, not one itself
        end = onefold_op_attr_end
    };

    using handle::handle;
    /// An empty op.
    op() = default;

    /// An op without ports. The id must differ from those of the graph's other ops; the name shows in logs and dumps.
    op(size_t id, kind akind, const std::string &verbose_name = "") {
        onefold_op o = nullptr;
        error::wrap_c_api(onefold_op_create(&o, id, static_cast<onefold_op_kind>(akind), verbose_name.c_str()));
        reset(o);
    }

    /// An op with ports.
    op(size_t id, kind akind, const std::vector<logical_tensor> &inputs, const std::vector<logical_tensor> &outputs,
       const std::string &verbose_name = "")
        : op(id, akind, verbose_name) {
        add_inputs(inputs);
        add_outputs(outputs);
    }

    void add_input(const logical_tensor &t) { error::wrap_c_api(onefold_op_add_input(get(), t.get())); }
    void add_inputs(const std::vector<logical_tensor> &ts) {
        for (const auto &t : ts)
            add_input(t);
    }
    void add_output(const logical_tensor &t) { error::wrap_c_api(onefold_op_add_output(get(), t.get())); }
    void add_outputs(const std::vector<logical_tensor> &ts) {
        for (const auto &t : ts)
            add_output(t);
    }

    /// Sets an attribute, or replaces its value. T is float, std::vector<float>, int64_t, std::vector<int64_t>, bool or
    /// std::string and nothing else, as in oneDNN. invalid_arguments: the attribute takes another of these types.
    template <typename T, std::enable_if_t<std::is_same_v<T, float> || std::is_same_v<T, std::vector<float>> ||
                                               std::is_same_v<T, int64_t> || std::is_same_v<T, std::vector<int64_t>> ||
                                               std::is_same_v<T, bool> || std::is_same_v<T, std::string>,
                                           bool> = true>
    op &set_attr(attr name, const T &value) {
        const auto c_name = static_cast<onefold_op_attr>(name);
        if constexpr (std::is_same_v<T, float>)
            error::wrap_c_api(onefold_op_set_attr_f32(get(), c_name, value));
        else if constexpr (std::is_same_v<T, std::vector<float>>)
            error::wrap_c_api(onefold_op_set_attr_f32s(get(), c_name, value.data(), value.size()));
        else if constexpr (std::is_same_v<T, int64_t>)
            error::wrap_c_api(onefold_op_set_attr_s64(get(), c_name, value));
        else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
            error::wrap_c_api(onefold_op_set_attr_s64s(get(), c_name, value.data(), value.size()));
        else if constexpr (std::is_same_v<T, bool>)
            error::wrap_c_api(onefold_op_set_attr_bool(get(), c_name, value ? 1 : 0));
        else
            error::wrap_c_api(onefold_op_set_attr_string(get(), c_name, value.c_str()));
        return *this;
    }
};

} // namespace graph
} // namespace onefold

#endif
