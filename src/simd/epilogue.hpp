#pragma once

#include <span>
#include <vector>

#include "compile/computation.hpp"
#include "simd/nest.hpp"
#include "simd/rows.hpp"

namespace onefold::impl::simd {

/// Elements that are worked on at a time, in f32: a few tiles fit L1.
inline constexpr int64_t tile_size = 1024;

/// An operand along the innermost loop: its buffer, element type and size, and its stride there in elements.
struct row_operand {
    size_t buffer;
    data_type type;
    int64_t size;
    int64_t stride;
    row_kernels::load load;

    row_operand(const row_kernels &k, const operand &o, size_t dim)
        : buffer(o.buffer), type(o.type), size(size_of(o.type)), stride(o.strides[dim]), load(load_of(k, o.type)) {}

    const std::byte *at(const std::byte *row, int64_t i) const { return row + i * stride * size; }
    std::byte *at(std::byte *row, int64_t i) const { return row + i * stride * size; }

    /// `count` elements in f32: where they are, if they are f32 side by side, else in `room`.
    const float *as_f32(const std::byte *src, float *room, int64_t count) const {
        if (type == onefold_f32 && (stride == 1 || count == 1)) return reinterpret_cast<const float *>(src);
        load(src, stride, room, static_cast<size_t>(count));
        return room;
    }
};

/// The post-ops of a computation, applied to tiles of results before they are stored.
class epilogue {
public:
    /// True if there is a kernel for each of them, and room for their operands.
    static bool supports(const computation &c);

    /// `dim` is the loop dim along which tiles lie; the post-ops' operands come behind `first_operand` others in the nest.
    epilogue(const row_kernels &k, const computation &c, size_t dim, size_t first_operand);

    bool empty() const { return stages_.empty(); }

    /// Changes `count` (at most tile_size) results, which are those from `begin` on of the row that `offsets` tell.
    void apply(float *values, int64_t count, std::span<std::byte *const> buffers, const operand_offsets &offsets,
               int64_t begin) const;

private:
    struct stage {
        row_kernels::unary unary = nullptr; // else binary
        row_kernels::binary binary = nullptr;
        float alpha = 0;
        float beta = 0;
        size_t other = 0; // index in others_
        bool value_is_second = false;
    };

    std::vector<stage> stages_;
    std::vector<row_operand> others_;
    size_t first_operand_;
};

/// A computation's operands in the order that nests have them: sources, dst, those of the post-ops.
std::vector<const operand *> operands_of(const computation &c);

} // namespace onefold::impl::simd
