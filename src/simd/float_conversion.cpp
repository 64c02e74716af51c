#include "simd/float_conversion.hpp"

#include <algorithm>

#include "compile/computation.hpp"

namespace onefold::impl::simd {

namespace {

constexpr size_t part_elements = 256;

} // namespace

float_conversion::float_conversion(const isa &on, data_type type, data_type as)
    : outside_(conversion_of(on, type)),
      inside_(conversion_of(on, as)),
      size_(size_of(type)),
      casts_(arithmetic_type(type) != onefold_f32),
      is_rounded_(as != onefold_f32) {
    if (!casts_) return;
    in_ = cast_of(on, type, as);
    out_ = cast_of(on, onefold_f32, type);
}

void float_conversion::load(const void *src, int64_t stride, float *dst, size_t count) const {
    if (!casts_) return outside_.load(src, stride, dst, count);
    const auto *from = static_cast<const std::byte *>(src);
    for (size_t i = 0; i < count; i += part_elements)
        load_part(from + static_cast<int64_t>(i) * stride * size_, stride, dst + i, std::min(part_elements, count - i));
}

void float_conversion::load_part(const void *src, int64_t stride, float *dst, size_t count) const {
    alignas(64) std::byte gathered[part_elements * sizeof(int64_t)];
    alignas(64) std::byte wide[part_elements * sizeof(int64_t)];
    if (stride != 1) {
        outside_.load(src, stride, gathered, count);
        src = gathered;
    }
    in_.widen(src, wide, count);
    if (!is_rounded_) return in_.narrow(wide, dst, count);
    alignas(64) uint16_t rounded[part_elements];
    in_.narrow(wide, rounded, count);
    inside_.load(rounded, 1, dst, count);
}

void float_conversion::store(const float *src, void *dst, int64_t stride, size_t count) const {
    if (!casts_) return outside_.store(src, dst, stride, count);
    auto *to = static_cast<std::byte *>(dst);
    for (size_t i = 0; i < count; i += part_elements)
        store_part(src + i, to + static_cast<int64_t>(i) * stride * size_, stride, std::min(part_elements, count - i));
}

void float_conversion::store_part(const float *src, void *dst, int64_t stride, size_t count) const {
    alignas(64) double wide[part_elements];
    out_.widen(src, wide, count);
    if (stride == 1) return out_.narrow(wide, dst, count);
    alignas(64) std::byte narrow[part_elements * sizeof(int64_t)];
    out_.narrow(wide, narrow, count);
    outside_.store(narrow, dst, stride, count);
}

} // namespace onefold::impl::simd
