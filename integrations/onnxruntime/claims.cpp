#include "integrations/onnxruntime/claims.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "graph/error.hpp"
#include "io/json.hpp"

namespace onefold::onnxruntime {

namespace {

bool is_supported(const host &h, const host_graph &graph, size_t n) {
    if (!graph.nodes[n].is_free) return false;
    try {
        import_group(make_group(h, graph, {&n, 1}));
        return true;
    } catch (const impl::error &) { // the host's own provider has the node then
        return false;
    }
}

/// A group's dims and the axes that it is given decide what is computed, so they must come from outside of it.
void drop_computed_axes(const host &h, const host_graph &graph, std::vector<bool> &chosen) {
    for (size_t n = 0; n < chosen.size(); ++n) {
        if (!chosen[n]) continue;
        const group alone = make_group(h, graph, {&n, 1});
        chosen[n] = std::none_of(alone.inputs.begin(), alone.inputs.end(), [&](const group_input &input) {
            const auto producer = graph.values.at(input.name).producer;
            return input.is_axes && producer && chosen[*producer];
        });
    }
}

/// How often a path to each node has gone from chosen nodes to others or back. Chosen nodes of one level have no other node
/// between them.
std::vector<size_t> levels(const host_graph &graph, const std::vector<bool> &chosen) {
    std::vector<size_t> result(graph.nodes.size(), 0);
    for (size_t n = 0; n < result.size(); ++n)
        for (const size_t producer : graph.nodes[n].producers)
            result[n] = std::max(result[n], result[producer] + (chosen[producer] != chosen[n] ? 1 : 0));
    return result;
}

size_t find_root(std::vector<size_t> &parents, size_t n) {
    while (parents[n] != n)
        n = parents[n] = parents[parents[n]];
    return n;
}

} // namespace

claim_mode claim_mode_from(std::string_view text) {
    if (text == "fast") return claim_mode::fast;
    if (text == "all") return claim_mode::all;
    impl::fail(onefold_invalid_arguments, "provider option claim is \"{}\"; it must be fast or all", impl::io::printable(text));
}

std::vector<bool> find_supported(const host &h, const host_graph &graph) {
    std::vector<bool> supported(graph.nodes.size(), false);
    for (size_t n = 0; n < supported.size(); ++n)
        supported[n] = is_supported(h, graph, n);
    return supported;
}

std::vector<std::vector<size_t>> group_nodes(const host_graph &graph, const std::vector<bool> &chosen) {
    const std::vector<size_t> level = levels(graph, chosen);
    std::vector<size_t> parents(graph.nodes.size());
    std::iota(parents.begin(), parents.end(), size_t{0});
    for (size_t n = 0; n < parents.size(); ++n)
        for (const size_t producer : graph.nodes[n].producers)
            if (chosen[n] && chosen[producer] && level[n] == level[producer])
                parents[find_root(parents, n)] = find_root(parents, producer);
    std::map<size_t, std::vector<size_t>> groups; // by root
    for (size_t n = 0; n < parents.size(); ++n)
        if (chosen[n]) groups[find_root(parents, n)].push_back(n);
    std::vector<std::vector<size_t>> result;
    for (auto &[root, members] : groups)
        result.push_back(std::move(members));
    return result;
}

std::vector<std::vector<size_t>> find_claims(const host &h, const host_graph &graph, claim_mode mode) {
    if (graph.opset < 1 || graph.opset > impl::io::newest_opset) return {};
    std::vector<bool> chosen = find_supported(h, graph);
    if (mode == claim_mode::fast) chosen = choose_fast(graph, chosen);
    drop_computed_axes(h, graph, chosen);
    std::vector<std::vector<size_t>> groups = group_nodes(graph, chosen);
    if (mode == claim_mode::fast)
        std::erase_if(groups, [&](const std::vector<size_t> &members) {
            return !is_worth_it(graph, members, make_group(h, graph, members));
        });
    return groups;
}

} // namespace onefold::onnxruntime
