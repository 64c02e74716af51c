// Any op that is compiled, alone. The last to be tried, and the only one under policy debug.
#include "partitions/chain.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::impl {

namespace {

std::vector<op_index> match(const graph &g, op_index seed, const taken_ops &) {
    return is_compiled(g.ops()[seed].schema().family) ? std::vector<op_index>{seed} : std::vector<op_index>{};
}

} // namespace

const partition_kind single_op{"single_op", match};

} // namespace onefold::impl
