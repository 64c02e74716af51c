#include "integrations/onnxruntime/provider.hpp"

#include <fmt/format.h>

#include "graph/error.hpp"
#include "integrations/onnxruntime/compiled_group.hpp"

namespace onefold::onnxruntime {

namespace {

/// What the host calls for a group that it has made a node of.
class node_compute_info : public OrtNodeComputeInfo {
public:
    node_compute_info(const host &h, std::unique_ptr<const compiled_group> g)
        : OrtNodeComputeInfo{}, host_(h), group_(std::move(g)) {
        ort_version_supported = h.version();
        CreateState = [](OrtNodeComputeInfo *self, OrtNodeComputeContext *, void **state) noexcept -> OrtStatus * {
            *state = self; // executions share what is compiled and have nothing of their own
            return nullptr;
        };
        Compute = [](OrtNodeComputeInfo *self, void *, OrtKernelContext *context) noexcept {
            const auto &info = *static_cast<const node_compute_info *>(self);
            return info.host_.guard([&] { info.group_->compute(*context); });
        };
        ReleaseState = [](OrtNodeComputeInfo *, void *) noexcept {};
    }

private:
    const host &host_;
    std::unique_ptr<const compiled_group> group_;
};

const char *get_name(const OrtEp *) noexcept { return provider_name; }

OrtStatus *get_capability(OrtEp *self, const OrtGraph *graph, OrtEpGraphSupportInfo *info) noexcept {
    return static_cast<provider *>(self)->guard([&](provider &p) { p.get_capability(*graph, *info); });
}

OrtStatus *compile(OrtEp *self, const OrtGraph **graphs, const OrtNode **fused_nodes, size_t count, OrtNodeComputeInfo **infos,
                   OrtNode **) noexcept {
    return static_cast<provider *>(self)->guard([&](provider &p) {
        for (size_t i = 0; i < count; ++i)
            infos[i] = p.compile(*graphs[i], *fused_nodes[i]);
    });
}

void release_node_compute_infos(OrtEp *, OrtNodeComputeInfo **infos, size_t count) noexcept {
    for (size_t i = 0; i < count; ++i)
        delete static_cast<node_compute_info *>(infos[i]);
}

} // namespace

provider::provider(const host &h, claim_mode mode, const OrtLogger &logger)
    : OrtEp{},
      host_(h),
      mode_(mode),
      logger_(logger),
      engine_(std::make_shared<impl::engine>(onefold_cpu, 0, impl::allocator{})) {
    ort_version_supported = h.version();
    GetName = get_name;
    GetCapability = onnxruntime::get_capability;
    Compile = onnxruntime::compile;
    ReleaseNodeComputeInfos = release_node_compute_infos;
}

bool provider::compiles(const host_graph &graph, std::span<const size_t> members) const {
    try {
        const group g = make_group(host_, graph, members);
        if (is_fixed(g))
            program(g, known_inputs(g), *engine_);
        else
            import_group(g);
        return true;
    } catch (const impl::error &e) {
        host_.warn(logger_, fmt::format("onefold leaves {} nodes from \"{}\" on to other providers: {}", members.size(),
                                        graph.nodes[members[0]].source.name, e.what()));
        return false;
    }
}

bool provider::may_take_nodes(const OrtGraph &graph) const {
    // 1.23 numbers the groups of each graph from 0 on, and refuses a model in which two graphs have some: there, those inside
    // of nodes are left alone, and so is what comes after a graph that has groups.
    return host_.version() > oldest_version || (!has_compiled_ && !is_inside_of_node(host_, graph));
}

void provider::get_capability(const OrtGraph &graph, OrtEpGraphSupportInfo &info) const {
    if (!may_take_nodes(graph)) return;
    const host_graph read = read_graph(host_, graph);
    for (const std::vector<size_t> &members : find_claims(host_, read, mode_)) {
        if (!compiles(read, members)) continue;
        std::vector<const OrtNode *> nodes;
        for (const size_t member : members)
            nodes.push_back(read.nodes[member].handle);
        // Constants stay inputs of the node, so that weights need no copy.
        const OrtNodeFusionOptions options{host_.version(), false};
        host_.check(host_.ep().EpGraphSupportInfo_AddNodesToFuse(&info, nodes.data(), nodes.size(), &options));
    }
}

OrtNodeComputeInfo *provider::compile(const OrtGraph &graph, const OrtNode &fused_node) {
    has_compiled_ = true;
    const host_graph read = read_graph(host_, graph);
    std::vector<size_t> members(read.nodes.size());
    for (size_t i = 0; i < members.size(); ++i)
        members[i] = i;
    auto compiled = std::make_unique<const compiled_group>(
        host_, make_group(host_, read, members), input_names(host_, fused_node), output_names(host_, fused_node), engine_);
    return std::make_unique<node_compute_info>(host_, std::move(compiled)).release();
}

} // namespace onefold::onnxruntime
