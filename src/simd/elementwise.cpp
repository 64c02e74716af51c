#include "simd/elementwise.hpp"

#include <algorithm>
#include <cstring>

#include "simd/elementwise_step.hpp"
#include "simd/nary_step.hpp"

namespace onefold::impl::simd {

namespace {

class copy_step : public elementwise_step {
public:
    copy_step(const computation &c, const isa &on)
        : elementwise_step(c, on, "copy"),
          copies_bytes_(c.src[0].type == c.dst.type && src_[0].stride == 1 && dst_.stride == 1 && epilogue_.empty()) {}

private:
    void compute(buffer_list buffers, const position &where, int64_t begin, int64_t count) const override {
        if (!copies_bytes_) return elementwise_step::compute(buffers, where, begin, count);
        const std::byte *src = src_[0].at(buffers, where, begin);
        std::byte *dst = dst_.at(buffers, where, begin);
        // In place there is nothing to do; memcpy must not see it.
        if (src != dst) std::memcpy(dst, src, static_cast<size_t>(count * dst_.size));
    }

    void compute_tile(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                      int64_t count) const override {
        const std::byte *src = source(0, buffers, where, values, begin, count);
        if (src != values) std::memcpy(values, src, static_cast<size_t>(count * src_[0].size));
    }

    bool copies_bytes_;
};

/// A copy into another arithmetic type; nothing follows it in the same step.
class cast_step : public elementwise_step {
public:
    cast_step(const computation &c, const isa &on)
        : elementwise_step(c, on, "cast"), cast_(cast_of(on, c.src[0].type, c.dst.type)) {}

private:
    void compute_tile(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                      int64_t count) const override {
        tile room;
        tile wide;
        cast_.widen(source(0, buffers, where, room.bytes, begin, count), wide.bytes, static_cast<size_t>(count));
        cast_.narrow(wide.bytes, values, static_cast<size_t>(count));
    }

    cast_kernels cast_;
};

class fill_step : public elementwise_step {
public:
    fill_step(const computation &c, const isa &on)
        : elementwise_step(c, on, "fill"), conversion_(conversion_of(on, c.arithmetic())) {
        const reduction over_nothing = reduction_of(on, c.op, c.arithmetic(), c.arithmetic());
        alignas(64) std::byte total[largest_total];
        over_nothing.clear(total, 1);
        over_nothing.finish(total, 1, 0, value_);
    }

private:
    void compute_tile(std::byte *values, buffer_list, const position &, int64_t, int64_t count) const override {
        conversion_.load(value_, 0, values, static_cast<size_t>(count));
    }

    conversion conversion_;
    alignas(8) std::byte value_[8]; // in the arithmetic type
};

class unary_step : public elementwise_step {
public:
    unary_step(const computation &c, const isa &on)
        : elementwise_step(c, on, "unary"),
          kernel_(unary_of(on, c.op, c.attributes, c.arithmetic())),
          attributes_(c.attributes) {}

private:
    void compute_tile(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                      int64_t count) const override {
        kernel_(source(0, buffers, where, values, begin, count), values, static_cast<size_t>(count), attributes_.alpha,
                attributes_.beta);
    }

    unary_kernel kernel_;
    unary_attributes attributes_;
};

class binary_step : public elementwise_step {
public:
    binary_step(const computation &c, const isa &on)
        : elementwise_step(c, on, "binary"), kernel_(binary_of(on, c.op, c.arithmetic())) {}

private:
    void compute_tile(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                      int64_t count) const override {
        tile room_0;
        tile room_1;
        kernel_(source(0, buffers, where, room_0.bytes, begin, count), source(1, buffers, where, room_1.bytes, begin, count),
                values, static_cast<size_t>(count));
    }

    binary_kernel kernel_;
};

} // namespace

std::unique_ptr<step> make_elementwise(const computation &c, const isa &on) {
    switch (c.kind) {
    case computation_kind::copy:
        if (c.is_cast()) return std::make_unique<cast_step>(c, on);
        return std::make_unique<copy_step>(c, on);
    case computation_kind::fill:
        return std::make_unique<fill_step>(c, on);
    case computation_kind::unary:
        return std::make_unique<unary_step>(c, on);
    case computation_kind::binary:
        return std::make_unique<binary_step>(c, on);
    case computation_kind::nary:
        return std::make_unique<nary_step>(c, on);
    case computation_kind::reduce:
        break;
    }
    return nullptr;
}

} // namespace onefold::impl::simd
