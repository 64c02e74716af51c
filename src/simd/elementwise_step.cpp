#include "simd/elementwise_step.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "simd/parallel.hpp"

namespace onefold::impl::simd {

namespace {

/// Rows are cut into segments of this many elements, so that few long rows are shared by threads too.
constexpr int64_t segment_size = 64 * 1024;

} // namespace

elementwise_step::elementwise_step(const computation &c, const isa &on, std::string_view family)
    : dst_(on, c.dst, c.arithmetic(), c.space.rank() - 1, dst_number(c)),
      epilogue_(on, c.post_ops, c.arithmetic(), c.space.rank() - 1, dst_number(c) + 1),
      name_(fmt::format("simd:{}:{}", family, on.name)),
      length_(c.space.sizes.back()),
      outer_(operands_of(c).size()) {
    for (const operand &src : c.src)
        src_.emplace_back(on, src, c.arithmetic(), c.space.rank() - 1, src_.size());
    for (size_t d = 0; d + 1 < c.space.rank(); ++d)
        outer_.add_dim(c.space, d, operands_of(c));
}

std::string elementwise_step::name() const { return name_; }

void elementwise_step::run(buffer_list buffers, std::byte *, const executor &threads) const {
    for_each_part(threads, outer_, length_, segment_size, std::min(length_, segment_size),
                  [&](const odometer &at, int64_t first, int64_t count) { compute(buffers, position(at), first, count); });
}

void elementwise_step::compute(buffer_list buffers, const position &where, int64_t begin, int64_t count) const {
    tile room;
    for (int64_t i = begin; i < begin + count; i += tile_size) {
        const int64_t part = std::min(tile_size, begin + count - i);
        std::byte *dst = dst_.at(buffers, where, i);
        if (dst_.is_direct(part) && epilogue_.empty()) {
            compute_tile(dst, buffers, where, i, part);
            continue;
        }
        compute_tile(room.bytes, buffers, where, i, part);
        epilogue_.apply(room.bytes, part, buffers, where, i);
        dst_.store(room.bytes, dst, part);
    }
}

} // namespace onefold::impl::simd
