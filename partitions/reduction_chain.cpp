// A reduction and the element-wise ops around it:
//
//     src -> [unary | binary(other)] -> ... (up to 21) -> [reduction] -> [unary | binary(other)] -> ... (up to 20) -> dst
//
// Each value between the ops has one consumer. `other` comes from outside and may be either operand, broadcast or not. So do a
// reduction's axes where they are an input; with a dst of unknown dims, such a reduction ends the partition.
#include "partitions/chain.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::impl {

namespace {

/// Not as its axes, that is.
bool reads_as_src(const op &consumer, const op &producer) {
    return !consumer.inputs.empty() && consumer.inputs[0].id == producer.outputs[0].id;
}

std::vector<op_index> match(const graph &g, op_index seed, const taken_ops &taken) {
    std::vector<op_index> members;
    if (is_elementwise(g.ops()[seed])) {
        members = follow_chain(g, seed, taken);
        const auto next = next_in_chain(g, members.back(), taken);
        if (!next || !reads_as_src(g.ops()[*next], g.ops()[members.back()])) return {};
        seed = *next;
    }
    if (!is_reduction(g.ops()[seed])) return {};
    const auto rest = follow_chain(g, seed, taken);
    members.insert(members.end(), rest.begin(), rest.end());
    return members;
}

} // namespace

const partition_kind reduction_chain{"reduction_chain", match};

} // namespace onefold::impl
