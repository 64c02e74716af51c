#include "compile/axes_input.hpp"

#include <algorithm>

#include "graph/error.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

/// The dims that a reduction keeps where it keeps each dim of dst as early as it can in src, or as late.
std::vector<bool> kept_dims(const dims &src, const dims &dst, bool early) {
    std::vector<bool> kept(src.size(), false);
    size_t found = 0;
    for (size_t step = 0; step < src.size() && found < dst.size(); ++step) {
        const size_t from = early ? step : src.size() - 1 - step;
        const size_t to = early ? found : dst.size() - 1 - found;
        kept[from] = src[from] == dst[to];
        if (kept[from]) ++found;
    }
    return kept;
}

/// Without keep_dims: there may be many ways. What lies between the earliest and the latest has no other choice where these
/// agree.
possible_axes axes_of_removed_dims(const axes_input &input) {
    const std::vector<bool> early = kept_dims(input.src, input.dst, true);
    const std::vector<bool> late = kept_dims(input.src, input.dst, false);
    possible_axes found{{}, true};
    for (size_t i = 0; i < input.src.size(); ++i) {
        if (!early[i]) found.axes.push_back(static_cast<int64_t>(i));
        if (input.src[i] != 1 && early[i] != late[i]) found.is_only_way = false;
    }
    return found;
}

/// With keep_dims: dst shows which dims are reduced, but for those that are 1 in src already.
possible_axes axes_of_kept_dims(const axes_input &input) {
    std::vector<bool> reduced(input.src.size(), false);
    size_t missing = input.count;
    const auto reduce = [&](size_t i) {
        reduced[i] = true;
        --missing;
    };
    const size_t rank = std::min(input.src.size(), input.dst.size());
    for (size_t i = 0; i < rank && missing > 0; ++i)
        if (input.src[i] != input.dst[i]) reduce(i);
    for (size_t i = 0; i < rank && missing > 0; ++i)
        if (input.src[i] == 1 && !reduced[i]) reduce(i);
    possible_axes found{{}, true};
    for (size_t i = 0; i < reduced.size(); ++i)
        if (reduced[i]) found.axes.push_back(static_cast<int64_t>(i));
    return found;
}

axes_input describe(const partition &p, const resolved_ports &ports, size_t op_index) {
    const op &o = p.ops[op_index];
    const auto port = std::find_if(ports.inputs.begin(), ports.inputs.end(),
                                   [&](const logical_tensor &input) { return input.id == o.inputs[1].id; });
    const dims &src = ports.dims_of.at(o.inputs[0].id);
    if (port->ndims != 1)
        fail(onefold_invalid_shape, "{}: input axes (tensor {}) has rank {}; it must be 1", to_string(o), port->id,
             port->ndims);
    const auto count = static_cast<size_t>(port->dims[0]);
    if (count > src.size())
        fail(onefold_invalid_arguments, "{}: input axes (tensor {}) has {} elements, but src has rank {}", to_string(o),
             port->id, count, src.size());
    return {op_index, static_cast<size_t>(port - ports.inputs.begin()), count, src, ports.dims_of.at(o.outputs[0].id)};
}

} // namespace

std::vector<axes_input> find_axes_inputs(const partition &p, const resolved_ports &ports) {
    std::vector<axes_input> inputs;
    for (size_t i = 0; i < p.ops.size(); ++i)
        if (has_axes_input(p.ops[i])) inputs.push_back(describe(p, ports, i));
    return inputs;
}

bool leads_to_dst(const axes_input &input, bool keep_dims, std::span<const int64_t> axes) {
    auto next = axes.begin();
    size_t to = 0;
    for (size_t i = 0; i < input.src.size(); ++i) {
        const bool reduced = next != axes.end() && *next == static_cast<int64_t>(i);
        if (reduced) ++next;
        if (reduced && !keep_dims) continue;
        if (to == input.dst.size() || input.dst[to] != (reduced ? 1 : input.src[i])) return false;
        ++to;
    }
    return to == input.dst.size();
}

possible_axes find_possible_axes(const op &o, const axes_input &input) {
    if (input.count == 0) {
        // What no axes mean, the attributes tell.
        const std::vector<int64_t> all_or_none = reduced_axes(with_axes(o, {}), input.src.size());
        if (leads_to_dst(input, o.reduction().keep_dims, all_or_none)) return {{}, true};
    } else {
        possible_axes found = o.reduction().keep_dims ? axes_of_kept_dims(input) : axes_of_removed_dims(input);
        if (found.axes.size() == input.count && leads_to_dst(input, o.reduction().keep_dims, found.axes)) return found;
    }
    fail(onefold_invalid_shape, "{}: no set of {} axes leads from src {} to {}, the dims of output dst (tensor {})",
         to_string(o), input.count, to_string(input.src), to_string(input.dst), o.outputs[0].id);
}

op with_axes(op o, std::vector<int64_t> axes) {
    std::get<reduction_attributes>(o.attributes).axes = std::move(axes);
    o.inputs.resize(1);
    return o;
}

partition with_axes(const partition &p, std::span<const axes_input> inputs, std::span<const std::vector<int64_t>> axes) {
    partition result = p;
    for (size_t i = 0; i < inputs.size(); ++i) {
        op &o = result.ops[inputs[i].op];
        o = with_axes(std::move(o), axes[i]);
    }
    return result;
}

} // namespace onefold::impl
