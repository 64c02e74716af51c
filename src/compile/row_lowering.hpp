#pragma once

#include <map>
#include <optional>

#include "compile/row_program.hpp"
#include "graph/partition.hpp"

namespace onefold::impl {

/// Where a tensor of the partition lies.
struct placed_tensor {
    size_t buffer;
    data_type type;
    impl::dims dims;
    impl::dims strides;
};
using placed_tensors = std::map<size_t, placed_tensor>;

/// Ports in buffers with consecutive numbers.
placed_tensors place(const std::vector<logical_tensor> &ports, size_t first_buffer);

/// The whole partition as one row program, in canonical form; nullopt where its ops do not share a loop space. `dims_of` has
/// the dims of every tensor in it.
std::optional<row_program> make_row_program(const partition &p, const placed_tensors &inputs, const placed_tensors &outputs,
                                            const std::map<size_t, dims> &dims_of);

} // namespace onefold::impl
