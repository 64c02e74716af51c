#pragma once

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

/// An element-wise op applied to each result before it is stored: value = f(value) or f(value, other).
struct post_op {
    op_kind op;
    bool is_binary = false;
    unary_attributes attributes;  // of a unary op
    operand other;                // of a binary op; its strides are 0 along reduced dims
    bool value_is_second = false; // of a binary op: other is its first operand
};

enum class computation_kind { reduce, binary, unary, copy, fill };

/// What a lowering is asked to compute, free of the user's ranks and axes. Arithmetic is in f32 at least; dst is stored once,
/// after the post-ops.
struct computation {
    computation_kind kind = computation_kind::copy;
    op_kind op = onefold_op_wildcard; // which reduction, binary or unary; unused by copy and fill
    unary_attributes attributes;      // of a unary op
    float fill_value = 0;             // of fill
    loop_space space;
    std::vector<operand> src;
    operand dst;
    std::vector<post_op> post_ops;
};

} // namespace onefold::impl
