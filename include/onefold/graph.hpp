/// The C++ Graph API of onefold: a header-only layer over onefold.h with the classes, members and enumerators of oneDNN's
/// dnnl::graph (dnnl_graph.hpp), so that code written to oneDNN Graph moves over by changing the include and the namespace.
/// What is not explained here means what it means there; what differs or is an extension says so.
///
/// The mean of each row of a 2x3 matrix:
///
///     engine cpu(engine::kind::cpu, 0);
///     logical_tensor src(0, logical_tensor::data_type::f32, {2, 3}, logical_tensor::layout_type::strided);
///     logical_tensor dst(1, logical_tensor::data_type::f32); // dims left open: compile() finds them
///     op mean(0, op::kind::ReduceMean, {src}, {dst});
///     mean.set_attr<std::vector<int64_t>>(op::attr::axes, {1});
///     graph g(engine::kind::cpu);
///     g.add_op(mean);
///     g.finalize();
///     compiled_partition rows = g.get_partitions().at(0).compile({src}, {dst}, cpu);
///     stream s(cpu);
///     std::vector<float> x = {1, 2, 3, 4, 5, 6}, y(2);
///     rows.execute(s, {tensor(src, cpu, x.data())}, {tensor(rows.query_logical_tensor(1), cpu, y.data())}); // y = {2, 5}
///
/// Objects are shared handles: copies refer to the same object, a default-constructed one is empty. Every function that can
/// fail throws onefold::error, which has a status and a sentence, an empty handle included (invalid_arguments). Objects may be
/// used from many threads at once as long as none of them changes one: executing and compiling change nothing, adding ops,
/// partitioning a graph and setting attributes or buffers do.
#ifndef ONEFOLD_GRAPH_HPP
#define ONEFOLD_GRAPH_HPP

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "onefold/common.hpp"
#include "onefold/graph_op.hpp"
#include "onefold/graph_tensor.hpp"

namespace onefold {

template <>
struct handle_traits<onefold_graph> {
    static constexpr const char *name = "graph";
    static onefold_status destructor(onefold_graph g) { return onefold_graph_destroy(g); }
};

template <>
struct handle_traits<onefold_partition> {
    static constexpr const char *name = "partition";
    static onefold_status destructor(onefold_partition p) { return onefold_partition_destroy(p); }
};

template <>
struct handle_traits<onefold_compiled_partition> {
    static constexpr const char *name = "compiled partition";
    static onefold_status destructor(onefold_compiled_partition p) { return onefold_compiled_partition_destroy(p); }
};

namespace graph {

namespace detail {

/// The C handles of a list of objects; empty ones become NULL, which the C ABI rejects by name and index. Up to 16 of them
/// take no heap memory.
template <typename T>
class c_handles {
public:
    template <typename Object>
    explicit c_handles(const std::vector<Object> &objects) {
        if (objects.size() > few_.size()) {
            many_.resize(objects.size());
            data_ = many_.data();
        }
        for (std::size_t i = 0; i < objects.size(); ++i)
            data_[i] = objects[i].get(true);
    }
    c_handles(const c_handles &) = delete;
    c_handles &operator=(const c_handles &) = delete;

    const T *data() const { return data_; }

private:
    std::array<T, 16> few_{};
    std::vector<T> many_;
    T *data_ = few_.data();
};

} // namespace detail

/// A partition made ready to run for given shapes, as dnnl::graph::compiled_partition. Immutable.
class compiled_partition : public handle<onefold_compiled_partition> {
public:
    using handle::handle;
    /// An empty compiled partition.
    compiled_partition() = default;

    /// The input or output of that id as compiled, dims and strides known, but for those that executions bring and what depends
    /// on them. invalid_arguments: no port has that id.
    logical_tensor query_logical_tensor(size_t tid) const {
        onefold_logical_tensor t = nullptr;
        error::wrap_c_api(onefold_compiled_partition_query_logical_tensor(get(), tid, &t));
        return logical_tensor(t);
    }

    /// Pairs of an input's and an output's id that may share one buffer; where the input is needed later, do not. None where
    /// dims or sets of axes are compiled at execution.
    std::vector<std::pair<size_t, size_t>> get_inplace_ports() const {
        size_t count = 0;
        const onefold_inplace_pair *pairs = nullptr;
        error::wrap_c_api(onefold_compiled_partition_get_inplace_ports(get(), &count, &pairs));
        std::vector<std::pair<size_t, size_t>> ports(count);
        for (size_t i = 0; i < count; ++i)
            ports[i] = {pairs[i].input_id, pairs[i].output_id};
        return ports;
    }

    /// Extension: the scratch memory that an execution needs, as a u8 vector (dims {0} if none), whatever its alignment. Where
    /// dims or sets of axes are compiled at execution it is {0}: executions use the engine's then.
    logical_tensor get_scratchpad_logical_tensor() const {
        onefold_logical_tensor t = nullptr;
        error::wrap_c_api(onefold_compiled_partition_get_scratchpad_logical_tensor(get(), &t));
        return logical_tensor(t);
    }

    /// Extension: the steps chosen at compile(), separated by "; ", e.g. "onednn:reduction:jit:avx512_core".
    std::string get_info() const {
        const char *info = nullptr;
        error::wrap_c_api(onefold_compiled_partition_get_info(get(), &info));
        return info;
    }

    /// Extension: what the steps compute that are programs of several ops, one instruction a line; empty where none is.
    std::string get_program() const {
        const char *program = nullptr;
        error::wrap_c_api(onefold_compiled_partition_get_program(get(), &program));
        return program;
    }

    /// Runs; the outputs are written when it returns. Tensors are matched to ports by id, in any order. Scratch memory is the
    /// engine's, kept per thread. Many threads may execute the same compiled partition at once, on different outputs.
    /// A tensor of a reduction's axes is read first: over a set of axes that came before, or that compile() could tell, an
    /// execution allocates nothing and takes no lock; another set is compiled now and kept. So it is with dims that compile()
    /// did not know: all tensors need known dims then, outputs those that partition::infer_shape() tells. Nothing is written on
    /// failure. invalid_arguments: a port is missing, a tensor differs from its port as compiled, a buffer is missing, an axis
    /// is out of range or given twice. invalid_shape: the axes do not lead from src's dims to dst's.
    void execute(stream &astream, const std::vector<tensor> &inputs, const std::vector<tensor> &outputs) const {
        run(astream, inputs, outputs, nullptr);
    }

    /// Extension: the same with scratch memory of the caller's, made from get_scratchpad_logical_tensor(), and in no other
    /// execution's use meanwhile. invalid_arguments also: it is too small.
    void execute(stream &astream, const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
                 const tensor &scratchpad) const {
        run(astream, inputs, outputs, scratchpad.get());
    }

private:
    void run(const stream &astream, const std::vector<tensor> &inputs, const std::vector<tensor> &outputs,
             onefold_tensor scratchpad) const {
        const detail::c_handles<onefold_tensor> srcs(inputs);
        const detail::c_handles<onefold_tensor> dsts(outputs);
        error::wrap_c_api(onefold_compiled_partition_execute(get(), astream.get(), srcs.data(), inputs.size(), dsts.data(),
                                                             outputs.size(), scratchpad));
    }
};

/// Ops of a graph that are compiled and executed as one, as dnnl::graph::partition. Immutable; the graph may go.
class partition : public handle<onefold_partition> {
public:
    /// fusion: partitions as large as pays; debug: one op a partition.
    enum class policy { fusion = onefold_policy_fusion, debug = onefold_policy_debug };

    using handle::handle;
    /// An empty partition.
    partition() = default;

    /// A partition of one op, outside any graph. Throws as graph::add_op().
    partition(const op &aop, engine::kind ekind) {
        onefold_partition p = nullptr;
        error::wrap_c_api(onefold_partition_create_with_op(&p, aop.get(), convert_to_c(ekind)));
        reset(p);
    }

    size_t get_ops_num() const {
        size_t count = 0;
        error::wrap_c_api(onefold_partition_get_op_count(get(), &count));
        return count;
    }

    /// The ids of the ops, in execution order.
    std::vector<size_t> get_ops() const {
        std::vector<size_t> ids(get_ops_num());
        error::wrap_c_api(onefold_partition_get_ops(get(), ids.data(), ids.size()));
        return ids;
    }

    /// Unique in the process.
    size_t get_id() const {
        size_t id = 0;
        error::wrap_c_api(onefold_partition_get_id(get(), &id));
        return id;
    }

    /// Whether onefold can compile it. An op that it does not compile makes a partition of its own that is not supported.
    bool is_supported() const {
        int supported = 0;
        error::wrap_c_api(onefold_partition_is_supported(get(), &supported));
        return supported != 0;
    }

    /// The tensors that come from outside, each once.
    std::vector<logical_tensor> get_input_ports() const {
        return ports(onefold_partition_get_input_count, onefold_partition_get_input);
    }

    /// The tensors that the outside may use.
    std::vector<logical_tensor> get_output_ports() const {
        return ports(onefold_partition_get_output_count, onefold_partition_get_output);
    }

    engine::kind get_engine_kind() const {
        onefold_engine_kind kind = onefold_any_engine;
        error::wrap_c_api(onefold_partition_get_engine_kind(get(), &kind));
        return static_cast<engine::kind>(kind);
    }

    /// Extension (as in oneDNN Graph before it became part of oneDNN): fills in types, dims and strides of the outputs from the
    /// inputs' dims, as compile() would, without compiling. Ports are matched by id, in any order. The dst of a reduction whose
    /// axes are a tensor needs known dims. On failure the outputs stay as they are. invalid_arguments: the partition is not
    /// supported, a port is missing, an input's dims are unknown, an axis is out of range; invalid_shape, invalid_data_type: an
    /// output contradicts what the ops give, the inputs do not go together.
    void infer_shape(const std::vector<logical_tensor> &inputs, std::vector<logical_tensor> &outputs) const {
        const detail::c_handles<onefold_logical_tensor> srcs(inputs);
        const detail::c_handles<onefold_logical_tensor> dsts(outputs);
        std::vector<onefold_logical_tensor> inferred(outputs.size());
        error::wrap_c_api(
            onefold_partition_infer_shape(get(), srcs.data(), inputs.size(), dsts.data(), outputs.size(), inferred.data()));
        for (size_t i = 0; i < outputs.size(); ++i)
            outputs[i].reset(inferred[i]);
    }

    /// Compiles for the given tensors, matched to the ports by id, in any order. Inputs need a known rank and a layout:
    /// strided, or any, which is row-major where the dims are known. Outputs may leave dims, strides or layout open: query them
    /// afterwards; layout any gives a strided one, never an opaque one. Only the dst of a reduction whose axes are a tensor
    /// needs known dims, here or in the graph; what src, dst and the number of axes leave no choice about is compiled at once.
    /// Extension: dims and strides of inputs may be unknown, all or some: executions bring them, and no output needs known dims
    /// here. Compiling again for the same tensors gives the same object. invalid_arguments: the partition is not supported, a
    /// port is missing, an axis is out of range; invalid_shape, invalid_data_type: an output contradicts what the ops give;
    /// unimplemented: nothing computes it.
    compiled_partition compile(const std::vector<logical_tensor> &inputs, const std::vector<logical_tensor> &outputs,
                               const engine &e) const {
        const detail::c_handles<onefold_logical_tensor> srcs(inputs);
        const detail::c_handles<onefold_logical_tensor> dsts(outputs);
        onefold_compiled_partition p = nullptr;
        error::wrap_c_api(
            onefold_partition_compile(get(), &p, srcs.data(), inputs.size(), dsts.data(), outputs.size(), e.get()));
        return compiled_partition(p);
    }

private:
    std::vector<logical_tensor> ports(onefold_status (*count_ports)(onefold_partition, size_t *),
                                      onefold_status (*get_port)(onefold_partition, size_t, onefold_logical_tensor *)) const {
        size_t count = 0;
        error::wrap_c_api(count_ports(get(), &count));
        std::vector<logical_tensor> result(count);
        for (size_t i = 0; i < count; ++i) {
            onefold_logical_tensor t = nullptr;
            error::wrap_c_api(get_port(get(), i, &t));
            result[i].reset(t);
        }
        return result;
    }
};

/// How many compiled partitions each engine keeps, so that to compile the same again takes no time; 1024 if never set. One
/// number for the process, as in dnnl::graph; an engine follows it when it compiles next.
inline int get_compiled_partition_cache_capacity() {
    int capacity = 0;
    error::wrap_c_api(onefold_get_compiled_partition_cache_capacity(&capacity));
    return capacity;
}

/// 0: engines keep none. invalid_arguments: a negative number.
inline void set_compiled_partition_cache_capacity(int capacity) {
    error::wrap_c_api(onefold_set_compiled_partition_cache_capacity(capacity));
}

/// A graph of ops, as dnnl::graph::graph: ops are added, the graph is finalized, then cut into partitions.
class graph : public handle<onefold_graph> {
public:
    using handle::handle;
    /// An empty handle, no graph.
    graph() = default;

    /// invalid_arguments: the kind is not the CPU.
    graph(engine::kind engine_kind) : graph(engine_kind, fpmath_mode::strict) {}
    graph(engine::kind engine_kind, fpmath_mode mode) {
        onefold_graph g = nullptr;
        error::wrap_c_api(onefold_graph_create(&g, convert_to_c(engine_kind), convert_to_c(mode)));
        reset(g);
    }

    /// Kept for graph files: onefold computes strictly whatever the mode.
    void set_fpmath_mode(fpmath_mode mode, bool apply_to_int = false) {
        error::wrap_c_api(onefold_graph_set_fpmath_mode(get(), convert_to_c(mode), apply_to_int ? 1 : 0));
    }

    void get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
        onefold_fpmath_mode c_mode = onefold_fpmath_strict;
        int c_apply_to_int = 0;
        error::wrap_c_api(onefold_graph_get_fpmath_mode(get(), &c_mode, &c_apply_to_int));
        mode = static_cast<fpmath_mode>(c_mode);
        apply_to_int = c_apply_to_int != 0;
    }

    /// Adds a copy of the op. invalid_graph_op: ports or attributes are not what the kind needs; invalid_graph: the graph is
    /// finalized, or holds an op of that id. Without allow_exception it never throws and returns that status instead;
    /// onefold_last_error() has the sentence.
    status add_op(const op &an_op, bool allow_exception = true) {
        const onefold_status result = onefold_graph_add_op(get(true), an_op.get(true));
        if (allow_exception) error::wrap_c_api(result);
        return static_cast<status>(result);
    }

    /// Checks the graph as a whole; no op can be added afterwards. invalid_graph: a cycle, a tensor produced twice, an id used
    /// for two different tensors.
    void finalize() { error::wrap_c_api(onefold_graph_finalize(get())); }

    bool is_finalized() const {
        int finalized = 0;
        error::wrap_c_api(onefold_graph_is_finalized(get(), &finalized));
        return finalized != 0;
    }

    /// Cuts the graph: every op is in exactly one partition, unsupported ones included, in an order in which they can be
    /// executed. invalid_graph: not finalized.
    std::vector<partition> get_partitions(partition::policy policy = partition::policy::fusion) {
        size_t count = 0;
        error::wrap_c_api(onefold_graph_get_partition_count(get(), static_cast<onefold_partition_policy>(policy), &count));
        std::vector<onefold_partition> c_partitions(count);
        std::vector<partition> partitions(count);
        error::wrap_c_api(onefold_graph_get_partitions(get(), c_partitions.data(), count));
        for (size_t i = 0; i < count; ++i)
            partitions[i].reset(c_partitions[i]);
        return partitions;
    }
};

} // namespace graph
} // namespace onefold

#endif
