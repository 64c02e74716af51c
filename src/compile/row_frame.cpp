#include "compile/row_frame.hpp"

#include <algorithm>

#include "compile/row_instructions.hpp"
#include "graph/error.hpp"
#include "graph/shape_inference.hpp"

namespace onefold::impl {

namespace {

constexpr size_t most_terms = 8; // of an n-ary op: more are added in trees, by a kernel of their own

/// Of two sizes of a dim that are broadcast; nullopt where they do not go together.
std::optional<int64_t> common_size(int64_t a, int64_t b) {
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    if (a == unknown_dim) return b;
    if (b == unknown_dim) return a;
    return std::nullopt;
}

bool may_be_equal(int64_t a, int64_t b) { return a == b || a == unknown_dim || b == unknown_dim; }

/// From the right; none where an axis is wrong: compiling the op says so.
std::set<size_t> distances_of_axes(const op &o, size_t rank) {
    std::set<size_t> distances;
    try {
        const bool is_reduction = o.schema().family == op_family::reduction;
        for (const int64_t axis : is_reduction ? reduced_axes(o, rank) : normalized_axes(o, rank))
            distances.insert(rank - static_cast<size_t>(axis));
    } catch (const error &) {
        return {};
    }
    return distances;
}

bool is_one_element(const dims &d) {
    return std::all_of(d.begin(), d.end(), [](int64_t size) { return size == 1; });
}

bool is_small_float(const logical_tensor &t) { return contains(small_floats, t.type); }

/// Integers and booleans: what is loaded or stored at the border of a program, but not computed with.
bool is_border(const logical_tensor &t) { return contains(all_integers, t.type) || t.type == onefold_boolean; }

bool is_border_cast(const op &o) {
    if (o.schema().family != op_family::conversion) return false;
    const logical_tensor &src = o.inputs[0];
    const logical_tensor &dst = o.outputs[0];
    return (is_border(src) && is_small_float(dst)) || (is_small_float(src) && is_border(dst));
}

int64_t at(const dims &from_the_right, size_t distance) {
    return distance <= from_the_right.size() ? from_the_right[distance - 1] : 1;
}

} // namespace

bool row_frame::has_instructions(const op &o) {
    if (is_border_cast(o)) return true;
    const auto are_small_floats = [&](const std::vector<logical_tensor> &tensors) {
        return std::all_of(tensors.begin(), tensors.end(), is_small_float);
    };
    if (!are_small_floats(o.inputs) || !are_small_floats(o.outputs)) return false;
    switch (o.schema().family) {
    case op_family::unary:
        return o.kind != onefold_op_pow || row_instructions::has_power(o.unary().alpha);
    case op_family::binary:
    case op_family::conversion:
        return true;
    case op_family::nary:
        return o.inputs.size() <= most_terms;
    case op_family::normalization:
        return true;
    case op_family::reduction:
        return !has_axes_input(o) && !(o.reduction().axes.empty() && o.reduction().if_empty != empty_axes::reduce_all);
    default:
        return false;
    }
}

bool row_frame::try_add(const op &o, const std::function<const dims &(const logical_tensor &)> &dims_of) {
    row_frame before = *this;
    if (has_instructions(o) && add(o, dims_of) && is_consistent()) return true;
    *this = std::move(before);
    return false;
}

bool row_frame::add(const op &o, const std::function<const dims &(const logical_tensor &)> &dims_of) {
    const dims &dst = dims_of(o.outputs[0]);
    if (o.schema().family == op_family::reduction) return add_reduction(o, dims_of(o.inputs[0]), dst);
    if (o.schema().family == op_family::normalization) return add_normalization(o, dims_of);
    if (is_border_cast(o) && !cross_border(o)) return false;
    const auto layout = common_layout(o);
    if (!layout) return false;
    for (const logical_tensor &input : o.inputs)
        if (!add_tensor(input.id, *layout, dims_of(input))) return false;
    return add_tensor(o.outputs[0].id, *layout, dst);
}

/// False where a tensor would be stored and loaded again.
bool row_frame::cross_border(const op &o) {
    const bool is_read = is_border(o.inputs[0]);
    return is_read_.try_emplace((is_read ? o.inputs : o.outputs)[0].id, is_read).first->second == is_read;
}

bool row_frame::add_reduction(const op &o, const dims &src, const dims &dst) {
    const std::set<size_t> reduced = distances_of_axes(o, src.size());
    if (!reduce(reduced, o.inputs[0])) return false;
    // Dims known to be dropped at the left leave the others where they are.
    const bool are_leading = *reduced.begin() + reduced.size() == src.size() + 1;
    const auto layout = o.reduction().keep_dims || are_leading ? tensor_layout::aligned : tensor_layout::dropped;
    return add_tensor(o.inputs[0].id, tensor_layout::aligned, src) && add_tensor(o.outputs[0].id, layout, dst);
}

bool row_frame::add_normalization(const op &o, const std::function<const dims &(const logical_tensor &)> &dims_of) {
    if (!reduce(distances_of_axes(o, dims_of(o.inputs[0]).size()), o.inputs[0])) return false;
    const auto add_aligned = [&](const logical_tensor &t) { return add_tensor(t.id, tensor_layout::aligned, dims_of(t)); };
    if (!std::all_of(o.inputs.begin(), o.inputs.end(), add_aligned) || !add_aligned(o.outputs[0])) return false;
    // Statistics have the dims in front of those that are normalized.
    return std::all_of(o.outputs.begin() + 1, o.outputs.end(),
                       [&](const logical_tensor &t) { return add_tensor(t.id, tensor_layout::dropped, dims_of(t)); });
}

bool row_frame::reduce(const std::set<size_t> &distances, const logical_tensor &src) {
    if (distances.empty() || (reduced_ && *reduced_ != distances)) return false;
    if (layout_of(src.id).value_or(tensor_layout::aligned) != tensor_layout::aligned) return false;
    reduced_ = distances;
    reduction_sources_.push_back(src.id);
    return true;
}

std::optional<tensor_layout> row_frame::layout_of(size_t id) const {
    const auto found = tensors_.find(id);
    // One element lies anywhere.
    if (found == tensors_.end() || is_one_element(found->second.sizes)) return std::nullopt;
    return found->second.layout;
}

std::optional<tensor_layout> row_frame::common_layout(const op &o) const {
    std::optional<tensor_layout> common;
    const auto agrees = [&](const logical_tensor &t) {
        const auto layout = layout_of(t.id);
        if (layout && common && *layout != *common) return false;
        if (layout) common = layout;
        return true;
    };
    if (!std::all_of(o.inputs.begin(), o.inputs.end(), agrees) || !agrees(o.outputs[0])) return std::nullopt;
    return common.value_or(tensor_layout::aligned);
}

bool row_frame::add_tensor(size_t id, tensor_layout layout, const dims &d) {
    if (const auto known = layout_of(id)) return *known == layout;
    const tensor added{layout, spread(layout, d, 1)};
    if (!grow(added.sizes)) return false;
    tensors_.insert_or_assign(id, added);
    return true;
}

bool row_frame::grow(const dims &sizes) {
    sizes_.resize(std::max(sizes_.size(), sizes.size()), 1);
    for (size_t i = 0; i < sizes.size(); ++i) {
        const auto common = common_size(sizes_[i], sizes[i]);
        if (!common) return false;
        sizes_[i] = *common;
    }
    return true;
}

bool row_frame::is_consistent() const {
    return std::all_of(reduction_sources_.begin(), reduction_sources_.end(), [&](size_t id) {
        const dims &src = tensors_.at(id).sizes;
        return std::all_of(reduced_->begin(), reduced_->end(),
                           [&](size_t distance) { return may_be_equal(at(src, distance), at(sizes_, distance)); });
    });
}

bool row_frame::can_store(size_t id) const {
    const dims &mine = tensors_.at(id).sizes;
    bool varies = false;
    bool is_whole = true;
    for (size_t distance = 1; distance <= sizes_.size(); ++distance) {
        const int64_t size = at(mine, distance);
        const bool is_full = may_be_equal(size, at(sizes_, distance));
        if (!is_reduced(distance)) {
            if (!is_full) return false;
            continue;
        }
        varies = varies || size != 1;
        is_whole = is_whole && is_full;
    }
    return is_whole || !varies;
}

dims row_frame::spread(tensor_layout layout, const dims &of_tensor, int64_t filling) const {
    dims spread;
    for (size_t taken = 0; taken < of_tensor.size();) {
        const bool absent = layout == tensor_layout::dropped && is_reduced(spread.size() + 1);
        spread.push_back(absent ? filling : of_tensor[of_tensor.size() - ++taken]);
    }
    return spread;
}

dims row_frame::spread(size_t id, const dims &of_tensor, int64_t filling) const {
    dims d = spread(tensors_.at(id).layout, of_tensor, filling);
    d.resize(sizes_.size(), filling);
    return d;
}

} // namespace onefold::impl
