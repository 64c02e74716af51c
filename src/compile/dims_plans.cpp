#include "compile/dims_plans.hpp"

#include <algorithm>

#include "compile/small_table.hpp"
#include "graph/error.hpp"

namespace onefold::impl {

namespace {

/// Together no more plans than one partition has for sets of axes.
constexpr size_t most_dims = 1024;
constexpr size_t most_dims_with_axes = 64;
constexpr size_t most_axes_a_dims = 16;

bool has_axes(const partition &p) { return std::any_of(p.ops.begin(), p.ops.end(), has_axes_input); }

/// What compile() would have been given, had the execution's tensor been known.
logical_tensor join(const logical_tensor &port, const logical_tensor &given) {
    logical_tensor joined = given;
    if (given.has_known_strides()) return joined;
    joined.layout = port.has_known_strides() ? onefold_layout_strided : onefold_layout_any;
    joined.strides = port.has_known_strides() ? port.strides : dims();
    return joined;
}

/// The part of a key that a tensor makes: rank, dims, and strides or that they are not told.
size_t key_length(const logical_tensor &t) { return 1 + t.dims.size() + (t.has_known_strides() ? t.strides.size() : 1); }

int64_t *write_key(const logical_tensor &t, int64_t *to) {
    *to++ = t.ndims;
    to = std::copy(t.dims.begin(), t.dims.end(), to);
    if (t.has_known_strides()) return std::copy(t.strides.begin(), t.strides.end(), to);
    *to++ = unknown_dim;
    return to;
}

} // namespace

dims_plans::dims_plans(const partition &p, open_ports ports)
    : partition_(p),
      ports_(std::move(ports)),
      label_(make_label(p, ports_.inputs, ports_.outputs)),
      plans_(has_axes(p) ? most_dims_with_axes : most_dims) {
    for (size_t i = 0; i < ports_.inputs.size() + ports_.outputs.size(); ++i)
        if (!port(i).has_known_dims() || !port(i).has_known_strides()) open_.push_back(i);
}

void dims_plans::check(size_t i, const logical_tensor &given) const {
    const bool is_input = i < ports_.inputs.size();
    const char *direction = is_input ? "input" : "output";
    if (!given.has_known_dims() || given.layout == onefold_layout_opaque)
        fail(onefold_invalid_arguments, "execute: {} tensor {} is {}; its dims must be known, and its layout strided or any",
             direction, given.id, to_string(given));
    const bool has_dims = port(i).ndims == unknown_ndims || may_agree(given.dims, port(i).dims);
    const bool has_strides = !given.has_known_strides() || port(i).layout != onefold_layout_strided ||
                             port(i).ndims == unknown_ndims || may_agree(given.strides, port(i).strides);
    if (given.type != port(i).type || !has_dims || !has_strides)
        fail(has_dims || is_input ? onefold_invalid_arguments : onefold_invalid_shape,
             "execute: {} tensor {} is {}; it was compiled as {}", direction, given.id, to_string(given), to_string(port(i)));
}

std::unique_ptr<const port_plans> dims_plans::make(std::span<const bound_tensor> tensors) const {
    const verbose_timer timer;
    std::vector<logical_tensor> joined;
    for (size_t i = 0; i < tensors.size(); ++i)
        joined.push_back(join(port(i), *tensors[i].description));
    const std::span<const logical_tensor> all = joined;
    auto made = std::make_unique<const port_plans>(
        partition_, resolve_ports(partition_, all.first(ports_.inputs.size()), all.subspan(ports_.inputs.size())),
        most_axes_a_dims);
    timer.report("compile", made->label(), made->info());
    return made;
}

dims_plans::lease dims_plans::select(std::span<const bound_tensor> tensors) const {
    size_t length = 0;
    for (size_t i = 0; i < tensors.size(); ++i)
        check(i, *tensors[i].description);
    for (const size_t i : open_)
        length += key_length(*tensors[i].description);
    small_table<int64_t, 256> key(length);
    int64_t *end = key.view().data();
    for (const size_t i : open_)
        end = write_key(*tensors[i].description, end);
    if (lease known = plans_.find(key.view())) return known;
    return plans_.keep(key.view(), make(tensors));
}

} // namespace onefold::impl
