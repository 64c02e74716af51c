#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compile/computation.hpp"

namespace onefold::impl::simd {

/// Loop dims and the strides, in bytes, of N operands along them.
template <size_t N>
struct nest {
    dims sizes;
    std::array<dims, N> strides;

    int64_t count() const {
        int64_t product = 1;
        for (const int64_t size : sizes)
            product *= size;
        return product;
    }
    void push_back(int64_t size, const std::array<int64_t, N> &stride) {
        sizes.push_back(size);
        for (size_t n = 0; n < N; ++n)
            strides[n].push_back(stride[n]);
    }
};

/// Walks a nest in row-major order and keeps each operand's offset in bytes.
template <size_t N>
class odometer {
public:
    odometer(const nest<N> &n, int64_t start) : nest_(n), offsets{} {
        for (size_t d = n.sizes.size(); d-- > 0;) {
            index_[d] = start % n.sizes[d];
            start /= n.sizes[d];
            for (size_t k = 0; k < N; ++k)
                offsets[k] += index_[d] * n.strides[k][d];
        }
    }

    void next() {
        for (size_t d = nest_.sizes.size(); d-- > 0;) {
            for (size_t k = 0; k < N; ++k)
                offsets[k] += nest_.strides[k][d];
            if (++index_[d] < nest_.sizes[d]) return;
            for (size_t k = 0; k < N; ++k)
                offsets[k] -= index_[d] * nest_.strides[k][d];
            index_[d] = 0;
        }
    }

private:
    const nest<N> &nest_;
    // A canonical space has dims of 2 and more (and one of 1 at most): 2^63 elements have room for no more.
    std::array<int64_t, 64> index_;

public:
    std::array<int64_t, N> offsets;
};

} // namespace onefold::impl::simd
