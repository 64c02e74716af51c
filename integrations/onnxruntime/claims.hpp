#pragma once

#include <string_view>

#include "integrations/onnxruntime/group.hpp"

namespace onefold::onnxruntime {

/// Which nodes to take: those where onefold is faster or the CPU provider has no kernel, or all that onefold has.
enum class claim_mode { fast, all };

/// Throws impl::error for another text than fast or all.
claim_mode claim_mode_from(std::string_view text);

/// For each node: whether onefold can compute it, alone.
std::vector<bool> find_supported(const host &h, const host_graph &graph);

/// For each node: whether it is to be taken, in mode fast. The rules are those of claim_rules.cpp.
std::vector<bool> choose_fast(const host_graph &graph, const std::vector<bool> &supported);

/// True if a group of chosen nodes is to be taken, in mode fast.
bool is_worth_it(const host_graph &graph, std::span<const size_t> members, const group &g);

/// Groups of the nodes that are chosen, indices in rising order. No path leads from a group to itself through other nodes, and
/// none from one group to another and back.
std::vector<std::vector<size_t>> group_nodes(const host_graph &graph, const std::vector<bool> &chosen);

/// The groups to take.
std::vector<std::vector<size_t>> find_claims(const host &h, const host_graph &graph, claim_mode mode);

} // namespace onefold::onnxruntime
