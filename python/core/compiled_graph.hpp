#pragma once

#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "python/core/plan.hpp"

namespace onefold::python {

/// An array of someone else's.
struct array_view {
    impl::data_type type = onefold_data_type_undef;
    array_layout layout;
    void *data = nullptr;
};

/// A graph that is called with arrays: compiled once for each set of layouts that it is called with. Any number of threads may
/// use it at once.
class compiled_graph {
public:
    /// Where the graph tells the shapes of its inputs, and all of it is supported, it is compiled at once, for row-major
    /// arrays. `model` is the ONNX file that the source was read from, if it was: where it leaves dims open, or an input holds
    /// axes, it is read again with what the arrays tell. threads = 0: those of TBB. Throws impl::error and onefold::error.
    compiled_graph(graph_source source, std::filesystem::path model, graph::partition::policy policy, unsigned threads);

    const partitioned_graph &graph() const { return *graph_; }
    /// The plan for what the graph itself says of its inputs; nullptr where that is not enough.
    const std::shared_ptr<const plan> &plan_of_graph() const { return plan_of_graph_; }

    /// The plan for arrays like these, compiled now if it is the first time. `outputs`: nothing where the library may choose.
    /// Throws as make_layout().
    std::shared_ptr<const plan> plan_for(const std::vector<array_view> &inputs,
                                         const std::vector<std::optional<array_view>> &outputs);

    void execute(const plan &p, const std::vector<void *> &inputs, const std::vector<void *> &outputs) {
        p.execute(stream_, inputs, outputs);
    }

private:
    using plan_entry = std::pair<plan_request, std::shared_ptr<const plan>>;

    void compile_for_known_shapes();
    plan_request request_for(const std::vector<array_view> &inputs,
                             const std::vector<std::optional<array_view>> &outputs) const;
    std::shared_ptr<const plan> find(const plan_request &request);
    std::shared_ptr<const partitioned_graph> graph_for(const plan_request &request) const;

    std::filesystem::path model_; // empty: the graph is the same for all arrays
    graph::partition::policy policy_;
    engine engine_;
    stream stream_;
    std::shared_ptr<const partitioned_graph> graph_;
    std::shared_ptr<const plan> plan_of_graph_;
    std::mutex mutex_;
    std::list<plan_entry> plans_; // the one that was used last comes first
};

/// Reads a graph file: .onnx, or else JSON. Throws impl::error, the path in front.
graph_source read_source(const std::filesystem::path &path, const impl::io::onnx_known_inputs &known = {});

} // namespace onefold::python
