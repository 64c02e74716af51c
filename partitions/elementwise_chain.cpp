// Element-wise ops in a row:
//
//     src... -> [unary | binary(other) | n-ary] -> [unary | binary(other)] -> ... (up to 20 behind the first) -> dst
//
// Each value between the ops has one consumer. `other` comes from outside and may be either operand, broadcast or not.
#include "partitions/chain.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::impl {

namespace {

std::vector<op_index> match(const graph &g, op_index seed, const taken_ops &taken) {
    const op &o = g.ops()[seed];
    if (!is_elementwise(o) && o.schema().family != op_family::nary) return {};
    return follow_chain(g, seed, taken);
}

} // namespace

const partition_kind elementwise_chain{"elementwise_chain", match};

} // namespace onefold::impl
