#pragma once

#include "compile/bounded_cache.hpp"
#include "integrations/onnxruntime/program.hpp"

namespace onefold::onnxruntime {

/// A group that the host has made one node of: what it calls to compute.
class compiled_group {
public:
    /// `inputs` and `outputs` are the names that the host's node has, in its order. Throws impl::error where the group cannot
    /// be computed.
    compiled_group(const host &h, group g, const std::vector<std::string> &inputs, const std::vector<std::string> &outputs,
                   std::shared_ptr<impl::engine> engine);

    /// Computes once. Throws host_error or impl::error; nothing is written then.
    void compute(OrtKernelContext &context) const;

private:
    /// How many programs are kept: the one that was not used for longest goes.
    static constexpr size_t most_programs = 64;

    using program_cache = impl::bounded_cache<program>;

    /// What the inputs of one execution are.
    struct bound_inputs {
        std::vector<const void *> data;
        std::vector<known_input> known;
        std::vector<int64_t> key; // all that executions tell: dims and axes
    };

    static void append_key(std::vector<int64_t> &key, const known_input &input);
    bound_inputs bind_inputs(const OrtKernelContext &context) const;
    program_cache::lease program_for(const bound_inputs &inputs) const;

    const host &host_;
    group group_;
    std::vector<size_t> inputs_;  // for each of the group's, the index of the node's; none for a constant
    std::vector<size_t> outputs_; // likewise
    std::shared_ptr<impl::engine> engine_;
    mutable program_cache programs_{most_programs};
};

} // namespace onefold::onnxruntime
