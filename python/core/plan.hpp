#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "python/core/partitioned_graph.hpp"

namespace onefold::python {

/// How an array lies in memory; strides in elements.
struct array_layout {
    impl::dims dims;
    impl::dims strides;

    bool operator==(const array_layout &) const = default;
};

/// What a plan is made for. All in the order of the graph's inputs and outputs.
struct plan_request {
    std::vector<array_layout> inputs;
    std::vector<std::optional<std::vector<int64_t>>> axes; // the elements of inputs that decide dims
    std::vector<std::optional<array_layout>> outputs;      // nothing: the library's choice

    bool operator==(const plan_request &) const = default;
};

/// Where a tensor is found when a plan executes.
struct place {
    enum class kind { input, output, constant, scratch };
    kind where = kind::scratch;
    size_t index = 0;  // of the input or output
    size_t offset = 0; // in bytes, into the memory of the constants or the scratch memory
};

/// A tensor that a step reads or writes.
struct step_port {
    impl::logical_tensor tensor;
    place where;
};

/// A compiled partition, or a copy.
struct plan_step {
    graph::compiled_partition compiled;
    std::vector<step_port> inputs;
    std::vector<step_port> outputs;
};

/// What the making of a plan comes to.
struct plan_layout {
    std::vector<plan_step> steps;
    std::vector<impl::logical_tensor> outputs;           // of the graph, as compiled
    std::vector<std::optional<std::string>> steps_texts; // for each part of the graph; nothing: it is not compiled
    std::vector<std::byte> constants;
    size_t scratch_size = 0;
};

/// Compiles a graph for a request. Throws impl::error and onefold::error.
plan_layout make_layout(const partitioned_graph &graph, const plan_request &request, const engine &e);

/// A graph compiled for arrays of given layouts. Any number of threads may execute it at once.
class plan {
public:
    plan(std::shared_ptr<const partitioned_graph> graph, const plan_request &request, const engine &e);
    ~plan();

    const partitioned_graph &graph() const { return *graph_; }
    /// The graph's outputs as compiled: dims and strides are known.
    const std::vector<impl::logical_tensor> &outputs() const { return layout_.outputs; }
    /// For each part of the graph the steps that were chosen, as get_info() has them; nothing where it was not compiled.
    const std::vector<std::optional<std::string>> &steps_texts() const { return layout_.steps_texts; }
    /// Whether the two may be one buffer.
    bool may_share(size_t input, size_t output) const;

    /// The buffers have the layouts that the plan was made for. Throws onefold::error; nothing is written then.
    void execute(stream &s, std::span<void *const> inputs, std::span<void *const> outputs) const;

private:
    struct workspace;
    std::unique_ptr<workspace> take_workspace() const;

    std::shared_ptr<const partitioned_graph> graph_;
    plan_layout layout_;
    engine engine_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<workspace>> free_; // one for each execution that ever ran at the same time
};

} // namespace onefold::python
