#pragma once

#include "compile/bound_tensor.hpp"
#include "compile/port_plans.hpp"

namespace onefold::impl {

/// The plans of a partition with inputs whose dims or strides only an execution brings: one set of them for all dims and
/// strides that it was executed with, as far as there is room.
class dims_plans {
public:
    using lease = bounded_cache<port_plans>::lease;

    /// Throws as find_open_ports().
    dims_plans(const partition &p, open_ports ports);

    /// As far as they are known at compile().
    const std::vector<logical_tensor> &inputs() const { return ports_.inputs; }
    const std::vector<logical_tensor> &outputs() const { return ports_.outputs; }
    const std::string &label() const { return label_; }

    /// The plans for the ports that an execution's tensors make, in the ports' order: inputs, then outputs. Compiled where they
    /// are new. Takes no lock and allocates nothing where they are known, unless ranks are unusually high. Throws
    /// invalid_arguments, invalid_shape, and what compile() throws.
    lease select(std::span<const bound_tensor> tensors) const;

private:
    const logical_tensor &port(size_t i) const {
        return i < ports_.inputs.size() ? ports_.inputs[i] : ports_.outputs[i - ports_.inputs.size()];
    }
    void check(size_t i, const logical_tensor &given) const;
    std::unique_ptr<const port_plans> make(std::span<const bound_tensor> tensors) const;

    partition partition_;
    open_ports ports_;
    std::string label_;
    std::vector<size_t> open_; // ports of which something is not known
    mutable bounded_cache<port_plans> plans_;
};

} // namespace onefold::impl
