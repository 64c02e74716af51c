#include "graph/shape_inference.hpp"

#include <algorithm>
#include <numeric>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

/// From the front.
size_t position_of_axis(const op &o, int64_t axis, size_t rank) {
    const auto r = static_cast<int64_t>(rank);
    if (r == 0) fail(onefold_invalid_arguments, "{}: axis {} of a rank 0 src; rank 0 has no axis", to_string(o), axis);
    if (axis < -r || axis >= r)
        fail(onefold_invalid_arguments, "{}: axis {} is not in [{}, {}], the range for a src of rank {}", to_string(o), axis,
             -r, r - 1, r);
    return static_cast<size_t>(axis < 0 ? axis + r : axis);
}

[[noreturn]] void fail_for_axis_given_twice(const op &o, int64_t axis, size_t rank) {
    fail(onefold_invalid_arguments, "{}: axis {} is given twice for a src of rank {}", to_string(o), axis, rank);
}

} // namespace

std::vector<int64_t> normalise_axes(const op &o, std::span<const int64_t> axes, size_t rank) {
    std::vector<bool> reduced(rank, false);
    for (const int64_t axis : axes) {
        const size_t position = position_of_axis(o, axis, rank);
        if (reduced[position]) fail_for_axis_given_twice(o, axis, rank);
        reduced[position] = true;
    }
    std::vector<int64_t> normalised;
    for (size_t i = 0; i < rank; ++i)
        if (reduced[i]) normalised.push_back(static_cast<int64_t>(i));
    return normalised;
}

void normalise_few_axes(const op &o, std::span<const int64_t> axes, size_t rank, std::span<int64_t> normalised) {
    int64_t *end = normalised.data();
    for (const int64_t axis : axes) {
        const auto position = static_cast<int64_t>(position_of_axis(o, axis, rank));
        int64_t *place = std::lower_bound(normalised.data(), end, position);
        if (place != end && *place == position) fail_for_axis_given_twice(o, axis, rank);
        std::copy_backward(place, end, end + 1);
        *place = position;
        ++end;
    }
}

bool is_identity(const op &o) { return o.reduction().axes.empty() && o.reduction().if_empty == empty_axes::identity; }

std::vector<int64_t> reduced_axes(const op &o, size_t rank) {
    const auto &attributes = o.reduction();
    if (!attributes.axes.empty() || attributes.if_empty != empty_axes::reduce_all)
        return normalise_axes(o, attributes.axes, rank);
    std::vector<int64_t> all(rank);
    std::iota(all.begin(), all.end(), int64_t{0});
    return all;
}

dims infer_reduction(const op &o, std::span<const logical_tensor> inputs) {
    const dims &src = inputs[0].dims;
    const auto axes = reduced_axes(o, src.size());
    dims dst;
    for (size_t i = 0; i < src.size(); ++i) {
        const bool reduced = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
        if (!reduced)
            dst.push_back(src[i]);
        else if (o.reduction().keep_dims)
            dst.push_back(1);
    }
    return dst;
}

std::optional<dims> broadcast(const dims &a, const dims &b) {
    const dims &longer = a.size() >= b.size() ? a : b;
    const dims &shorter = a.size() >= b.size() ? b : a;
    dims result = longer;
    const size_t offset = longer.size() - shorter.size();
    for (size_t i = 0; i < shorter.size(); ++i) {
        int64_t &size = result[offset + i];
        if (size == shorter[i] || shorter[i] == 1) continue;
        if (size != 1) return std::nullopt;
        size = shorter[i];
    }
    return result;
}

dims infer_broadcast(const op &o, std::span<const logical_tensor> inputs) {
    const auto *attributes = std::get_if<binary_attributes>(&o.attributes);
    const bool may_differ = attributes == nullptr || attributes->broadcast;
    dims dst = inputs[0].dims;
    for (size_t i = 1; i < inputs.size(); ++i) {
        const dims &src = inputs[i].dims;
        if (!may_differ && src != dst)
            fail(onefold_invalid_shape, "{}: src_0 {} and src_{} {} differ, but auto_broadcast is none", to_string(o),
                 to_string(dst), i, to_string(src));
        auto common = broadcast(dst, src);
        if (!common && i == 1)
            fail(onefold_invalid_shape, "{}: src_0 {} and src_1 {} cannot be broadcast together", to_string(o), to_string(dst),
                 to_string(src));
        if (!common)
            fail(onefold_invalid_shape, "{}: src_{} {} cannot be broadcast with {}, the shape of those before it", to_string(o),
                 i, to_string(src), to_string(dst));
        dst = std::move(*common);
    }
    return dst;
}

dims infer_same(const op &, std::span<const logical_tensor> inputs) { return inputs[0].dims; }

std::vector<int64_t> normalized_axes(const op &o, size_t rank) {
    const bool has_one_axis = o.kind == onefold_op_softmax || o.kind == onefold_op_log_softmax;
    const auto &attributes = o.normalization();
    const op_attr name = has_one_axis ? onefold_op_attr_axis : onefold_op_attr_begin_norm_axis;
    const int64_t given = has_one_axis ? attributes.axis : attributes.begin_norm_axis;
    const auto r = static_cast<int64_t>(rank);
    if (r == 0)
        fail(onefold_invalid_arguments, "{}: attribute {} is {}, but src has rank 0, which has no axis", to_string(o),
             name_of(name), given);
    if (given < -r || given >= r)
        fail(onefold_invalid_arguments, "{}: attribute {} is {}, not in [{}, {}], the range for a src of rank {}", to_string(o),
             name_of(name), given, -r, r - 1, r);
    const int64_t first = given < 0 ? given + r : given;
    std::vector<int64_t> axes(static_cast<size_t>(has_one_axis ? 1 : r - first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

std::vector<dims> infer_normalization(const op &o, std::span<const logical_tensor> inputs) {
    const dims &src = inputs[0].dims;
    const auto axes = normalized_axes(o, src.size());
    for (size_t i = 1; i < inputs.size(); ++i)
        if (broadcast(src, inputs[i].dims) != src)
            fail(onefold_invalid_shape, "{}: input {} has dims {}, which cannot be broadcast to src's {}", to_string(o),
                 o.schema().inputs[i].name, to_string(inputs[i].dims), to_string(src));
    std::vector<dims> result(o.outputs.size(), dims(src.begin(), src.begin() + axes[0]));
    result[0] = src;
    return result;
}

namespace {

/// Broadcasting where dims are open: so is each dim of the result that an open dim has a say in.
std::optional<dims> broadcast_open(std::span<const logical_tensor> srcs) {
    dims result;
    for (const logical_tensor &src : srcs) {
        dims padded(std::max(result.size(), src.dims.size()) - src.dims.size(), 1);
        padded.insert(padded.end(), src.dims.begin(), src.dims.end());
        result.insert(result.begin(), padded.size() - result.size(), 1);
        for (size_t d = 0; d < padded.size(); ++d) {
            const int64_t a = result[d];
            const int64_t b = padded[d];
            const bool open = a == unknown_dim || b == unknown_dim;
            if (!open && a != b && a != 1 && b != 1) return std::nullopt;
            result[d] = !open ? (a == 1 ? b : a) : unknown_dim;
        }
    }
    return result;
}

} // namespace

std::optional<std::vector<dims>> infer_open(const op &o, std::span<const logical_tensor> inputs) {
    const op_family family = o.schema().family;
    const bool open = !std::all_of(inputs.begin(), inputs.end(), [](const logical_tensor &t) { return t.has_known_dims(); });
    if (!open || (family != op_family::binary && family != op_family::nary))
        // What else a normalization reads has no say in its outputs.
        return o.schema().infer(o, open && family == op_family::normalization ? inputs.first(1) : inputs);
    auto result = broadcast_open(inputs);
    return result ? std::optional(std::vector<dims>{std::move(*result)}) : std::nullopt;
}

} // namespace onefold::impl
