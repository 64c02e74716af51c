#include "simd/epilogue.hpp"

#include <algorithm>

namespace onefold::impl::simd {

bool epilogue::supports(const computation &c) {
    const row_kernels &k = kernels();
    if (operands_of(c).size() > most_operands) return false;
    return std::all_of(c.post_ops.begin(), c.post_ops.end(), [&](const post_op &p) {
        return p.is_binary ? binary_of(k, p.op) != nullptr : unary_of(k, p.op, p.attributes) != nullptr;
    });
}

epilogue::epilogue(const row_kernels &k, const computation &c, size_t dim, size_t first_operand)
    : first_operand_(first_operand) {
    for (const post_op &p : c.post_ops) {
        stage s;
        if (p.is_binary) {
            s.binary = binary_of(k, p.op);
            s.other = others_.size();
            s.value_is_second = p.value_is_second;
            others_.emplace_back(k, p.other, dim);
        } else {
            s.unary = unary_of(k, p.op, p.attributes);
            s.alpha = p.attributes.alpha;
            s.beta = p.attributes.beta;
        }
        stages_.push_back(s);
    }
}

void epilogue::apply(float *values, int64_t count, std::span<std::byte *const> buffers, const operand_offsets &offsets,
                     int64_t begin) const {
    alignas(64) float room[tile_size];
    const auto n = static_cast<size_t>(count);
    for (const stage &s : stages_) {
        if (s.unary) {
            s.unary(values, values, n, s.alpha, s.beta);
            continue;
        }
        const row_operand &other = others_[s.other];
        const std::byte *row = buffers[other.buffer] + offsets[first_operand_ + s.other];
        const float *operand = other.as_f32(other.at(row, begin), room, count);
        if (s.value_is_second)
            s.binary(operand, values, values, n);
        else
            s.binary(values, operand, values, n);
    }
}

std::vector<const operand *> operands_of(const computation &c) {
    std::vector<const operand *> operands;
    for (const operand &src : c.src)
        operands.push_back(&src);
    operands.push_back(&c.dst);
    for (const post_op &p : c.post_ops)
        if (p.is_binary) operands.push_back(&p.other);
    return operands;
}

} // namespace onefold::impl::simd
