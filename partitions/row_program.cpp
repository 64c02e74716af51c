// Reductions over the same dims, and the element-wise ops and type casts in front of them, between them and behind them:
//
//     src -+-> [reduce] -> ... -+-> [binary] -> ... -> dst      e.g. layer normalization written out: mean, difference, square,
//          +--------------------+                               mean, square root, division
//
// Any number of ops of any shape of graph that share one loop space (see row_frame): each tensor is full, or reduced, or
// broadcast along kept or along reduced dims. Values may have several consumers, inside and outside. A chain without any of
// that is left to the kinds for chains.
#include <algorithm>
#include <map>
#include <set>

#include "compile/row_frame.hpp"
#include "partitions/chain.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::impl {

namespace {

constexpr size_t most_ops = 128;

using op_set = std::set<op_index>;

bool has_known_ranks(const graph &g, const op &o) {
    const auto is_known = [&](const logical_tensor &t) { return g.dims_of(t) != nullptr; };
    return std::all_of(o.inputs.begin(), o.inputs.end(), is_known) && std::all_of(o.outputs.begin(), o.outputs.end(), is_known);
}

/// The ops that consume an op's results, and those that produce its inputs.
std::vector<op_index> consumers_of(const graph &g, op_index i) {
    std::vector<op_index> all;
    for (const auto &output : g.ops()[i].outputs)
        all.insert(all.end(), g.consumers(output.id).begin(), g.consumers(output.id).end());
    return all;
}
std::vector<op_index> producers_of(const graph &g, op_index i) {
    std::vector<op_index> all;
    for (const auto &input : g.ops()[i].inputs)
        if (const auto producer = g.producer(input.id)) all.push_back(*producer);
    return all;
}

/// True if a value of the members leads, by way of ops or partitions outside, to a member again.
bool has_way_around(const graph &g, const op_set &members, const taken_ops &taken) {
    size_t last = taken.last_position();
    for (const op_index member : members)
        last = std::max(last, g.position(member));
    op_set seen;
    std::vector<op_index> next;
    const auto visit = [&](op_index i) {
        // What stands behind all members, and all partitions, leads to none.
        if (g.position(i) <= last && seen.insert(i).second) next.push_back(i);
    };
    const auto visit_consumers = [&](op_index i, bool of_member) {
        for (const op_index consumer : consumers_of(g, i))
            if (!of_member || members.count(consumer) == 0) visit(consumer);
    };
    for (const op_index member : members)
        visit_consumers(member, true);
    while (!next.empty()) {
        const op_index i = next.back();
        next.pop_back();
        if (members.count(i) != 0) return true;
        for (const op_index mate : taken.mates(i))
            visit_consumers(mate, false);
    }
    return false;
}

class row_program_match {
public:
    row_program_match(const graph &g, op_index seed, const taken_ops &taken, const op_set &excluded)
        : graph_(g), taken_(taken), excluded_(excluded) {
        consider(seed);
        while (!frontier_.empty() && members_.size() < most_ops) {
            const op_index next = *frontier_.begin();
            frontier_.erase(frontier_.begin());
            consider(next);
        }
    }

    const op_set &members() const { return members_; }

    /// The members that give a result which could not be stored.
    op_set offenders() const {
        op_set found;
        for (const op_index member : members_)
            for (const auto &output : graph_.ops()[member].outputs)
                if (leaves(graph_, output.id, members_) && !frame_.can_store(output.id)) found.insert(member);
        return found;
    }

    /// True of what chains have no place for.
    bool is_more_than_a_chain() const {
        size_t reductions = 0;
        bool has_branch = false;
        for (const op_index member : members_) {
            const op &o = graph_.ops()[member];
            if (o.schema().family == op_family::reduction) ++reductions;
            has_branch = has_branch || o.schema().family == op_family::conversion ||
                         o.schema().family == op_family::normalization || count_inside(o) > 1 ||
                         (count_inside(o) > 0 && leaves(graph_, o.outputs[0].id, members_)) || broadcasts_a_member(o);
        }
        return reductions > 1 || has_branch;
    }

private:
    void consider(op_index i) {
        const op &o = graph_.ops()[i];
        if (!has_known_ranks(graph_, o) || !row_frame::has_instructions(o)) return;
        row_frame before = frame_;
        if (!frame_.try_add(o, [&](const logical_tensor &t) -> const dims & { return *graph_.dims_of(t); })) return;
        members_.insert(i);
        if (has_way_around(graph_, members_, taken_)) {
            members_.erase(i);
            frame_ = std::move(before);
            return;
        }
        for (const auto &neighbours : {consumers_of(graph_, i), producers_of(graph_, i)})
            for (const op_index neighbour : neighbours)
                if (!taken_[neighbour] && excluded_.count(neighbour) == 0 && members_.count(neighbour) == 0)
                    frontier_.insert(neighbour);
    }

    /// True of an element-wise op whose result has more elements than what another member gives it.
    bool broadcasts_a_member(const op &o) const {
        return o.schema().family != op_family::reduction &&
               std::any_of(o.inputs.begin(), o.inputs.end(), [&](const logical_tensor &input) {
                   const auto producer = graph_.producer(input.id);
                   return producer && members_.count(*producer) != 0 && *graph_.dims_of(input) != *graph_.dims_of(o.outputs[0]);
               });
    }

    /// The members that consume an op's result.
    size_t count_inside(const op &o) const {
        const auto &consumers = graph_.consumers(o.outputs[0].id);
        return static_cast<size_t>(
            std::count_if(consumers.begin(), consumers.end(), [&](op_index c) { return members_.count(c) != 0; }));
    }

    const graph &graph_;
    const taken_ops &taken_;
    const op_set &excluded_;
    row_frame frame_;
    op_set members_;
    op_set frontier_; // ops next to a member, to be considered
};

std::vector<op_index> match(const graph &g, op_index seed, const taken_ops &taken) {
    op_set excluded;
    while (true) {
        const row_program_match found(g, seed, taken, excluded);
        const op_set offenders = found.offenders();
        if (offenders.count(seed) != 0 || found.members().empty()) return {};
        if (!offenders.empty()) {
            excluded.insert(offenders.begin(), offenders.end());
            continue;
        }
        if (found.members().size() == 1 || !found.is_more_than_a_chain()) return {};
        std::vector<op_index> members;
        for (const op_index i : g.topological_order())
            if (found.members().count(i) != 0) members.push_back(i);
        return members;
    }
}

} // namespace

const partition_kind row_program_kind{"row_program", match};

} // namespace onefold::impl
