#pragma once

#include <atomic>
#include <shared_mutex>

#include "integrations/onnxruntime/program.hpp"

namespace onefold::onnxruntime {

/// Programs of one group by what an execution tells: the dims of inputs, and axes. Any number of threads may use it at once.
class program_cache {
public:
    using key = std::vector<int64_t>;

    /// What it holds at most: the program that was not used for longest goes.
    static constexpr size_t most_programs = 64;

    /// nullptr where there is none.
    std::shared_ptr<const program> find(const key &k) const;
    void keep(const key &k, std::shared_ptr<const program> made);

private:
    struct entry {
        key k;
        std::shared_ptr<const program> value;
        mutable std::atomic<uint64_t> used; // when, by clock_
    };

    mutable std::shared_mutex mutex_;
    std::vector<std::unique_ptr<entry>> entries_;
    mutable std::atomic<uint64_t> clock_{0};
};

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
    /// What the inputs of one execution are.
    struct bound_inputs {
        std::vector<const void *> data;
        std::vector<known_input> known;
        program_cache::key key;
    };

    static void append_key(program_cache::key &key, const known_input &input);
    bound_inputs bind_inputs(const OrtKernelContext &context) const;
    std::shared_ptr<const program> program_for(const bound_inputs &inputs) const;

    const host &host_;
    group group_;
    std::vector<size_t> inputs_;  // for each of the group's, the index of the node's; none for a constant
    std::vector<size_t> outputs_; // likewise
    std::shared_ptr<impl::engine> engine_;
    mutable program_cache programs_;
};

} // namespace onefold::onnxruntime
