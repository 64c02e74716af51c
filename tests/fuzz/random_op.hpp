#pragma once

#include <vector>

#include "onefold/graph.hpp"
#include "tests/fuzz/byte_source.hpp"

namespace onefold::fuzz {

using onefold::graph::logical_tensor;
using onefold::graph::op;

/// Draws ops from bytes. Most are such that a graph takes them: the bytes that make one wrong are few of all.
class op_source {
public:
    explicit op_source(byte_source &bytes);

    /// The next op, with the next id; it reads tensors of ops before it, or new ones.
    op next();

private:
    logical_tensor::data_type draw_type();
    int64_t draw_dim();
    logical_tensor::dims draw_dims();
    logical_tensor::dims draw_strides(const logical_tensor::dims &dims);
    /// A tensor from outside.
    logical_tensor draw_source(logical_tensor::data_type type);
    logical_tensor draw_input();
    logical_tensor draw_output();
    /// How many inputs the kind has, mostly.
    size_t draw_input_count(op::kind kind);
    void set_attributes(op &o, op::kind kind);
    void set_axes(op &o);

    byte_source &bytes_;
    logical_tensor::data_type type_; // of most tensors of the graph
    logical_tensor::dims dims_;      // what most of its tensors can be broadcast to
    std::vector<logical_tensor> known_;
    size_t next_tensor_ = 0;
    size_t next_op_ = 0;
};

} // namespace onefold::fuzz
