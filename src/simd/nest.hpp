#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compile/computation.hpp"

namespace onefold::impl::simd {

/// Operands that one loop nest can have: sources, destination, and those of the post-ops.
inline constexpr size_t most_operands = 24;

/// Loop dims and the strides, in bytes, of operands along them.
struct nest {
    dims sizes;
    std::vector<dims> strides; // [operand][dim]

    explicit nest(size_t operands = 0) : strides(operands) {}

    int64_t count() const {
        int64_t product = 1;
        for (const int64_t size : sizes)
            product *= size;
        return product;
    }
    /// Adds loop dim `d` of a space, inside of those already there.
    void add_dim(const loop_space &space, size_t d, const std::vector<const operand *> &operands) {
        sizes.push_back(space.sizes[d]);
        for (size_t k = 0; k < operands.size(); ++k)
            strides[k].push_back(operands[k]->strides[d] * size_of(operands[k]->type));
    }
    void remove_innermost() {
        sizes.pop_back();
        for (dims &s : strides)
            s.pop_back();
    }
};

/// Offsets of a nest's operands in bytes.
using operand_offsets = std::array<int64_t, most_operands>;

/// Walks a nest in row-major order and keeps each operand's offset.
class odometer {
public:
    odometer(const nest &n, int64_t start) : offsets{}, nest_(n) {
        for (size_t d = n.sizes.size(); d-- > 0;) {
            index_[d] = start % n.sizes[d];
            start /= n.sizes[d];
            move(d, index_[d]);
        }
    }

    void next() {
        for (size_t d = nest_.sizes.size(); d-- > 0;) {
            move(d, 1);
            if (++index_[d] < nest_.sizes[d]) return;
            move(d, -index_[d]);
            index_[d] = 0;
        }
    }

    operand_offsets offsets;

private:
    void move(size_t d, int64_t steps) {
        for (size_t k = 0; k < nest_.strides.size(); ++k)
            offsets[k] += steps * nest_.strides[k][d];
    }

    const nest &nest_;
    // A canonical space has dims of 2 and more (and one of 1 at most): 2^63 elements have room for no more.
    std::array<int64_t, 64> index_;
};

} // namespace onefold::impl::simd
