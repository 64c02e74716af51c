#pragma once

#include <memory>

#include "compile/axes_input.hpp"
#include "compile/bounded_cache.hpp"
#include "compile/plan.hpp"

namespace onefold::impl {

using plan_lease = bounded_cache<plan>::lease;

/// The plans of a partition with reductions whose axes are inputs: one for each set of axes that it was executed with. Sets
/// that differ only in dims of 1 have one plan.
class axes_plans {
public:
    /// Compiles at once what the ports leave no choice about; else at most `most_plans` are kept. `label` names the partition
    /// in the verbose log. Throws as compile() does.
    axes_plans(const partition &p, const resolved_ports &ports, std::string label, size_t most_plans);

    /// The plan for every set of axes that leads to the dims of the outputs; nullptr where there may be several.
    const plan *only_plan() const { return only_plan_.get(); }

    /// The plan for the axes in the inputs' buffers, compiled where they are new. Takes no lock and allocates nothing for a set
    /// that is known, unless the axes are unusually many. Throws invalid_arguments, invalid_shape where the axes do not fit.
    plan_lease select(std::span<std::byte *const> inputs) const;

private:
    using axes_list = std::span<const int64_t>;

    const op &op_of(const axes_input &input) const { return partition_.ops[input.op]; }
    /// Reads axes and checks them; `room` has place for twice as many, the result is its first half: normalised.
    axes_list read(const axes_input &input, const std::byte *data, std::span<int64_t> room) const;
    [[noreturn]] void fail_for_dst(const axes_input &input, axes_list axes) const;
    std::unique_ptr<plan> make(std::span<const std::vector<int64_t>> axes) const;
    std::unique_ptr<plan> make_and_report(std::span<const std::vector<int64_t>> axes) const;

    partition partition_;
    resolved_ports ports_;
    std::string label_;
    std::vector<axes_input> inputs_;
    size_t count_ = 0; // of axes in all
    std::unique_ptr<const plan> only_plan_;
    mutable bounded_cache<plan> plans_;
};

} // namespace onefold::impl
