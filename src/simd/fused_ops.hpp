#pragma once

#include <vector>

#include "simd/operand_row.hpp"

namespace onefold::impl::simd {

/// Ops that a step applies to tiles of values, before it reduces them or before it stores them.
class fused_ops {
public:
    /// `dim` is the loop dim along which tiles lie; `first_operand` is the number that the first op's operand has in nests.
    fused_ops(const isa &on, const std::vector<post_op> &ops, data_type arithmetic, size_t dim, size_t first_operand);

    bool empty() const { return stages_.empty(); }

    /// Changes `count` (at most tile_size) values, which are those from `begin` on of the row at a position.
    void apply(std::byte *values, int64_t count, buffer_list buffers, const position &where, int64_t begin) const;

private:
    struct stage {
        unary_kernel unary = nullptr; // else binary
        binary_kernel binary = nullptr;
        float alpha = 0;
        float beta = 0;
        size_t other = 0; // index in others_
        bool value_is_second = false;
    };

    std::vector<stage> stages_;
    std::vector<operand_row> others_;
};

/// True if there is a kernel for each of them.
bool has_kernels(const isa &on, const std::vector<post_op> &ops, data_type arithmetic);

/// The number that dst has in nests: the place in operands_of().
size_t dst_number(const computation &c);

} // namespace onefold::impl::simd
