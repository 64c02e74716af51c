#pragma once

#include <set>

#include "compile/lowering.hpp"
#include "compile/row_lowering.hpp"

namespace onefold::impl {

/// Turns a partition's ops, in order, into computations: each unary or binary op whose input is the result of the computation
/// before it becomes a post-op of that one, and those in front of a reduction become its pre-ops; where that cannot be, the
/// result goes to scratch memory and a new computation begins.
class partition_lowering {
public:
    /// Inputs and outputs have known dims and strides; `dims_of` has the dims of every tensor in the partition.
    partition_lowering(const partition &p, const std::vector<logical_tensor> &inputs,
                       const std::vector<logical_tensor> &outputs, const std::map<size_t, dims> &dims_of);

    /// The builder with all steps in it.
    program_builder lower_all();

private:
    /// A computation that may still take post-ops, and the tensor that it gives so far.
    struct pending_computation {
        computation what;
        size_t result = 0; // tensor id
        dims result_dims;
        data_type result_type = onefold_data_type_undef;
        std::vector<size_t> loop_dims; // of each dim of the result: its loop dim
        bool rounds = false;           // to the result's type, whatever follows: a cast to 16 bits
    };

    void lower_op(const op &o);
    void start(const op &o);
    /// A step of its own, which a row program is.
    void lower_normalization(const op &o);
    void start_reduction(const op &o);
    void start_elementwise(const op &o, computation_kind kind);
    /// Makes a post-op of it.
    bool try_append(const op &o);
    /// Makes the pending computation what comes before the reduction.
    bool try_reduce(const op &o);
    void make_reduction(const op &o, pending_computation &made) const;
    /// Gives the pending computation its destination and lowers it.
    void flush();
    void finish(pending_computation &done, const placed_tensor &destination);

    /// An output's place, or scratch memory.
    placed_tensor destination_of(size_t id, const dims &d, data_type type);
    const placed_tensor &placed(size_t id) const { return placed_.at(id); }
    bool is_pending(size_t id) const { return pending_ && pending_->result == id; }
    /// True if what is pending is of use to the next op only.
    bool may_go_on() const {
        return pending_ && !pending_->rounds && !is_output(pending_->result) && uses_.at(pending_->result) == 1;
    }
    bool is_output(size_t id) const { return outputs_.count(id) != 0; }
    /// The type that a tensor of the partition has in scratch memory.
    data_type type_between(size_t id, data_type type) const { return truncated_.count(id) != 0 ? type : arithmetic_type(type); }

    const partition &partition_;
    const std::map<size_t, dims> &dims_of_;
    program_builder builder_;
    placed_tensors placed_;         // what can be read
    placed_tensors outputs_;        // where the outputs go
    std::map<size_t, size_t> uses_; // of a tensor in the partition
    std::set<size_t> truncated_;    // what a cast makes integers or booleans of: it must be what it is in its own type
    std::optional<pending_computation> pending_;
};

} // namespace onefold::impl
