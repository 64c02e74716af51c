#include "compile/axes_plans.hpp"

#include <algorithm>
#include <cstring>

#include "compile/small_table.hpp"
#include "graph/error.hpp"
#include "graph/shape_inference.hpp"
#include "runtime/verbose.hpp"

namespace onefold::impl {

namespace {

constexpr size_t few_axes = 64; // up to so many no memory is allocated

int64_t load(data_type type, const std::byte *element) {
    int32_t narrow = 0;
    int64_t wide = 0;
    if (type == onefold_s64)
        std::memcpy(&wide, element, sizeof wide);
    else
        std::memcpy(&narrow, element, sizeof narrow);
    return type == onefold_s64 ? wide : narrow;
}

/// Writes the part of a plan's key that a reduction's axes make: those of dims other than 1, and an end. Returns its length.
size_t write_key(const axes_input &input, std::span<const int64_t> axes, std::span<int64_t> key) {
    size_t length = 0;
    for (const int64_t axis : axes)
        if (input.src[static_cast<size_t>(axis)] != 1) key[length++] = axis;
    key[length++] = -1;
    return length;
}

} // namespace

axes_plans::axes_plans(const partition &p, const resolved_ports &ports, std::string label, size_t most_plans)
    : partition_(p), ports_(ports), label_(std::move(label)), inputs_(find_axes_inputs(p, ports)), plans_(most_plans) {
    std::vector<std::vector<int64_t>> axes;
    bool is_only_way = true;
    for (const axes_input &input : inputs_) {
        possible_axes found = find_possible_axes(op_of(input), input);
        is_only_way = is_only_way && found.is_only_way;
        axes.push_back(std::move(found.axes));
        count_ += input.count;
    }
    if (is_only_way) only_plan_ = make(axes);
}

std::unique_ptr<plan> axes_plans::make(std::span<const std::vector<int64_t>> axes) const {
    auto made = std::make_unique<plan>(make_plan(with_axes(partition_, inputs_, axes), ports_));
    // No step reads the axes, but whoever executes again wants them to be what they were.
    std::erase_if(made->inplace_pairs, [&](const onefold_inplace_pair &pair) {
        return std::any_of(inputs_.begin(), inputs_.end(),
                           [&](const axes_input &input) { return ports_.inputs[input.port].id == pair.input_id; });
    });
    return made;
}

std::unique_ptr<plan> axes_plans::make_and_report(std::span<const std::vector<int64_t>> axes) const {
    const verbose_timer timer;
    auto made = make(axes);
    std::string label = label_ + " axes";
    for (const auto &list : axes)
        label += ":" + (list.empty() ? std::string("none") : to_string(list));
    timer.report("compile", label, made->info);
    return made;
}

axes_plans::axes_list axes_plans::read(const axes_input &input, const std::byte *data, std::span<int64_t> room) const {
    const logical_tensor &port = ports_.inputs[input.port];
    const op &o = op_of(input);
    const std::span<int64_t> normalised = room.first(input.count);
    const std::span<int64_t> given = room.last(input.count);
    for (size_t i = 0; i < input.count; ++i)
        given[i] = load(port.type, data + static_cast<int64_t>(i) * port.strides[0] * size_of(port.type));
    if (input.count <= few_axes) {
        normalise_few_axes(o, given, input.src.size(), normalised);
    } else {
        const auto many = normalise_axes(o, given, input.src.size());
        std::copy(many.begin(), many.end(), normalised.begin());
    }
    if (input.count > 0 && !leads_to_dst(input, o.reduction().keep_dims, normalised)) fail_for_dst(input, given);
    return normalised;
}

void axes_plans::fail_for_dst(const axes_input &input, axes_list axes) const {
    const op &o = op_of(input);
    op reduction = with_axes(o, {axes.begin(), axes.end()});
    reduction.inputs[0].dims = input.src;
    fail(onefold_invalid_shape,
         "{}: input axes (tensor {}) is {}, which leads from src {} to {}; output dst (tensor {}) has {}", to_string(o),
         ports_.inputs[input.port].id, to_string(attribute_value(reduction.reduction().axes)), to_string(input.src),
         to_string(infer_reduction(reduction, reduction.inputs)), o.outputs[0].id, to_string(input.dst));
}

plan_lease axes_plans::select(std::span<std::byte *const> inputs) const {
    small_table<int64_t, 3 * few_axes + 8> table(3 * count_ + inputs_.size());
    const std::span<int64_t> key = table.view().last(count_ + inputs_.size());
    size_t key_length = 0, first = 0;
    for (const axes_input &input : inputs_) {
        const auto axes = read(input, inputs[input.port], table.view().subspan(first, 2 * input.count));
        key_length += write_key(input, axes, key.subspan(key_length));
        first += 2 * input.count;
    }
    if (only_plan_) return plan_lease(*only_plan_);
    if (plan_lease known = plans_.find(key.first(key_length))) return known;
    std::vector<std::vector<int64_t>> axes;
    first = 0;
    for (const axes_input &input : inputs_) {
        const auto list = table.view().subspan(first, input.count);
        axes.emplace_back(list.begin(), list.end());
        first += 2 * input.count;
    }
    return plans_.keep(key.first(key_length), make_and_report(axes));
}

} // namespace onefold::impl
