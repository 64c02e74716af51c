#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/dims_plans.hpp"
#include "compile/small_table.hpp"
#include "graph/partition.hpp"
#include "runtime/stream.hpp"
#include "runtime/verbose.hpp"

namespace onefold::impl {

/// Pointers to a program's buffers.
using buffer_table = small_table<std::byte *, 32>;

/// A partition made ready to run. Immutable; execute() may be called from many threads at once. The engine must outlive it.
class compiled_partition {
public:
    /// For ports that are all known.
    compiled_partition(engine &e, std::unique_ptr<const port_plans> fixed);
    /// For inputs of which executions bring the dims or strides.
    compiled_partition(engine &e, std::unique_ptr<const dims_plans> by_dims);
    ~compiled_partition();

    /// The port of that id, with dims and strides as far as compile() knew them; throws invalid_arguments where there is none.
    const logical_tensor &port(size_t id) const;
    /// None where executions choose among plans: a pair must be right for every one of them.
    const std::vector<onefold_inplace_pair> &inplace_pairs() const { return inplace_pairs_; }
    /// 0 where executions choose among plans: those that are not made yet may need any number of bytes.
    size_t scratch_bytes() const { return only_plan_ ? only_plan_->steps.scratch_bytes : 0; }
    /// The steps, e.g. "onednn:reduction:jit:avx512_core".
    const std::string &info() const { return info_; }
    /// Of the steps that are programs; empty where executions choose among plans.
    const std::string &program_text() const { return program_text_; }

    /// Binds the buffers by id and runs the steps. `scratch` may be nullptr: the engine's; so it is where executions choose
    /// among plans. Throws invalid_arguments for a missing port, a tensor that differs from the port as compiled, a missing
    /// buffer, a wrong axis, invalid_shape for axes that do not lead to dst and for an output whose dims are not what those of
    /// the inputs lead to; nothing is written then.
    void execute(stream &s, std::span<const bound_tensor> inputs, std::span<const bound_tensor> outputs, void *scratch,
                 size_t scratch_size) const;

    /// The verbose log's line, if it is switched on.
    void report(const verbose_timer &timer, std::string_view what) const { timer.report(what, label(), info_); }

private:
    const std::vector<logical_tensor> &inputs() const { return fixed_ ? fixed_->inputs() : by_dims_->inputs(); }
    const std::vector<logical_tensor> &outputs() const { return fixed_ ? fixed_->outputs() : by_dims_->outputs(); }
    const std::string &label() const { return fixed_ ? fixed_->label() : by_dims_->label(); }

    void run(stream &s, const plan &chosen, buffer_table &buffers, size_t ports, void *scratch) const;

    engine &engine_;
    std::unique_ptr<const port_plans> fixed_;   // one of the two
    std::unique_ptr<const dims_plans> by_dims_; // is given
    const plan *only_plan_ = nullptr;           // of theirs; nullptr where executions choose
    std::vector<onefold_inplace_pair> inplace_pairs_;
    std::string info_;
    std::string program_text_;
};

/// Compiles a partition for the given ports, matched by id in any order. Throws as onefold_partition_compile() says.
std::shared_ptr<const compiled_partition> compile(const partition &p, std::span<const logical_tensor> inputs,
                                                  std::span<const logical_tensor> outputs, engine &e);

} // namespace onefold::impl
