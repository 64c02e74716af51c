#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "onefold/graph.hpp"
#include "tests/benchmark/buffer.hpp"
#include "tests/benchmark/operation.hpp"

namespace onefold::bench {

enum class chain_kind { layer_norm, rms_norm, softmax, log_softmax, l2_norm };

/// A chain of ops around reductions, as exporters write it: one source of full size, the result of that size.
struct chain_description {
    chain_kind kind;
    const element *type;
    dims sizes;
    dims axes; // not negative
};

/// The chain compiled under a partition policy, with buffers for all tensors between partitions. It runs in the calling
/// thread's arena.
class chain {
public:
    chain(const chain_description &what, graph::partition::policy policy);

    void execute();
    std::string steps() const;
    size_t partition_count() const { return parts_.size(); }

    const buffer &src() const { return *buffers_.at(src_); }
    const buffer &dst() const { return *buffers_.at(dst_); }

private:
    struct part {
        graph::compiled_partition compiled;
        std::vector<graph::tensor> srcs;
        std::vector<graph::tensor> dsts;
    };

    void compile(const graph::partition &p, const element &type);
    graph::tensor bind(const graph::logical_tensor &t, const element &type);

    stream stream_;
    std::vector<part> parts_;
    std::map<size_t, graph::logical_tensor> known_; // with layouts, by id
    std::map<size_t, std::unique_ptr<buffer>> buffers_;
    size_t src_ = 0;
    size_t dst_ = 0;
};

} // namespace onefold::bench
