#include "compile/row_lowering.hpp"

#include <algorithm>

#include "compile/loop_space.hpp"
#include "compile/row_frame.hpp"
#include "compile/row_instructions.hpp"
#include "graph/schema.hpp"

namespace onefold::impl {

namespace {

dims reversed(dims d) {
    std::reverse(d.begin(), d.end());
    return d;
}

/// Ops turned into instructions, one after the other.
class row_lowering {
public:
    row_lowering(const row_frame &frame, const placed_tensors &inputs, const std::map<size_t, dims> &dims_of)
        : frame_(frame), inputs_(inputs), dims_of_(dims_of) {}

    void add(const op &o) {
        if (o.schema().family == op_family::normalization)
            expand(o);
        else
            value_of_[o.outputs[0].id] = lower(o);
    }

    row_program finish(const placed_tensors &outputs);

private:
    size_t lower(const op &o);
    void expand(const op &o);
    size_t expand_softmax(const op &o);
    size_t expand_norm(const op &o);
    size_t inverse_root(size_t a, float epsilon);
    size_t convert(const op &o);
    size_t value(size_t id);
    size_t load(size_t id, data_type as);
    operand operand_of(size_t id, const placed_tensor &t) const;
    bool varies(size_t id) const;
    loop_space space() const;

    const row_frame &frame_;
    const placed_tensors &inputs_;
    const std::map<size_t, dims> &dims_of_;
    row_program program_;
    row_instructions instructions_;
    std::map<size_t, size_t> value_of_;  // of a tensor
    std::map<size_t, size_t> number_of_; // of an input
};

size_t row_lowering::lower(const op &o) {
    const auto argument = [&](size_t i) { return value(o.inputs[i].id); };
    switch (o.schema().family) {
    case op_family::unary:
        return instructions_.unary(o.kind, o.unary(), argument(0));
    case op_family::binary: {
        const size_t first = argument(0);
        return instructions_.binary(o.kind, first, argument(1));
    }
    case op_family::nary: {
        std::vector<size_t> values;
        for (size_t i = 0; i < o.inputs.size(); ++i)
            values.push_back(argument(i));
        return instructions_.nary(o.kind, std::move(values));
    }
    case op_family::reduction:
        return instructions_.reduce(o.kind, argument(0));
    default:
        return convert(o);
    }
}

size_t row_lowering::convert(const op &o) {
    const logical_tensor &src = o.inputs[0];
    const data_type to = o.outputs[0].type;
    if (!contains(small_floats, src.type)) return load(src.id, to);
    const size_t a = value(src.id);
    const bool is_exact = src.type == onefold_f32 || inputs_.count(src.id) != 0;
    // Storing truncates: what is next to a whole number must be what it is in its own type.
    if (!contains(small_floats, to)) return is_exact ? a : instructions_.round(src.type, a);
    return to == onefold_f32 || to == src.type ? a : instructions_.round(to, a);
}

/// A normalization is what its specification defines it by.
void row_lowering::expand(const op &o) {
    const bool is_softmax = o.kind == onefold_op_softmax || o.kind == onefold_op_log_softmax;
    value_of_[o.outputs[0].id] = is_softmax ? expand_softmax(o) : expand_norm(o);
}

size_t row_lowering::expand_softmax(const op &o) {
    const size_t src = value(o.inputs[0].id);
    const size_t shifted = instructions_.binary(onefold_op_subtract, src, instructions_.reduce(onefold_op_reduce_max, src));
    const size_t exponentials = instructions_.unary(onefold_op_exp, {}, shifted);
    const size_t sum = instructions_.reduce(onefold_op_reduce_sum, exponentials);
    if (o.kind == onefold_op_softmax) return instructions_.binary(onefold_op_divide, exponentials, sum);
    return instructions_.binary(onefold_op_subtract, shifted, instructions_.unary(onefold_op_log, {}, sum));
}

/// LayerNorm, RMSNorm.
size_t row_lowering::expand_norm(const op &o) {
    const float epsilon = o.normalization().epsilon;
    size_t result = value(o.inputs[0].id);
    if (o.kind == onefold_op_layer_norm) {
        const size_t mean = instructions_.reduce(onefold_op_reduce_mean, result);
        result = instructions_.binary(onefold_op_subtract, result, mean);
        if (o.outputs.size() > 1) value_of_[o.outputs[1].id] = mean;
    }
    const size_t square = instructions_.unary(onefold_op_square, {}, result);
    const size_t mean_square = instructions_.reduce(onefold_op_reduce_mean, square);
    if (o.outputs.size() > 2) value_of_[o.outputs[2].id] = mean_square;
    result = instructions_.binary(onefold_op_multiply, result, inverse_root(mean_square, epsilon));
    if (o.inputs.size() > 1) result = instructions_.binary(onefold_op_multiply, result, value(o.inputs[1].id));
    if (o.inputs.size() > 2) result = instructions_.binary(onefold_op_add, result, value(o.inputs[2].id));
    return result;
}

/// 1 / sqrt(a + epsilon)
size_t row_lowering::inverse_root(size_t a, float epsilon) {
    const size_t sum = instructions_.binary(onefold_op_add, a, instructions_.constant(epsilon));
    return instructions_.unary(onefold_op_reciprocal, {}, instructions_.unary(onefold_op_sqrt, {}, sum));
}

size_t row_lowering::value(size_t id) {
    if (const auto known = value_of_.find(id); known != value_of_.end()) return known->second;
    return value_of_[id] = load(id, onefold_f32);
}

size_t row_lowering::load(size_t id, data_type as) {
    const auto [number, is_new] = number_of_.try_emplace(id, program_.inputs.size());
    if (is_new) program_.inputs.push_back(operand_of(id, inputs_.at(id)));
    return instructions_.load(number->second, varies(id), as);
}

operand row_lowering::operand_of(size_t id, const placed_tensor &t) const {
    dims strides = t.strides;
    for (size_t i = 0; i < strides.size(); ++i)
        if (t.dims[i] == 1) strides[i] = 0;
    return {t.buffer, t.type, reversed(frame_.spread(id, strides, 0))};
}

bool row_lowering::varies(size_t id) const {
    const dims sizes = frame_.spread(id, dims_of_.at(id), 1);
    for (size_t distance = 1; distance <= sizes.size(); ++distance)
        if (frame_.is_reduced(distance) && sizes[distance - 1] != 1) return true;
    return false;
}

loop_space row_lowering::space() const {
    loop_space space{reversed(frame_.sizes()), {}};
    for (size_t i = 0; i < space.rank(); ++i)
        space.reduced.push_back(frame_.is_reduced(space.rank() - i));
    return space;
}

row_program row_lowering::finish(const placed_tensors &outputs) {
    std::vector<size_t> results;
    for (const auto &[id, tensor] : outputs) {
        program_.outputs.push_back({0, operand_of(id, tensor)});
        results.push_back(instructions_.unrounded(tensor.type, value_of_.at(id)));
    }
    program_.space = space();
    program_.instructions = instructions_.finish(results);
    std::vector<dims *> strides;
    for (operand &input : program_.inputs)
        strides.push_back(&input.strides);
    for (size_t i = 0; i < results.size(); ++i) {
        program_.outputs[i].value = results[i];
        strides.push_back(&program_.outputs[i].to.strides);
    }
    // What is read most of decides on the order of the dims.
    const auto broadcast_dims = [](const dims *d) { return std::count(d->begin(), d->end(), 0); };
    const auto primary = std::min_element(strides.begin(), strides.end(),
                                          [&](const dims *a, const dims *b) { return broadcast_dims(a) < broadcast_dims(b); });
    canonicalise(program_.space, strides, **primary);
    return std::move(program_);
}

} // namespace

placed_tensors place(const std::vector<logical_tensor> &ports, size_t first_buffer) {
    placed_tensors placed;
    for (const logical_tensor &port : ports)
        placed[port.id] = {first_buffer++, port.type, port.dims, port.strides};
    return placed;
}

std::optional<row_program> make_row_program(const partition &p, const placed_tensors &inputs, const placed_tensors &outputs,
                                            const std::map<size_t, dims> &dims_of) {
    row_frame frame;
    for (const op &o : p.ops)
        if (!frame.try_add(o, [&](const logical_tensor &t) -> const dims & { return dims_of.at(t.id); })) return std::nullopt;
    for (const auto &[id, tensor] : outputs)
        if (!frame.can_store(id)) return std::nullopt;
    row_lowering lowering(frame, inputs, dims_of);
    for (const op &o : p.ops)
        lowering.add(o);
    return lowering.finish(outputs);
}

} // namespace onefold::impl
