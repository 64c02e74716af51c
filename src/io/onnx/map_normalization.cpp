// Normalizations, as ONNX's functions define them: one op of the graph where that means the same, else several. What is 16 bits
// wide is computed in f32.

#include <array>
#include <limits>
#include <numeric>

#include "io/onnx/builder.hpp"

namespace onefold::impl::io {

namespace {

/// Adds the ops that a node stands for; all of one type, f32 or f64.
class expansion {
public:
    expansion(graph_builder &b, const onnx_node &n, data_type of)
        : b_(b), n_(n), type_(of == onefold_f64 ? onefold_f64 : onefold_f32) {}

    logical_tensor cast(const logical_tensor &src, data_type to) const {
        return src.type == to ? src : b_.add(n_, "TypeCast", {src}, {}, to);
    }
    /// The node's input, in the type of the ops.
    logical_tensor src(size_t i) const { return cast(b_.src(n_, i), type_); }
    logical_tensor number(double value) const {
        onnx_array array{type_, {}, {}};
        const auto f32 = static_cast<float>(value);
        const auto *bytes =
            type_ == onefold_f64 ? reinterpret_cast<const std::byte *>(&value) : reinterpret_cast<const std::byte *>(&f32);
        array.data.assign(bytes, bytes + size_of(type_));
        return b_.add_constant(std::move(array));
    }
    logical_tensor op(std::string_view kind, std::vector<logical_tensor> srcs) const {
        return b_.add(n_, kind, std::move(srcs));
    }
    logical_tensor reduce(std::string_view kind, const logical_tensor &src, const std::vector<int64_t> &axes) const {
        return b_.add(n_, kind, {src}, {{onefold_op_attr_axes, axes}, {onefold_op_attr_keep_dims, true}});
    }
    /// sqrt(mean(src²) + epsilon)
    logical_tensor deviation(const logical_tensor &src, const std::vector<int64_t> &axes, float epsilon) const {
        const logical_tensor square = reduce("ReduceMean", op("Square", {src}), axes);
        return op("Sqrt", {op("Add", {square, number(epsilon)})});
    }
    /// Ends the node: its first output, in that type.
    void define(const logical_tensor &dst, data_type to) const { b_.define(n_.dst(), cast(dst, to)); }

private:
    graph_builder &b_;
    const onnx_node &n_;
    data_type type_;
};

size_t rank_of(const graph_builder &b, const onnx_node &n) {
    if (b.src(n, 0).ndims == unknown_ndims) throw not_supported("the rank of its input is not known");
    return b.src(n, 0).dims.size();
}

/// From axis, which counts from the end where it is negative, to the last.
std::vector<int64_t> axes_from(const graph_builder &b, const onnx_node &n, int64_t axis) {
    const auto rank = static_cast<int64_t>(rank_of(b, n));
    if (axis < -rank || axis >= rank) n.reject("axis {} is not in [{}, {}]", axis, -rank, rank - 1);
    const int64_t first = axis < 0 ? axis + rank : axis;
    std::vector<int64_t> axes(static_cast<size_t>(rank - first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

bool is_wanted(const onnx_node &n, size_t output) { return output < n.outputs().size() && !n.outputs()[output].empty(); }

/// The type of the statistics, which stash_type names.
data_type stash_type(const onnx_node &n) {
    const int64_t number = n.integer("stash_type", 1);
    const data_type type = type_from_onnx(number);
    if (!contains(all_floats, type)) n.reject("attribute stash_type is {}, which is no float's", number);
    return type;
}

void expand_layer_norm(graph_builder &b, const onnx_node &n, float epsilon) {
    const data_type type = b.src(n, 0).type;
    const expansion e(b, n, type);
    const std::vector<int64_t> axes = axes_from(b, n, n.integer("axis", -1));
    const logical_tensor src = e.src(0);
    const logical_tensor mean = e.reduce("ReduceMean", src, axes);
    const logical_tensor centred = e.op("Subtract", {src, mean});
    const logical_tensor factor = e.op("Reciprocal", {e.deviation(centred, axes, epsilon)});
    logical_tensor dst = e.op("Multiply", {e.op("Multiply", {centred, factor}), e.src(1)});
    if (n.has_input(2)) dst = e.op("Add", {dst, e.src(2)});
    const std::array statistics = {mean, factor};
    for (size_t i = 1; i <= 2; ++i)
        if (is_wanted(n, i)) b.define(n.outputs()[i], e.cast(statistics[i - 1], stash_type(n)));
    e.define(dst, type);
}

/// Over all of the axes together.
logical_tensor expand_softmax(const expansion &e, bool is_logarithm, const std::vector<int64_t> &axes) {
    const logical_tensor src = e.src(0);
    const logical_tensor below = e.op("Subtract", {src, e.reduce("ReduceMax", src, axes)});
    const logical_tensor exponentials = e.op("Exp", {below});
    const logical_tensor sum = e.reduce("ReduceSum", exponentials, axes);
    return is_logarithm ? e.op("Subtract", {below, e.op("Log", {sum})}) : e.op("Divide", {exponentials, sum});
}

/// One value a channel, as a tensor that broadcasts to src of that rank, whose dim 1 the channels are.
logical_tensor per_channel(graph_builder &b, const onnx_node &n, size_t i, size_t rank) {
    const logical_tensor &given = b.src(n, i);
    if (given.ndims == unknown_ndims) throw not_supported(fmt::format("the shape of input {} is not known", i));
    const int64_t channels = b.src(n, 0).dims[1];
    if (given.ndims != 1 || (given.has_known_dims() && channels != unknown_dim && given.dims[0] != channels))
        n.reject("input {} has dims {}; it must have one value for each of the {} channels of input 0", i,
                 to_string(given.dims), channels);
    dims widened(rank - 1, 1);
    widened[0] = given.dims[0];
    return b.add_view(fmt::format("channels of \"{}\"", n.inputs()[i]), given, widened);
}

} // namespace

void map_layer_normalization(graph_builder &b, const onnx_node &n) {
    const data_type type = b.src(n, 0).type;
    const float epsilon = n.real("epsilon", 1e-5F);
    if (stash_type(n); type == onefold_f64 || is_wanted(n, 1) || is_wanted(n, 2) || !n.has_input(2))
        return expand_layer_norm(b, n, epsilon);
    b.define(n.dst(), b.add(n, n.row()->kind, {b.src(n, 0), b.src(n, 1), b.src(n, 2)},
                            {{onefold_op_attr_begin_norm_axis, n.integer("axis", -1)},
                             {onefold_op_attr_epsilon, epsilon},
                             {onefold_op_attr_keep_stats, false}}));
}

void map_rms_normalization(graph_builder &b, const onnx_node &n) {
    const data_type src_type = b.src(n, 0).type;
    const data_type dst_type = b.src(n, 1).type;
    if (dst_type == onefold_data_type_undef) throw not_supported("the type of input 1 is not known");
    if (!contains(all_floats, dst_type)) n.reject("input 1 has type {}, which the op does not take", name_of(dst_type));
    const float epsilon = n.real("epsilon", 1e-5F);
    const int64_t axis = n.integer("axis", -1);
    stash_type(n);
    if (src_type == dst_type && src_type != onefold_f64)
        return b.define(n.dst(), b.add(n, n.row()->kind, {b.src(n, 0), b.src(n, 1)},
                                       {{onefold_op_attr_begin_norm_axis, axis}, {onefold_op_attr_epsilon, epsilon}}));
    const expansion e(b, n, dst_type == onefold_f64 ? dst_type : src_type);
    const std::vector<int64_t> axes = axes_from(b, n, axis);
    const logical_tensor src = e.src(0);
    const logical_tensor normalized = e.op("Divide", {src, e.deviation(src, axes, epsilon)});
    e.define(e.op("Multiply", {normalized, e.src(1)}), dst_type);
}

void map_softmax(graph_builder &b, const onnx_node &n) {
    const bool is_logarithm = n.row()->name == "LogSoftmax";
    const bool is_over_one_axis = n.opset() >= 13; // before, over all from axis on
    const int64_t axis = n.integer("axis", is_over_one_axis ? -1 : 1);
    if (axis < 0 && n.opset() < 11) n.reject("axis {}: negative axes came with opset 11", axis);
    const data_type type = b.src(n, 0).type;
    std::vector<int64_t> axes = {axis};
    if (!is_over_one_axis) axes = axes_from(b, n, axis);
    if (type != onefold_f64 && axes.size() == 1)
        return b.define(n.dst(), b.add(n, n.row()->kind, {b.src(n, 0)}, {{onefold_op_attr_axis, axes[0]}}));
    const expansion e(b, n, type);
    e.define(expand_softmax(e, is_logarithm, axes), type);
}

void map_mean_variance_normalization(graph_builder &b, const onnx_node &n) {
    constexpr double epsilon = 1e-9; // of the function, which adds it to the root
    const data_type type = b.src(n, 0).type;
    const std::vector<int64_t> axes = n.integers("axes").value_or(std::vector<int64_t>{0, 2, 3});
    const expansion e(b, n, type);
    const logical_tensor src = e.src(0);
    const logical_tensor centred = e.op("Subtract", {src, e.reduce("ReduceMean", src, axes)});
    const logical_tensor variance = e.reduce("ReduceMean", e.op("Square", {centred}), axes);
    const logical_tensor deviation = e.op("Add", {e.op("Sqrt", {variance}), e.number(epsilon)});
    e.define(e.op("Divide", {centred, deviation}), type);
}

void map_lp_normalization(graph_builder &b, const onnx_node &n) {
    const int64_t p = n.integer("p", 2);
    if (p != 1 && p != 2) n.reject("attribute p is {}; it must be 1 or 2", p);
    const int64_t axis = n.integer("axis", -1);
    const data_type type = b.src(n, 0).type;
    const expansion e(b, n, type);
    const logical_tensor src = e.src(0);
    const logical_tensor norm = e.reduce(p == 1 ? "ReduceL1" : "ReduceL2", src, {axis});
    // Where the norm is 0, so is the result: 0 divided by the smallest number whose reciprocal is finite.
    const double smallest =
        type == onefold_f64 ? std::numeric_limits<double>::min() : double{std::numeric_limits<float>::min()};
    e.define(e.op("Divide", {src, e.op("Maximum", {norm, e.number(smallest)})}), type);
}

void map_instance_normalization(graph_builder &b, const onnx_node &n) {
    const data_type type = b.src(n, 0).type;
    const size_t rank = rank_of(b, n);
    if (rank < 3) n.reject("input 0 has rank {}; it must be 3 or more", rank);
    const logical_tensor scale = per_channel(b, n, 1, rank), bias = per_channel(b, n, 2, rank);
    const std::vector<int64_t> axes = axes_from(b, n, 2);
    const expansion e(b, n, type);
    const logical_tensor src = e.src(0);
    const logical_tensor centred = e.op("Subtract", {src, e.reduce("ReduceMean", src, axes)});
    const logical_tensor normalized = e.op("Divide", {centred, e.deviation(centred, axes, n.real("epsilon", 1e-5F))});
    const auto in_type_of_ops = [&](const logical_tensor &t) { return e.cast(t, src.type); };
    e.define(e.op("Add", {e.op("Multiply", {normalized, in_type_of_ops(scale)}), in_type_of_ops(bias)}), type);
}

} // namespace onefold::impl::io
