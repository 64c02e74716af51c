#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "graph/op.hpp"

namespace onefold::impl {

using op_index = size_t;

/// A user's graph. Ops are added, then finalize() checks the whole; afterwards it never changes.
class graph {
public:
    explicit graph(engine_kind kind, fpmath_mode mode = onefold_fpmath_strict);

    /// Validates the op against its schema and keeps it. Throws invalid_graph_op or invalid_graph.
    void add_op(op o);
    /// Throws invalid_graph where the graph has a cycle, a tensor produced twice or an id that stands for two tensors.
    void finalize();
    bool is_finalized() const { return finalized_; }

    size_t id() const { return id_; }
    engine_kind kind() const { return kind_; }

    const std::vector<op> &ops() const { return ops_; }
    /// Indices into ops(), each op after the producers of its inputs; finalized graphs only.
    const std::vector<op_index> &topological_order() const { return order_; }
    /// A tensor's dims, of which some may be unknown: what it was given as or, better, what follows from the ops before it;
    /// nullptr where not even the rank is known. Finalized graphs only.
    const dims *dims_of(const logical_tensor &t) const;
    /// Where an op stands in that order.
    size_t position(op_index i) const { return position_[i]; }
    /// The op that produces a tensor, if one does.
    std::optional<op_index> producer(size_t tensor_id) const;
    /// The ops that consume a tensor, an op once for each of its ports.
    const std::vector<op_index> &consumers(size_t tensor_id) const;

    fpmath_mode fpmath = onefold_fpmath_strict;
    bool fpmath_applies_to_int = false;

private:
    void connect();
    void check_ids() const;
    void sort();
    void infer_dims();

    size_t id_;
    engine_kind kind_;
    bool finalized_ = false;
    std::vector<op> ops_;
    std::map<size_t, op_index> index_of_id_;
    std::map<size_t, op_index> producers_;
    std::map<size_t, std::vector<op_index>> consumers_;
    std::vector<op_index> order_;
    std::vector<size_t> position_;    // in order_
    std::map<size_t, dims> inferred_; // of tensors that were given without all dims
};

} // namespace onefold::impl
