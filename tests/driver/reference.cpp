#include "tests/driver/reference.hpp"

#include <algorithm>
#include <cmath>

#include "graph/error.hpp"
#include "tests/driver/reference_format.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

/// f32 results this small may come out as zero: vector code flushes them, and what is close to them.
constexpr double flushed = 0x1p-124;

/// Adds what storing a result in a tensor of that type may cost. An implementation may or may not do it: a fused chain keeps
/// its intermediate results in f32.
void round_to_type(reference_tensor &t, impl::data_type type) {
    const auto format = float_format_of(type);
    if (!format || type == onefold_f64) return; // what computes in f64 has counted its rounding
    for (size_t i = 0; i < t.value.size(); ++i) {
        const double magnitude = std::abs(t.value[i]) + t.error[i];
        if (!std::isfinite(magnitude) || (t.error[i] == 0 && format->holds(t.value[i]))) continue;
        if (magnitude < flushed) t.error[i] += magnitude;
        if (type != onefold_f32 || t.error[i] == 0) t.error[i] += std::max(magnitude * format->unit(), format->underflow());
    }
}

/// A tensor as the next op sees it: where it may have overflowed, nothing can be said. `copy` is used if there is such a place.
const reference_tensor &as_source(const reference_tensor &t, impl::data_type type, reference_tensor &copy) {
    const auto format = float_format_of(type);
    const auto may_overflow = [&](size_t i) {
        return std::isfinite(t.value[i]) && std::abs(t.value[i]) + t.error[i] > format->max;
    };
    bool is_copied = false;
    for (size_t i = 0; format && i < t.value.size(); ++i) {
        if (!may_overflow(i)) continue;
        if (!is_copied) copy = t;
        is_copied = true;
        copy.error[i] = INFINITY;
    }
    return is_copied ? copy : t;
}

std::vector<int64_t> axes_of(const impl::op &o, const reference_tensors &tensors) {
    if (o.inputs.size() < 2) return attribute_or(o, onefold_op_attr_axes, std::vector<int64_t>());
    std::vector<int64_t> axes;
    for (const wide_integer axis : tensors.at(o.inputs[1].id).integer)
        axes.push_back(static_cast<int64_t>(axis));
    return axes;
}

std::vector<reference_tensor> compute_outputs(const impl::op &o, std::span<const reference_tensor *const> srcs,
                                              const std::vector<int64_t> &axes) {
    if (is_normalization(o.kind)) return compute_normalization(o, srcs);
    if (o.kind == onefold_op_type_cast) return {compute_cast(o, *srcs[0])};
    if (is_integer(o.outputs[0].type)) return {compute_integers(o, srcs, axes)};
    if (is_unary(o.kind)) return {compute_unary(o, *srcs[0])};
    if (is_binary(o.kind)) return {compute_binary(o, *srcs[0], *srcs[1])};
    if (is_nary(o.kind)) return {compute_nary(o, srcs)};
    return {compute_reduction(o, *srcs[0], axes)};
}

void compute(const impl::op &o, reference_tensors &tensors) {
    const auto axes = is_reduction(o.kind) ? axes_of(o, tensors) : std::vector<int64_t>();
    std::vector<const reference_tensor *> srcs;
    for (const impl::logical_tensor &input : o.inputs)
        srcs.push_back(&tensors.at(input.id));
    std::vector<reference_tensor> dsts = compute_rounded(o, srcs, axes);
    for (size_t i = 0; i < dsts.size(); ++i)
        tensors.insert_or_assign(o.outputs[i].id, std::move(dsts[i]));
}

} // namespace

std::vector<reference_tensor> compute_rounded(const impl::op &o, std::span<const reference_tensor *const> srcs,
                                              const std::vector<int64_t> &axes) {
    std::vector<reference_tensor> copies(srcs.size());
    std::vector<const reference_tensor *> seen;
    for (size_t i = 0; i < srcs.size(); ++i)
        seen.push_back(&as_source(*srcs[i], o.inputs[i].type, copies[i]));
    std::vector<reference_tensor> dsts = compute_outputs(o, seen, axes);
    for (size_t i = 0; i < dsts.size(); ++i) {
        reference_tensor &dst = dsts[i];
        for (size_t k = 0; k < dst.value.size(); ++k)
            if (std::isnan(dst.error[k])) dst.error[k] = std::isnan(dst.value[k]) ? 0 : INFINITY;
        round_to_type(dst, o.outputs[i].type);
    }
    return dsts;
}

reference_tensor exact_tensor(impl::dims d, std::vector<double> value) {
    std::vector<double> error(value.size(), 0.0);
    return {std::move(d), std::move(value), std::move(error)};
}

reference_tensor exact_integers(impl::dims d, std::vector<wide_integer> value) {
    std::vector<double> error(value.size(), 0.0);
    return {std::move(d), {}, std::move(error), false, std::move(value)};
}

reference_tensor exact_tensor(const buffer &b) {
    const impl::dims &d = b.description().dims;
    return is_integer(b.type()) ? exact_integers(d, b.load_integers()) : exact_tensor(d, b.load_all());
}

bool has_reference(impl::op_kind kind) {
    return is_unary(kind) || kind == onefold_op_type_cast || is_binary(kind) || is_nary(kind) || is_reduction(kind) ||
           is_normalization(kind) || kind == onefold_op_end || kind == onefold_op_wildcard;
}

void compute_reference(std::span<const impl::op> ops, reference_tensors &tensors) {
    std::vector<const impl::op *> waiting;
    for (const impl::op &o : ops) {
        if (!has_reference(o.kind)) impl::fail(onefold_unimplemented, "reference: {} has none", impl::to_string(o));
        if (!o.outputs.empty() && !o.inputs.empty()) waiting.push_back(&o);
    }
    while (!waiting.empty()) {
        const auto is_ready = [&](const impl::op *o) {
            return std::all_of(o->inputs.begin(), o->inputs.end(),
                               [&](const impl::logical_tensor &t) { return tensors.contains(t.id); });
        };
        const auto ready = std::find_if(waiting.begin(), waiting.end(), is_ready);
        if (ready == waiting.end())
            impl::fail(onefold_invalid_graph, "reference: an input of {} is missing", impl::to_string(*waiting.front()));
        compute(**ready, tensors);
        waiting.erase(ready);
    }
}

double worse(double a, double b) { return std::isnan(a) || std::isnan(b) ? INFINITY : std::max(a, b); }

double deviation(double value, double other) {
    if (std::isnan(value) && std::isnan(other)) return 0;
    return value == other ? 0 : worse(0, std::abs(value - other));
}

} // namespace onefold::driver
