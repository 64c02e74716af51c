#pragma once

#include "support/run_op.hpp"

// Floats by their bits.
namespace onefold_test {

inline constexpr data_type every_float_type[] = {data_type::f32, data_type::bf16, data_type::f16, data_type::f64};

inline double largest_of(data_type type) { return type == data_type::f64 ? std::numeric_limits<double>::max() : max_of(type); }

/// Of a row-major array.
inline void set_bits(array &a, size_t i, uint64_t bits) {
    const size_t size = size_of(a.type());
    std::memcpy(static_cast<std::byte *>(a.data()) + i * size, &bits, size);
}

/// NaNs, quiet and signalling, with small and large payloads, of both signs.
inline std::vector<uint64_t> nans_of(data_type type) {
    const int fraction_bits = type == data_type::f64 ? 52 : type == data_type::f32 ? 23 : type == data_type::bf16 ? 7 : 10;
    const uint64_t sign = uint64_t{1} << (8 * size_of(type) - 1);
    const uint64_t fraction = (uint64_t{1} << fraction_bits) - 1;
    const uint64_t quiet = uint64_t{1} << (fraction_bits - 1);
    const uint64_t infinity_bits = sign - 1 - fraction;
    std::vector<uint64_t> bits;
    for (const uint64_t payload : {uint64_t{1}, quiet - 1, quiet, fraction}) {
        bits.push_back(infinity_bits | payload);
        bits.push_back(sign | infinity_bits | payload);
    }
    return bits;
}

} // namespace onefold_test
