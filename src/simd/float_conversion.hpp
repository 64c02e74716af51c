#pragma once

#include "simd/kernels.hpp"

namespace onefold::impl::simd {

/// Elements of any type into f32 and back. What is no float of at most 32 bits is cast on the way, as TypeCast by itself does
/// it: into `as`, f32 or a type of 16 bits, rounded once; and from f32. Counts and strides are in elements.
class float_conversion {
public:
    float_conversion() = default;
    float_conversion(const isa &on, data_type type, data_type as = onefold_f32);

    /// A stride of 0 repeats one element.
    void load(const void *src, int64_t stride, float *dst, size_t count) const;
    void store(const float *src, void *dst, int64_t stride, size_t count) const;

private:
    void load_part(const void *src, int64_t stride, float *dst, size_t count) const;
    void store_part(const float *src, void *dst, int64_t stride, size_t count) const;

    conversion outside_{};
    conversion inside_{}; // of what a cast gives
    cast_kernels in_{};
    cast_kernels out_{};
    int64_t size_ = 0; // of an element in bytes
    bool casts_ = false;
    bool is_rounded_ = false; // to 16 bits
};

} // namespace onefold::impl::simd
