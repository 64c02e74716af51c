#include "compile/partition_lowering.hpp"

#include <algorithm>
#include <numeric>

#include "compile/loop_space.hpp"
#include "graph/error.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

bool has_zero(const dims &sizes) { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }

/// Strides over loop dims of a tensor that is broadcast against the result.
dims to_loop_strides(const placed_tensor &t, const dims &result_dims, const std::vector<size_t> &loop_dims, size_t rank) {
    const dims aligned = broadcast_strides(t.dims, t.strides, result_dims);
    dims strides(rank, 0);
    for (size_t i = 0; i < loop_dims.size(); ++i)
        strides[loop_dims[i]] = aligned[i];
    return strides;
}

} // namespace

partition_lowering::partition_lowering(const partition &p, const std::vector<logical_tensor> &inputs,
                                       const std::vector<logical_tensor> &outputs, const std::map<size_t, dims> &dims_of)
    : partition_(p), dims_of_(dims_of), builder_(inputs.size(), outputs.size()) {
    placed_ = place(inputs, builder_.input_buffer(0));
    outputs_ = place(outputs, builder_.output_buffer(0));
    for (const op &o : p.ops)
        for (const logical_tensor &input : o.inputs)
            ++uses_[input.id];
    for (const op &o : p.ops)
        if (o.schema().family == op_family::conversion && arithmetic_type(o.outputs[0].type) != onefold_f32)
            truncated_.insert(o.inputs[0].id);
}

program_builder partition_lowering::lower_all() {
    for (const op &o : partition_.ops)
        lower_op(o);
    flush();
    return std::move(builder_);
}

void partition_lowering::lower_op(const op &o) {
    if (try_append(o) || try_reduce(o)) return;
    flush();
    if (o.schema().family == op_family::normalization) return lower_normalization(o);
    start(o);
}

void partition_lowering::lower_normalization(const op &o) {
    partition alone;
    alone.ops = {o};
    placed_tensors outputs;
    for (const logical_tensor &output : o.outputs) {
        outputs[output.id] = destination_of(output.id, dims_of_.at(output.id), type_between(output.id, output.type));
        placed_[output.id] = outputs[output.id];
    }
    const auto program = make_row_program(alone, placed_, outputs, dims_of_);
    if (!program || !try_lower_op(*program, builder_))
        fail(onefold_unimplemented, "{}: nothing computes it over dims {}", to_string(o),
             to_string(dims_of_.at(o.inputs[0].id)));
}

bool partition_lowering::try_append(const op &o) {
    const op_family family = o.schema().family;
    if (!may_go_on()) return false;
    if (family != op_family::unary && family != op_family::binary) return false;
    if (dims_of_.at(o.outputs[0].id) != pending_->result_dims) return false;

    post_op appended{o.kind, family == op_family::binary, {}, {}, false};
    if (family == op_family::unary) {
        if (!is_pending(o.inputs[0].id)) return false;
        appended.attributes = o.unary();
    } else {
        const bool first = is_pending(o.inputs[0].id);
        const bool second = is_pending(o.inputs[1].id);
        if (first == second) return false; // neither, or value with itself
        const placed_tensor &other = placed(o.inputs[first ? 1 : 0].id);
        appended.value_is_second = second;
        appended.other = {other.buffer, other.type,
                          to_loop_strides(other, pending_->result_dims, pending_->loop_dims, pending_->what.space.rank())};
    }
    pending_->what.post_ops.push_back(std::move(appended));
    pending_->result = o.outputs[0].id;
    pending_->result_type = o.outputs[0].type;
    return true;
}

namespace {

/// An element-wise computation's own op and its post-ops, to be applied to the first source.
std::vector<post_op> all_ops(const computation &c) {
    std::vector<post_op> ops;
    if (c.kind == computation_kind::unary) ops.push_back({c.op, false, c.attributes, {}, false});
    if (c.kind == computation_kind::binary) ops.push_back({c.op, true, {}, c.src[1], false});
    ops.insert(ops.end(), c.post_ops.begin(), c.post_ops.end());
    return ops;
}

} // namespace

bool partition_lowering::try_reduce(const op &o) {
    if (o.schema().family != op_family::reduction || is_identity(o)) return false;
    if (!is_pending(o.inputs[0].id) || !may_go_on()) return false;
    computation &c = pending_->what;
    if (c.kind != computation_kind::unary && c.kind != computation_kind::binary) return false;
    c.pre_ops = all_ops(c);
    c.post_ops.clear();
    c.src.resize(1);
    make_reduction(o, *pending_);
    return true;
}

void partition_lowering::make_reduction(const op &o, pending_computation &made) const {
    const size_t rank = made.what.space.rank();
    made.what.kind = computation_kind::reduce;
    made.what.op = o.kind;
    made.what.space.reduced.assign(rank, false);
    const auto axes = reduced_axes(o, rank);
    for (const int64_t axis : axes)
        made.what.space.reduced[static_cast<size_t>(axis)] = true;
    made.result = o.outputs[0].id;
    made.result_dims = dims_of_.at(made.result);
    made.result_type = o.outputs[0].type;
    made.loop_dims.clear();
    for (size_t i = 0; i < rank; ++i)
        if (!made.what.space.reduced[i] || o.reduction().keep_dims) made.loop_dims.push_back(i);
    if (!axes.empty()) return;
    // Each element by itself is a reduction over a dim of 1; the root of one square is a magnitude.
    if (made.what.op == onefold_op_reduce_l2) made.what.op = onefold_op_reduce_l1;
    made.what.space.sizes.push_back(1);
    made.what.space.reduced.push_back(true);
    for (operand *each : operands_of(made.what))
        each->strides.push_back(0);
}

void partition_lowering::start(const op &o) {
    switch (o.schema().family) {
    case op_family::reduction:
        return is_identity(o) ? start_elementwise(o, computation_kind::copy) : start_reduction(o);
    case op_family::binary:
        return start_elementwise(o, computation_kind::binary);
    case op_family::nary:
        return start_elementwise(o, computation_kind::nary);
    case op_family::unary:
        return start_elementwise(o, computation_kind::unary);
    case op_family::conversion:
        return start_elementwise(o, computation_kind::copy);
    default:
        fail(onefold_unimplemented, "{}: this op is not compiled", to_string(o));
    }
}

void partition_lowering::start_reduction(const op &o) {
    const placed_tensor &src = placed(o.inputs[0].id);
    pending_computation next;
    next.what.space.sizes = src.dims;
    next.what.src = {{src.buffer, src.type, src.strides}};
    make_reduction(o, next);
    pending_ = std::move(next);
}

void partition_lowering::start_elementwise(const op &o, computation_kind kind) {
    const dims &result_dims = dims_of_.at(o.outputs[0].id);
    pending_computation next;
    next.what.kind = kind;
    next.what.op = o.kind;
    next.result = o.outputs[0].id;
    next.result_dims = result_dims;
    next.result_type = o.outputs[0].type;
    next.rounds = kind == computation_kind::copy && o.outputs[0].type != o.inputs[0].type;
    if (kind == computation_kind::unary) next.what.attributes = o.unary();
    next.what.space = {result_dims, std::vector<bool>(result_dims.size(), false)};
    next.loop_dims.resize(result_dims.size());
    std::iota(next.loop_dims.begin(), next.loop_dims.end(), size_t{0});
    for (const logical_tensor &input : o.inputs) {
        const placed_tensor &src = placed(input.id);
        next.what.src.push_back({src.buffer, src.type, broadcast_strides(src.dims, src.strides, result_dims)});
    }
    pending_ = std::move(next);
}

void partition_lowering::flush() {
    if (!pending_) return;
    pending_computation done = std::move(*pending_);
    pending_.reset();
    const placed_tensor destination = destination_of(
        done.result, done.result_dims, done.rounds ? done.result_type : type_between(done.result, done.result_type));
    placed_[done.result] = destination;
    if (has_zero(done.result_dims)) return;
    finish(done, destination);
}

placed_tensor partition_lowering::destination_of(size_t id, const dims &d, data_type type) {
    if (const auto port = outputs_.find(id); port != outputs_.end()) return port->second;
    const int64_t bytes = element_count(d) * size_of(type);
    return {builder_.add_scratch(static_cast<size_t>(bytes)), type, d, row_major_strides(d)};
}

void partition_lowering::finish(pending_computation &done, const placed_tensor &destination) {
    computation &c = done.what;
    const size_t rank = c.space.rank();
    c.dst = {destination.buffer, destination.type, dims(rank, 0)};
    for (size_t i = 0; i < done.loop_dims.size(); ++i)
        if (!c.space.reduced[done.loop_dims[i]]) c.dst.strides[done.loop_dims[i]] = destination.strides[i];
    if (has_zero(c.space.sizes)) {
        // The result is not empty, so only reduced dims are: it is the value over the empty set everywhere.
        c.kind = computation_kind::fill;
        c.src.clear();
        c.pre_ops.clear();
        for (size_t i = 0; i < rank; ++i)
            if (c.space.reduced[i]) c.space.sizes[i] = 1;
        c.space.reduced.assign(rank, false);
    }
    canonicalise(c);
    lower(std::move(c), builder_);
}

} // namespace onefold::impl
