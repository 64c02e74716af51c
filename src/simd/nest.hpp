#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compile/computation.hpp"

namespace onefold::impl::simd {

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

/// Walks a nest in row-major order.
class odometer {
public:
    odometer(const nest &n, int64_t start) : nest_(n), number_(start) {
        for (size_t d = n.sizes.size(); d-- > 0;) {
            index_[d] = start % n.sizes[d];
            start /= n.sizes[d];
        }
    }

    /// How many indices of the nest come before this one.
    int64_t number() const { return number_; }

    void next() {
        ++number_;
        for (size_t d = nest_.sizes.size(); d-- > 0;) {
            if (++index_[d] < nest_.sizes[d]) return;
            index_[d] = 0;
        }
    }

    /// Of an operand, in bytes.
    int64_t offset(size_t operand) const {
        int64_t offset = 0;
        const dims &strides = nest_.strides[operand];
        for (size_t d = 0; d < strides.size(); ++d)
            offset += index_[d] * strides[d];
        return offset;
    }

private:
    const nest &nest_;
    int64_t number_;
    // A canonical space has dims of 2 and more (and one of 1 at most): 2^63 elements have room for no more.
    std::array<int64_t, 64> index_;
};

/// Where operands are at an index of one nest, or of two that make a space together.
class position {
public:
    explicit position(const odometer &at) : outer_(at) {}
    position(const odometer &outer, const odometer &inner) : outer_(outer), inner_(&inner) {}

    int64_t offset(size_t operand) const { return outer_.offset(operand) + (inner_ ? inner_->offset(operand) : 0); }

private:
    const odometer &outer_;
    const odometer *inner_ = nullptr;
};

} // namespace onefold::impl::simd
