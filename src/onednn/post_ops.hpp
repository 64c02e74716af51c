#pragma once

#include <optional>

#include "onednn/primitive_step.hpp"

namespace onefold::impl::onednn {

/// oneDNN's algorithm of a unary op, with its parameters.
struct eltwise_algorithm {
    dnnl::algorithm algorithm;
    float alpha = 0;
    float beta = 0;
};
/// nullopt where oneDNN has none.
std::optional<eltwise_algorithm> to_eltwise(op_kind op, const unary_attributes &attributes);

/// oneDNN's algorithm of a binary op; undef where it has none that keeps the rules (its max and min drop NaN).
dnnl::algorithm to_binary(op_kind op);

/// Post-ops as primitive attributes, and their operands as arguments.
struct post_op_attributes {
    dnnl::primitive_attr attributes;
    std::vector<argument> arguments;
};
/// nullopt where a post-op cannot be one of oneDNN's. `first_square` puts a square before them.
std::optional<post_op_attributes> to_attributes(const computation &c, bool first_square = false);

} // namespace onefold::impl::onednn
