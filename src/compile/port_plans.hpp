#pragma once

#include <memory>

#include "compile/axes_plans.hpp"
#include "runtime/verbose.hpp"

namespace onefold::impl {

/// How the verbose log names a partition compiled for some ports: id, ops, tensors with types and dims. Without a comma inside.
std::string make_label(const partition &p, const std::vector<logical_tensor> &inputs,
                       const std::vector<logical_tensor> &outputs);

/// The plans of a partition all of whose ports are known: one, or one for each set of axes where these are inputs.
class port_plans {
public:
    /// Keeps at most `most_plans` of those for sets of axes. Throws as compile() does.
    port_plans(const partition &p, resolved_ports ports, size_t most_plans);

    const std::vector<logical_tensor> &inputs() const { return ports_.inputs; }
    const std::vector<logical_tensor> &outputs() const { return ports_.outputs; }
    const std::string &label() const { return label_; }
    /// The steps, or why they are not known.
    const std::string &info() const { return info_; }

    /// The plan of every execution; nullptr where they may differ.
    const plan *only_plan() const { return own_ ? own_.get() : axes_->only_plan(); }

    /// The plan for an execution with those buffers of inputs, in the ports' order. Throws as axes_plans::select().
    plan_lease select(std::span<std::byte *const> inputs) const { return own_ ? plan_lease(*own_) : axes_->select(inputs); }

private:
    resolved_ports ports_;
    std::string label_;
    std::unique_ptr<const plan> own_;        // where no axes are inputs
    std::unique_ptr<const axes_plans> axes_; // where some are
    std::string info_;
};

} // namespace onefold::impl
