#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/program.hpp"
#include "graph/partition.hpp"
#include "runtime/stream.hpp"
#include "runtime/verbose.hpp"

namespace onefold::impl {

/// A tensor as execute() takes it: a description and a buffer.
struct bound_tensor {
    const logical_tensor *description;
    void *data;
};

/// A partition made ready to run. Immutable; execute() may be called from many threads at once.
class compiled_partition {
public:
    compiled_partition(std::shared_ptr<engine> e, std::vector<logical_tensor> inputs, std::vector<logical_tensor> outputs,
                       std::vector<onefold_inplace_pair> inplace_pairs, program steps, std::string label);
    ~compiled_partition();

    /// The port of that id with dims and strides known; throws invalid_arguments where there is none.
    const logical_tensor &port(size_t id) const;
    const std::vector<onefold_inplace_pair> &inplace_pairs() const { return inplace_pairs_; }
    size_t scratch_bytes() const { return program_.scratch_bytes; }
    /// The steps, e.g. "onednn:reduction:jit:avx512_core".
    const std::string &info() const { return info_; }

    /// Binds the buffers by id and runs the steps. `scratch` may be nullptr: the engine's. Throws invalid_arguments for a
    /// missing port, a tensor that differs from the port as compiled, a missing buffer; nothing is written then.
    void execute(stream &s, std::span<const bound_tensor> inputs, std::span<const bound_tensor> outputs, void *scratch,
                 size_t scratch_size) const;

    /// The verbose log's line, if it is switched on.
    void report(const verbose_timer &timer, std::string_view what) const;

private:
    std::shared_ptr<engine> engine_;
    std::vector<logical_tensor> inputs_;
    std::vector<logical_tensor> outputs_;
    std::vector<onefold_inplace_pair> inplace_pairs_;
    program program_;
    std::string info_;
    std::string label_; // id, ops, shapes and types, for the verbose log
};

/// Compiles a partition for the given ports, matched by id in any order. Throws as onefold_partition_compile() says.
std::shared_ptr<const compiled_partition> compile(const partition &p, std::span<const logical_tensor> inputs,
                                                  std::span<const logical_tensor> outputs, const std::shared_ptr<engine> &e);

} // namespace onefold::impl
