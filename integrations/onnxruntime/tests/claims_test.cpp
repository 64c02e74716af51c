// How nodes are put into groups, on random graphs.

#include <algorithm>
#include <iterator>
#include <random>

#include <gtest/gtest.h>

#include "graph/error.hpp"
#include "integrations/onnxruntime/claims.hpp"

namespace {

using namespace onefold::onnxruntime;

host_graph random_graph(std::mt19937 &random, size_t nodes) {
    host_graph graph;
    graph.nodes.resize(nodes);
    for (size_t n = 1; n < nodes; ++n)
        for (size_t i = random() % 4; i > 0; --i)
            graph.nodes[n].producers.push_back(n - 1 - random() % std::min<size_t>(n, 12));
    return graph;
}

/// What the host makes of the groups: each is one node, numbered as the groups are, the others follow.
std::vector<size_t> contract(const host_graph &graph, const std::vector<std::vector<size_t>> &groups) {
    std::vector<size_t> node_of(graph.nodes.size());
    for (size_t n = 0; n < node_of.size(); ++n)
        node_of[n] = groups.size() + n;
    for (size_t g = 0; g < groups.size(); ++g)
        for (const size_t member : groups[g])
            node_of[member] = g;
    return node_of;
}

/// Takes away, again and again, nodes that read nothing that is left; true if none stays.
bool is_without_cycles(const host_graph &graph, const std::vector<size_t> &node_of, size_t count) {
    std::vector<std::set<size_t>> readers(count), producers(count);
    for (size_t n = 0; n < node_of.size(); ++n)
        for (const size_t producer : graph.nodes[n].producers)
            if (node_of[producer] != node_of[n]) {
                readers[node_of[producer]].insert(node_of[n]);
                producers[node_of[n]].insert(node_of[producer]);
            }
    std::vector<size_t> ready;
    for (size_t n = 0; n < count; ++n)
        if (producers[n].empty()) ready.push_back(n);
    size_t done = 0;
    for (; done < ready.size(); ++done)
        for (const size_t reader : std::set<size_t>(readers[ready[done]])) {
            producers[reader].erase(ready[done]);
            if (producers[reader].empty()) ready.push_back(reader);
        }
    return done == count;
}

TEST(claims, groups_of_random_graphs_are_convex_and_need_not_wait_for_each_other) {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        const host_graph graph = random_graph(random, 1 + random() % 80);
        std::vector<bool> chosen(graph.nodes.size());
        const size_t share = 1 + random() % 9;
        for (size_t n = 0; n < chosen.size(); ++n)
            chosen[n] = random() % 10 < share;
        const auto groups = group_nodes(graph, chosen);
        size_t members = 0;
        for (const auto &group : groups) {
            members += group.size();
            EXPECT_TRUE(std::is_sorted(group.begin(), group.end()));
            for (const size_t member : group)
                EXPECT_TRUE(chosen[member]);
        }
        EXPECT_EQ(members, static_cast<size_t>(std::count(chosen.begin(), chosen.end(), true)));
        EXPECT_TRUE(is_without_cycles(graph, contract(graph, groups), groups.size() + graph.nodes.size())) << "round " << round;
        // Any of them may be left out.
        std::vector<std::vector<size_t>> some;
        std::copy_if(groups.begin(), groups.end(), std::back_inserter(some), [&](const auto &) { return random() % 2 == 0; });
        EXPECT_TRUE(is_without_cycles(graph, contract(graph, some), some.size() + graph.nodes.size())) << "round " << round;
    }
}

TEST(claims, neighbours_are_one_group_and_what_another_node_is_between_are_two) {
    host_graph graph;
    graph.nodes.resize(5); // 0 -> 1 -> 2 -> 3, 0 -> 3, 4 alone
    graph.nodes[1].producers = {0};
    graph.nodes[2].producers = {1};
    graph.nodes[3].producers = {2, 0};
    using groups = std::vector<std::vector<size_t>>;
    EXPECT_EQ(group_nodes(graph, {true, true, true, true, true}), (groups{{0, 1, 2, 3}, {4}}));
    EXPECT_EQ(group_nodes(graph, {true, true, false, true, false}), (groups{{0, 1}, {3}}));
    EXPECT_EQ(group_nodes(graph, {true, false, false, true, false}), (groups{{0}, {3}}));
    EXPECT_EQ(group_nodes(graph, {false, false, false, false, false}), groups{});
}

TEST(claims, modes_have_names) {
    EXPECT_EQ(claim_mode_from("fast"), claim_mode::fast);
    EXPECT_EQ(claim_mode_from("all"), claim_mode::all);
    EXPECT_THROW(claim_mode_from(""), onefold::impl::error);
}

} // namespace
