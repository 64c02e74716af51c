#pragma once

#include "compile/ports.hpp"

namespace onefold::impl {

/// A reduction of a partition whose axes are an input: what is known of them at compile().
struct axes_input {
    size_t op;    // its place among the partition's ops
    size_t port;  // of the axes, among the partition's inputs
    size_t count; // of axes
    dims src;
    dims dst;
};

/// Those of a partition, in the ops' order. Throws invalid_shape where the axes are no vector, invalid_arguments where there
/// are more of them than src has dims.
std::vector<axes_input> find_axes_inputs(const partition &p, const resolved_ports &ports);

/// Whether reducing those axes (ascending) of src leaves dst.
bool leads_to_dst(const axes_input &input, bool keep_dims, std::span<const int64_t> axes);

/// Axes that lead from src to dst.
struct possible_axes {
    std::vector<int64_t> axes; // ascending
    bool is_only_way;          // all other axes that lead there differ from these in dims of 1 alone
};
/// Throws invalid_shape where there are none of their number.
possible_axes find_possible_axes(const op &o, const axes_input &input);

/// The reduction with those axes as its attribute.
op with_axes(op o, std::vector<int64_t> axes);
/// The same of a partition: one list of axes an input.
partition with_axes(const partition &p, std::span<const axes_input> inputs, std::span<const std::vector<int64_t>> axes);

} // namespace onefold::impl
