#include "simd/elementwise.hpp"

#include <cstring>

#include <fmt/format.h>

#include "graph/error.hpp"
#include "simd/nest.hpp"
#include "simd/parallel.hpp"
#include "simd/rows.hpp"

namespace onefold::impl::simd {

namespace {

constexpr size_t tile = 1024; // elements: a few tiles of f32 fit L1

row_kernels::binary binary_of(const row_kernels &k, op_kind op) {
    switch (op) {
    case onefold_op_add:
        return k.add;
    case onefold_op_subtract:
        return k.subtract;
    case onefold_op_multiply:
        return k.multiply;
    case onefold_op_divide:
        return k.divide;
    case onefold_op_maximum:
        return k.maximum;
    case onefold_op_minimum:
        return k.minimum;
    case onefold_op_squared_difference:
        return k.squared_difference;
    default:
        return nullptr;
    }
}

/// An operand along a row.
struct row_operand {
    size_t buffer;
    data_type type;
    int64_t size;   // of an element, in bytes
    int64_t stride; // in elements
};

row_operand along_row(const operand &o) { return {o.buffer, o.type, size_of(o.type), o.strides.back()}; }

/// The dims outside the rows, with dst's strides last.
template <size_t N>
nest<N> outer_dims(const computation &c, const std::array<const operand *, N> &operands) {
    nest<N> outer;
    for (size_t d = 0; d + 1 < c.space.rank(); ++d) {
        std::array<int64_t, N> strides{};
        for (size_t n = 0; n < N; ++n)
            strides[n] = operands[n]->strides[d] * size_of(operands[n]->type);
        outer.push_back(c.space.sizes[d], strides);
    }
    return outer;
}

/// Rows are cut into segments of this many elements, so that few long rows are shared by threads too.
constexpr int64_t segment = 64 * 1024;

/// Calls row(offsets, begin, count) for every segment of every row, in parallel.
template <size_t N, typename Row>
void for_each_segment(const nest<N> &outer, int64_t row_length, const Row &row) {
    const int64_t segments = (row_length + segment - 1) / segment;
    for_each_unit(outer.count() * segments, std::min(row_length, segment), [&](int64_t begin, int64_t end) {
        odometer<N> at(outer, begin / segments);
        for (int64_t unit = begin; unit < end; ++unit) {
            const int64_t first = unit % segments * segment;
            row(at.offsets, first, std::min(segment, row_length - first));
            if (unit % segments == segments - 1) at.next();
        }
    });
}

class copy_step : public step {
public:
    explicit copy_step(const computation &c)
        : kernels_(kernels()),
          src_(along_row(c.src[0])),
          dst_(along_row(c.dst)),
          length_(c.space.sizes.back()),
          outer_(outer_dims<2>(c, {&c.src[0], &c.dst})),
          load_(load_of(kernels_, src_.type)),
          store_(store_of(kernels_, dst_.type)) {}

    std::string name() const override { return fmt::format("simd:copy:{}", kernels_.isa); }

    void run(std::span<std::byte *const> buffers, std::byte *) const override {
        const std::byte *src = buffers[src_.buffer];
        std::byte *dst = buffers[dst_.buffer];
        for_each_segment(outer_, length_, [&](const auto &offsets, int64_t begin, int64_t count) {
            copy_row(src + offsets[0] + begin * src_.stride * src_.size, dst + offsets[1] + begin * dst_.stride * dst_.size,
                     static_cast<size_t>(count));
        });
    }

private:
    void copy_row(const std::byte *src, std::byte *dst, size_t count) const {
        if (src_.type == dst_.type && src_.stride == 1 && dst_.stride == 1) {
            // In place there is nothing to do; memcpy must not see it.
            if (src != dst) std::memcpy(dst, src, count * static_cast<size_t>(src_.size));
            return;
        }
        alignas(64) float values[tile];
        for (size_t i = 0; i < count; i += tile) {
            const size_t part = std::min(tile, count - i);
            const auto at = static_cast<int64_t>(i);
            load_(src + at * src_.stride * src_.size, src_.stride, values, part);
            store_(values, dst + at * dst_.stride * dst_.size, dst_.stride, part);
        }
    }

    const row_kernels &kernels_;
    row_operand src_, dst_;
    int64_t length_;
    nest<2> outer_;
    row_kernels::load load_;
    row_kernels::store store_;
};

class fill_step : public step {
public:
    explicit fill_step(const computation &c)
        : kernels_(kernels()),
          dst_(along_row(c.dst)),
          length_(c.space.sizes.back()),
          outer_(outer_dims<1>(c, {&c.dst})),
          store_(store_of(kernels_, dst_.type)),
          value_(c.fill_value) {}

    std::string name() const override { return fmt::format("simd:fill:{}", kernels_.isa); }

    void run(std::span<std::byte *const> buffers, std::byte *) const override {
        std::byte *dst = buffers[dst_.buffer];
        for_each_segment(outer_, length_, [&](const auto &offsets, int64_t begin, int64_t count) {
            alignas(64) float values[tile];
            std::fill_n(values, tile, value_);
            for (int64_t i = begin; i < begin + count; i += static_cast<int64_t>(tile))
                store_(values, dst + offsets[0] + i * dst_.stride * dst_.size, dst_.stride,
                       std::min(tile, static_cast<size_t>(begin + count - i)));
        });
    }

private:
    const row_kernels &kernels_;
    row_operand dst_;
    int64_t length_;
    nest<1> outer_;
    row_kernels::store store_;
    float value_;
};

class binary_step : public step {
public:
    explicit binary_step(const computation &c)
        : kernels_(kernels()),
          src_{along_row(c.src[0]), along_row(c.src[1])},
          dst_(along_row(c.dst)),
          length_(c.space.sizes.back()),
          outer_(outer_dims<3>(c, {&c.src[0], &c.src[1], &c.dst})),
          load_{load_of(kernels_, src_[0].type), load_of(kernels_, src_[1].type)},
          store_(store_of(kernels_, dst_.type)),
          op_(binary_of(kernels_, c.op)) {}

    std::string name() const override { return fmt::format("simd:binary:{}", kernels_.isa); }

    void run(std::span<std::byte *const> buffers, std::byte *) const override {
        const std::byte *src_0 = buffers[src_[0].buffer];
        const std::byte *src_1 = buffers[src_[1].buffer];
        std::byte *dst = buffers[dst_.buffer];
        for_each_segment(outer_, length_, [&](const auto &offsets, int64_t begin, int64_t count) {
            for (int64_t i = begin; i < begin + count; i += static_cast<int64_t>(tile))
                compute_tile(src_0 + offsets[0] + i * src_[0].stride * src_[0].size,
                             src_1 + offsets[1] + i * src_[1].stride * src_[1].size,
                             dst + offsets[2] + i * dst_.stride * dst_.size,
                             std::min(tile, static_cast<size_t>(begin + count - i)));
        });
    }

private:
    /// The operand as f32 in a row: itself where it is, else in `room`.
    const float *as_f32(size_t which, const std::byte *src, float *room, size_t count) const {
        const row_operand &o = src_[which];
        if (o.type == onefold_f32 && (o.stride == 1 || count == 1)) return reinterpret_cast<const float *>(src);
        load_[which](src, o.stride, room, count);
        return room;
    }

    void compute_tile(const std::byte *src_0, const std::byte *src_1, std::byte *dst, size_t count) const {
        alignas(64) float room[3][tile];
        const float *a = as_f32(0, src_0, room[0], count);
        const float *b = as_f32(1, src_1, room[1], count);
        if (dst_.type == onefold_f32 && (dst_.stride == 1 || count == 1))
            return op_(a, b, reinterpret_cast<float *>(dst), count);
        op_(a, b, room[2], count);
        store_(room[2], dst, dst_.stride, count);
    }

    const row_kernels &kernels_;
    row_operand src_[2], dst_;
    int64_t length_;
    nest<3> outer_;
    row_kernels::load load_[2];
    row_kernels::store store_;
    row_kernels::binary op_;
};

} // namespace

std::unique_ptr<step> make_elementwise(const computation &c) {
    switch (c.kind) {
    case computation_kind::copy:
        return std::make_unique<copy_step>(c);
    case computation_kind::fill:
        return std::make_unique<fill_step>(c);
    case computation_kind::binary:
        return std::make_unique<binary_step>(c);
    default:
        return nullptr;
    }
}

} // namespace onefold::impl::simd
