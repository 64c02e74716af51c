#pragma once

#include <span>

#include "compile/computation.hpp"
#include "simd/kernels.hpp"
#include "simd/nest.hpp"

namespace onefold::impl::simd {

/// The buffers that a step runs on.
using buffer_list = std::span<std::byte *const>;

/// Elements that are worked on at a time in their arithmetic type: a few tiles fit L1.
inline constexpr int64_t tile_size = 1024;

/// Room for a tile of any arithmetic type.
struct tile {
    alignas(64) std::byte bytes[static_cast<size_t>(tile_size) * sizeof(double)];
};

/// An operand along the innermost loop.
class operand_row {
public:
    /// `number`: of the operand in nests. `arithmetic`: of the computation.
    operand_row(const isa &on, const operand &o, data_type arithmetic, size_t dim, size_t number)
        : stride(o.strides[dim]),
          size(size_of(o.type)),
          buffer_(o.buffer),
          number_(number),
          needs_no_conversion_(o.type == arithmetic || o.type == arithmetic_type(o.type)),
          convert_(conversion_of(on, is_kept(o, arithmetic) ? onefold_u16 : o.type)) {}

    const int64_t stride; // in elements
    const int64_t size;   // of an element in bytes

    /// Element `i` of the row at a position.
    std::byte *at(buffer_list buffers, const position &where, int64_t i) const {
        return buffers[buffer_] + where.offset(number_) + i * stride * size;
    }

    /// `count` elements in the arithmetic type: where they are, if they are so already and side by side, else in `room`.
    const std::byte *load(const std::byte *src, std::byte *room, int64_t count) const {
        if (is_direct(count)) return src;
        convert_.load(src, stride, room, static_cast<size_t>(count));
        return room;
    }
    void store(const std::byte *src, std::byte *dst, int64_t count) const {
        convert_.store(src, dst, stride, static_cast<size_t>(count));
    }

    /// Side by side in the arithmetic type.
    bool is_direct(int64_t count) const { return needs_no_conversion_ && (stride == 1 || count == 1); }

private:
    /// Of 16 bits, which its arithmetic type usually has more of.
    static bool is_kept(const operand &o, data_type arithmetic) {
        return o.type == arithmetic && o.type != arithmetic_type(o.type);
    }

    size_t buffer_;
    size_t number_;
    bool needs_no_conversion_;
    conversion convert_;
};

} // namespace onefold::impl::simd
