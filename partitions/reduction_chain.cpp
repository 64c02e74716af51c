// A reduction and the element-wise ops behind it:
//
//     src -> [reduction] -> [unary | binary(other)] -> ... (up to 20) -> dst
//
// Each value between the ops has one consumer. `other` comes from outside and may be either operand, broadcast or not.
#include "partitions/chain.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::impl {

namespace {

std::vector<op_index> match(const graph &g, op_index seed, const taken_ops &taken) {
    const op &o = g.ops()[seed];
    if (o.schema().family != op_family::reduction || !is_compiled(o)) return {};
    return follow_chain(g, seed, taken);
}

} // namespace

const partition_kind reduction_chain{"reduction_chain", match};

} // namespace onefold::impl
