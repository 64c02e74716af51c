#pragma once

#include "support/run_op.hpp"

namespace onefold_test {

/// An op of a chain: it reads the value before it and, if it is binary, a source.
struct chain_link {
    op::kind kind;
    attributes attrs = {};
    size_t other = 0; // the source's number; 0, which the first op reads, for none
};

/// The ops as one partition. Sources have the ids 0, 1, ..., all of the type of the first; dst has dst_id.
inline compiled_partition compile_chain(const std::vector<chain_link> &links, const std::vector<array> &srcs) {
    const data_type type = srcs.at(0).type();
    const auto value_behind = [&](size_t i) { return open_tensor(i + 1 == links.size() ? dst_id : dst_id + 1 + i, type); };
    graph g(engine::kind::cpu);
    for (size_t i = 0; i < links.size(); ++i) {
        std::vector<logical_tensor> inputs = {i == 0 ? srcs[0].describe(0) : value_behind(i - 1)};
        if (links[i].other != 0) inputs.push_back(srcs.at(links[i].other).describe(links[i].other));
        g.add_op(make_op(i, links[i].kind, links[i].attrs, inputs, value_behind(i)));
    }
    g.finalize();
    const auto partitions = g.get_partitions();
    EXPECT_EQ(partitions.size(), 1U) << "the ops are not one partition";
    return partitions.at(0).compile(describe(srcs), {open_tensor(dst_id, type)}, cpu());
}

/// Compiles and executes.
inline array run_chain(const std::vector<chain_link> &links, std::vector<array> &srcs) {
    const auto compiled = compile_chain(links, srcs);
    array dst(srcs[0].type(), compiled.query_logical_tensor(dst_id).get_dims());
    execute(compiled, srcs, dst);
    EXPECT_TRUE(dst.gaps_are_untouched()) << "the output's gaps were written to";
    return dst;
}

} // namespace onefold_test
