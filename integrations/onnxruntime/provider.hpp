#pragma once

#include <memory>

#include "integrations/onnxruntime/claims.hpp"
#include "runtime/engine.hpp"

namespace onefold::onnxruntime {

/// The name by which the host knows the provider.
inline constexpr const char *provider_name = "OnefoldExecutionProvider";

/// One session's provider: chooses nodes, and makes of each group what the host calls to compute.
class provider : public OrtEp {
public:
    /// `logger` must live as long as the provider.
    provider(const host &h, claim_mode mode, const OrtLogger &logger);

    /// Names the groups of nodes to take.
    void get_capability(const OrtGraph &graph, OrtEpGraphSupportInfo &info) const;
    /// Makes of a graph that consists of a group's nodes what computes it; the caller owns it.
    OrtNodeComputeInfo *compile(const OrtGraph &graph, const OrtNode &fused_node);

    /// Calls the function with the provider; what it throws becomes a status.
    template <typename Function>
    OrtStatus *guard(Function &&function) noexcept {
        return host_.guard([&] { function(*this); });
    }

private:
    /// False for a graph whose groups the host would mix up with others.
    bool may_take_nodes(const OrtGraph &graph) const;
    /// Whether the group can be computed, as far as it can be told before an execution.
    bool compiles(const host_graph &graph, std::span<const size_t> members) const;

    const host &host_;
    claim_mode mode_;
    bool has_compiled_ = false;
    const OrtLogger &logger_;
    std::shared_ptr<impl::engine> engine_;
};

} // namespace onefold::onnxruntime
