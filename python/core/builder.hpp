#pragma once

#include <optional>
#include <string>
#include <vector>

#include "python/core/partitioned_graph.hpp"

namespace onefold::python {

/// What an op is asked to be.
struct op_request {
    std::string kind;
    std::vector<size_t> inputs; // tensor ids
    impl::attribute_map attributes;
    impl::data_type dst_type = onefold_data_type_undef; // undef: the first input's
    std::optional<impl::dims> dst_dims;                 // nothing: what the inputs' dims tell
    size_t outputs = 1;
    std::string name;
};

/// A graph as it grows. Every function throws impl::error with a sentence and leaves the graph as it was.
class builder {
public:
    builder();

    const impl::logical_tensor &tensor(size_t id) const { return tensors_.at(id); }
    const graph_source &source() const { return source_; }

    /// Adds an input; dims that are not known may be unknown_dim, or none at all. An empty name: a name is made.
    size_t add_input(const std::string &name, impl::data_type type, const std::optional<impl::dims> &dims);
    /// Adds a tensor whose elements are known.
    size_t add_constant(const std::string &name, impl::io::onnx_array array);
    /// Adds an op and returns the ids of its outputs.
    std::vector<size_t> add_op(op_request request);
    /// Makes a tensor an output of the graph. An empty name: the tensor's own, or one that is made.
    void add_output(size_t id, const std::string &name);

private:
    impl::logical_tensor &make_tensor(impl::data_type type, const std::optional<impl::dims> &dims);
    void check_name(const std::string &name) const;
    /// The name, or one that no tensor has.
    std::string named(const std::string &name, const char *what, size_t count) const;

    graph_source source_;
    std::map<size_t, impl::logical_tensor> tensors_;
    std::set<size_t> free_dsts_; // tensors that an op produces and that are no output of the graph yet
};

} // namespace onefold::python
