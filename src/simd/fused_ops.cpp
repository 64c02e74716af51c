#include "simd/fused_ops.hpp"

#include <algorithm>

namespace onefold::impl::simd {

fused_ops::fused_ops(const isa &on, const std::vector<post_op> &ops, data_type arithmetic, size_t dim, size_t first_operand) {
    for (const post_op &p : ops) {
        stage s;
        if (p.is_binary) {
            s.binary = binary_of(on, p.op, arithmetic);
            s.other = others_.size();
            s.value_is_second = p.value_is_second;
            others_.emplace_back(on, p.other, arithmetic, dim, first_operand + others_.size());
        } else {
            s.unary = unary_of(on, p.op, p.attributes, arithmetic);
            s.alpha = p.attributes.alpha;
            s.beta = p.attributes.beta;
        }
        stages_.push_back(s);
    }
}

void fused_ops::apply(std::byte *values, int64_t count, buffer_list buffers, const position &where, int64_t begin) const {
    tile room;
    const auto n = static_cast<size_t>(count);
    for (const stage &s : stages_) {
        if (s.unary) {
            s.unary(values, values, n, s.alpha, s.beta);
            continue;
        }
        const operand_row &other = others_[s.other];
        const std::byte *operand = other.load(other.at(buffers, where, begin), room.bytes, count);
        if (s.value_is_second)
            s.binary(operand, values, values, n);
        else
            s.binary(values, operand, values, n);
    }
}

bool has_kernels(const isa &on, const std::vector<post_op> &ops, data_type arithmetic) {
    return std::all_of(ops.begin(), ops.end(), [&](const post_op &p) {
        return p.is_binary ? binary_of(on, p.op, arithmetic) != nullptr
                           : unary_of(on, p.op, p.attributes, arithmetic) != nullptr;
    });
}

size_t dst_number(const computation &c) {
    const auto operands = operands_of(c);
    return static_cast<size_t>(std::find(operands.begin(), operands.end(), &c.dst) - operands.begin());
}

} // namespace onefold::impl::simd
