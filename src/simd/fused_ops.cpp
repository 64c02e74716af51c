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
            others_.emplace_back(on, p.other, dim, first_operand + others_.size());
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
            auto *floats = reinterpret_cast<float *>(values);
            s.unary(floats, floats, n, s.alpha, s.beta);
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

std::vector<const operand *> operands_of(const computation &c) {
    std::vector<const operand *> operands;
    for (const operand &src : c.src)
        operands.push_back(&src);
    for (const post_op &p : c.pre_ops)
        if (p.is_binary) operands.push_back(&p.other);
    operands.push_back(&c.dst);
    for (const post_op &p : c.post_ops)
        if (p.is_binary) operands.push_back(&p.other);
    return operands;
}

size_t dst_number(const computation &c) {
    const auto is_binary = [](const post_op &p) { return p.is_binary; };
    return c.src.size() + static_cast<size_t>(std::count_if(c.pre_ops.begin(), c.pre_ops.end(), is_binary));
}

} // namespace onefold::impl::simd
