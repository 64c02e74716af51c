#include "simd/elementwise.hpp"

#include <cstring>

#include <fmt/format.h>

#include "simd/epilogue.hpp"
#include "simd/parallel.hpp"

namespace onefold::impl::simd {

namespace {

/// Rows are cut into segments of this many elements, so that few long rows are shared by threads too.
constexpr int64_t segment_size = 64 * 1024;

/// A row of memory: where it is, and the rest of the step's buffers.
struct row_place {
    std::span<std::byte *const> buffers;
    const operand_offsets &offsets;
};

class elementwise_step : public step {
public:
    elementwise_step(const computation &c, std::string_view family)
        : kernels_(kernels()),
          family_(family),
          length_(c.space.sizes.back()),
          outer_(operands_of(c).size()),
          dst_(kernels_, c.dst, c.space.rank() - 1),
          store_(store_of(kernels_, c.dst.type)),
          epilogue_(kernels_, c, c.space.rank() - 1, c.src.size() + 1) {
        for (const operand &src : c.src)
            src_.emplace_back(kernels_, src, c.space.rank() - 1);
        for (size_t d = 0; d + 1 < c.space.rank(); ++d)
            outer_.add_dim(c.space, d, operands_of(c));
    }

    std::string name() const override { return fmt::format("simd:{}:{}", family_, kernels_.isa); }

    void run(std::span<std::byte *const> buffers, std::byte *) const override {
        const int64_t segments = (length_ + segment_size - 1) / segment_size;
        for_each_unit(outer_.count() * segments, std::min(length_, segment_size), [&](int64_t begin, int64_t end) {
            odometer at(outer_, begin / segments);
            for (int64_t unit = begin; unit < end; ++unit) {
                const int64_t first = unit % segments * segment_size;
                compute({buffers, at.offsets}, first, std::min(segment_size, length_ - first));
                if (unit % segments == segments - 1) at.next();
            }
        });
    }

protected:
    /// Elements [begin, begin + count) of a source in f32: where they are or in `room`.
    const float *source(size_t which, const row_place &row, float *room, int64_t begin, int64_t count) const {
        const row_operand &o = src_[which];
        return o.as_f32(o.at(row.buffers[o.buffer] + row.offsets[which], begin), room, count);
    }

    /// A source's element `i` as it is in memory.
    const std::byte *memory(size_t which, const row_place &row, int64_t i) const {
        return src_[which].at(row.buffers[src_[which].buffer] + row.offsets[which], i);
    }
    std::byte *destination(const row_place &row, int64_t i) const {
        return dst_.at(row.buffers[dst_.buffer] + row.offsets[src_.size()], i);
    }

    bool copies_bytes() const {
        return src_[0].type == dst_.type && src_[0].stride == 1 && dst_.stride == 1 && epilogue_.empty();
    }
    int64_t element_size() const { return dst_.size; }

    /// Elements [begin, begin + count) of a row.
    virtual void compute(const row_place &row, int64_t begin, int64_t count) const {
        for (int64_t i = begin; i < begin + count; i += tile_size) {
            const int64_t part = std::min(tile_size, begin + count - i);
            alignas(64) float room[tile_size];
            std::byte *dst = destination(row, i);
            const bool stores_itself = dst_.type == onefold_f32 && (dst_.stride == 1 || part == 1);
            float *values = stores_itself && epilogue_.empty() ? reinterpret_cast<float *>(dst) : room;
            compute_tile(values, row, i, part);
            if (values != room) continue;
            epilogue_.apply(values, part, row.buffers, row.offsets, i);
            store_(values, dst, dst_.stride, static_cast<size_t>(part));
        }
    }

    const row_kernels &kernels_;

private:
    /// The results before the post-ops.
    virtual void compute_tile(float *values, const row_place &row, int64_t begin, int64_t count) const = 0;

    std::string family_;
    int64_t length_; // of a row
    nest outer_;     // the dims around it
    std::vector<row_operand> src_;
    row_operand dst_;
    row_kernels::store store_;
    epilogue epilogue_;
};

class copy_step : public elementwise_step {
public:
    explicit copy_step(const computation &c) : elementwise_step(c, "copy") {}

private:
    void compute(const row_place &row, int64_t begin, int64_t count) const override {
        if (!copies_bytes()) return elementwise_step::compute(row, begin, count);
        const std::byte *src = memory(0, row, begin);
        std::byte *dst = destination(row, begin);
        // In place there is nothing to do; memcpy must not see it.
        if (src != dst) std::memcpy(dst, src, static_cast<size_t>(count * element_size()));
    }

    void compute_tile(float *values, const row_place &row, int64_t begin, int64_t count) const override {
        const float *src = source(0, row, values, begin, count);
        if (src != values) std::copy_n(src, count, values);
    }
};

class fill_step : public elementwise_step {
public:
    explicit fill_step(const computation &c) : elementwise_step(c, "fill"), value_(c.fill_value) {}

private:
    void compute_tile(float *values, const row_place &, int64_t, int64_t count) const override {
        std::fill_n(values, count, value_);
    }

    float value_;
};

class unary_step : public elementwise_step {
public:
    explicit unary_step(const computation &c)
        : elementwise_step(c, "unary"), op_(unary_of(kernels_, c.op, c.attributes)), attributes_(c.attributes) {}

private:
    void compute_tile(float *values, const row_place &row, int64_t begin, int64_t count) const override {
        const float *src = source(0, row, values, begin, count);
        op_(src, values, static_cast<size_t>(count), attributes_.alpha, attributes_.beta);
    }

    row_kernels::unary op_;
    unary_attributes attributes_;
};

class binary_step : public elementwise_step {
public:
    explicit binary_step(const computation &c) : elementwise_step(c, "binary"), op_(binary_of(kernels_, c.op)) {}

private:
    void compute_tile(float *values, const row_place &row, int64_t begin, int64_t count) const override {
        alignas(64) float room_0[tile_size];
        alignas(64) float room_1[tile_size];
        op_(source(0, row, room_0, begin, count), source(1, row, room_1, begin, count), values, static_cast<size_t>(count));
    }

    row_kernels::binary op_;
};

} // namespace

std::unique_ptr<step> make_elementwise(const computation &c) {
    switch (c.kind) {
    case computation_kind::copy:
        return std::make_unique<copy_step>(c);
    case computation_kind::fill:
        return std::make_unique<fill_step>(c);
    case computation_kind::unary:
        return std::make_unique<unary_step>(c);
    case computation_kind::binary:
        return std::make_unique<binary_step>(c);
    default:
        return nullptr;
    }
}

} // namespace onefold::impl::simd
