#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/hosted_graph.hpp"
#include "tests/driver/buffer.hpp"

namespace onefold::driver {

using host::from_public;
using host::graph_input;
using host::to_public;

/// A partition on its way from the graph to execution.
struct stage : host::graph_part {
    std::optional<graph::compiled_partition> compiled;
};

/// Carries a graph file through the public API: graph, partitions, compiled partitions, buffers, execution. In order:
/// the constructor, set_dims() where inputs have unknown dims, compile(), allocate(), then fill the inputs' buffers and
/// execute() as often as wanted.
class session {
public:
    /// Builds and partitions the graph. threads = 0: as many as the machine has. Throws bad_input where the graph is
    /// refused. The graph is compiled for the CPU whatever the file's engine_kind. `views` are ids of Wildcard ops.
    explicit session(impl::io::graph_file file, unsigned threads = 0,
                     graph::partition::policy policy = graph::partition::policy::fusion, const std::set<size_t> &views = {});
    session(const session &) = delete;
    session &operator=(const session &) = delete;

    const impl::io::graph_file &file() const { return file_; }
    const impl::op &op(size_t id) const { return *ops_.at(id); }

    /// The partitions, in the order in which they execute.
    const std::vector<stage> &stages() const { return stages_; }
    /// As host::inputs_of() and host::outputs_of() have them.
    const std::vector<graph_input> &inputs() const { return inputs_; }
    const std::vector<size_t> &outputs() const { return outputs_; }

    /// True for tensors that are a port of an op.
    bool knows(size_t id) const { return tensors_.contains(id); }
    /// What is known of a tensor: what the file says, after compile() what was compiled.
    const impl::logical_tensor &tensor(size_t id) const { return tensors_.at(id); }

    /// Gives an input dims; throws bad_input if they contradict the file's.
    void set_dims(size_t input_id, const impl::dims &dims);

    /// Tells before compile() what a tensor of axes is going to hold: the dims of what is reduced over them follow.
    void set_axes(size_t tensor_id, std::vector<int64_t> axes) { axes_[tensor_id] = std::move(axes); }

    /// "op 5 (Convolution), op 6 (MatMul)": the ops that are not supported, End ops and views aside; empty if all are.
    std::string unsupported() const;

    /// True if the dims of all the stage's inputs are known, and of what is reduced over axes that are one, so that it can be
    /// compiled.
    bool is_ready(const stage &s) const;
    /// Compiles one stage, which must be supported, or a view, and ready; later stages see its outputs as compiled.
    void compile(size_t stage_index);
    /// Compiles all stages in order. Throws std::runtime_error naming unsupported ops, bad_input where an input's dims are
    /// unknown, onefold::error where compiling fails.
    void compile();

    /// Makes a buffer for every port of the compiled stages. Throws std::runtime_error, before it allocates anything, where
    /// the machine has not the memory.
    void allocate();
    buffer &buffer_of(size_t tensor_id) { return buffers_.at(tensor_id); }
    const buffer &buffer_of(size_t tensor_id) const { return buffers_.at(tensor_id); }

    /// Executions run on that stream from now on.
    void set_stream(stream s) { stream_ = std::move(s); }
    /// Runs the stages in order; allocate() must have been called.
    void execute();
    void execute(size_t stage_index);

private:
    struct bound_stage {
        std::vector<graph::tensor> inputs;
        std::vector<graph::tensor> outputs;
    };

    void index_ops();
    void lay_out_view(const stage &s);
    void infer_from_axes(const impl::op &o);
    void check_memory() const;

    impl::io::graph_file file_;
    engine engine_;
    stream stream_;
    std::map<size_t, const impl::op *> ops_;
    std::map<size_t, impl::logical_tensor> tensors_;
    std::map<size_t, std::vector<int64_t>> axes_; // what set_axes() told
    std::vector<graph_input> inputs_;
    std::vector<size_t> outputs_;
    std::vector<stage> stages_;
    std::map<size_t, buffer> buffers_;
    std::vector<bound_stage> bound_; // one a stage
};

} // namespace onefold::driver
