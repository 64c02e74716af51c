#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "graph/attributes.hpp"
#include "graph/types.hpp"

namespace onefold::impl {

/// A tensor as a loop over a space sees it. `buffer` numbers the program's buffers.
struct operand {
    size_t buffer = 0;
    data_type type = onefold_f32;
    dims strides; // in elements, one a loop dim; 0 where the tensor is broadcast or the dim is reduced away
};

/// The canonical, collapsed iteration space: sizes outermost first, and which of them are reduced.
struct loop_space {
    dims sizes;
    std::vector<bool> reduced;

    size_t rank() const { return sizes.size(); }
};

/// An element-wise op applied to each result before it is stored, or to each element before it is reduced: value = f(value)
/// or f(value, other).
struct post_op {
    op_kind op;
    bool is_binary = false;
    unary_attributes attributes;  // of a unary op
    operand other;                // of a binary op; behind a reduction its strides are 0 along reduced dims
    bool value_is_second = false; // of a binary op: other is its first operand
};

/// What arithmetic on elements of a type is done in: f32 for the floats of 16 bits, else the type itself.
inline data_type arithmetic_type(data_type type) { return type == onefold_bf16 || type == onefold_f16 ? onefold_f32 : type; }

enum class computation_kind {
    reduce,
    binary,
    nary, // a reduction over the sources
    unary,
    copy,
    fill // with the result of a reduction over nothing
};

/// What a lowering is asked to compute, free of the user's ranks and axes. All operands have the same arithmetic type, but for
/// a copy without post-ops, which casts; dst is stored once, after the post-ops.
struct computation {
    computation_kind kind = computation_kind::copy;
    op_kind op = onefold_op_wildcard; // which reduction (of nary and fill too), binary or unary op; unused by copy
    unary_attributes attributes;      // of a unary op
    loop_space space;
    std::vector<operand> src;
    std::vector<post_op> pre_ops; // applied to each element of a reduction's source
    operand dst;
    std::vector<post_op> post_ops;

    /// What it is computed in. A maximum or minimum alone gives one of its elements, so these are left in their type; a cast
    /// ends in dst's.
    data_type arithmetic() const { return is_cast() || is_lone_extreme() ? dst.type : arithmetic_type(dst.type); }

    /// True for a copy into another arithmetic type.
    bool is_cast() const { return kind == computation_kind::copy && arithmetic_type(src[0].type) != arithmetic_type(dst.type); }

private:
    bool is_lone_extreme() const {
        constexpr std::array kinds = {computation_kind::reduce, computation_kind::binary, computation_kind::nary};
        constexpr std::array extremes = {onefold_op_reduce_max, onefold_op_reduce_min, onefold_op_maximum,
                                         onefold_op_minimum,    onefold_op_max,        onefold_op_min};
        return contains(kinds, kind) && contains(extremes, op) && pre_ops.empty() && post_ops.empty() &&
               std::all_of(src.begin(), src.end(), [&](const operand &o) { return o.type == dst.type; });
    }
    template <typename List, typename Value>
    static bool contains(const List &list, Value value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }
};

/// A computation's operands: sources, those of the pre-ops, dst, those of the post-ops.
template <typename Computation>
auto operands_of(Computation &c) {
    std::vector<decltype(&c.dst)> operands;
    const auto add_others = [&](auto &ops) {
        for (auto &p : ops)
            if (p.is_binary) operands.push_back(&p.other);
    };
    for (auto &src : c.src)
        operands.push_back(&src);
    add_others(c.pre_ops);
    operands.push_back(&c.dst);
    add_others(c.post_ops);
    return operands;
}

} // namespace onefold::impl
