#include "partitions/chain.hpp"

namespace onefold::impl {

namespace {

constexpr size_t longest_chain = 20; // ops behind the first

} // namespace

std::optional<op_index> next_in_chain(const graph &g, op_index last, const taken_ops &taken) {
    // compile()'s caller must be able to tell these dims, so that the tensor has to be a port.
    if (has_axes_input(g.ops()[last]) && !g.ops()[last].outputs[0].has_known_dims()) return std::nullopt;
    const auto &consumers = g.consumers(g.ops()[last].outputs[0].id);
    if (consumers.size() != 1 || taken[consumers[0]]) return std::nullopt;
    return consumers[0];
}

bool is_elementwise(const op &o) {
    const op_family family = o.schema().family;
    return family == op_family::unary || family == op_family::binary;
}

bool is_reduction(const op &o) { return o.schema().family == op_family::reduction; }

std::vector<op_index> follow_chain(const graph &g, op_index seed, const taken_ops &taken) {
    std::vector<op_index> chain{seed};
    while (chain.size() <= longest_chain) {
        const auto next = next_in_chain(g, chain.back(), taken);
        if (!next || !is_elementwise(g.ops()[*next])) break;
        chain.push_back(*next);
    }
    return chain;
}

} // namespace onefold::impl
