#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "onefold/graph.hpp"
#include "tests/benchmark/buffer.hpp"

namespace onefold::bench {

using dims = std::vector<int64_t>;

/// What is to be computed: one op, its sources and its destination all of one type. A LayerNorm is that of the last dim,
/// without scale and shift.
struct description {
    graph::op::kind kind;
    const element *type;
    std::vector<dims> srcs;
    dims axes;                    // of a reduction
    bool has_axes_tensor = false; // instead of the attribute
    bool has_open_dims = false;   // compiled for ranks alone
};

/// The engine that all is compiled for.
const engine &cpu();

/// One op, compiled by onefold, with buffers for its tensors. It runs in the calling thread's arena.
class operation {
public:
    /// Throws onefold::error where onefold does not do it.
    explicit operation(const description &what);

    void execute() { compiled_.execute(stream_, srcs_, dsts_); }
    std::string steps() const { return compiled_.get_info(); }

    const buffer &src(std::size_t i) const { return buffers_[i]; }
    const buffer &dst() const { return buffers_.back(); }

private:
    stream stream_;
    graph::compiled_partition compiled_;
    std::vector<buffer> buffers_; // of the sources, then of the destination
    dims axes_;                   // where they are a tensor
    std::vector<graph::tensor> srcs_;
    std::vector<graph::tensor> dsts_;
};

} // namespace onefold::bench
