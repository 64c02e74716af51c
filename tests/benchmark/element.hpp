#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <oneapi/dnnl/dnnl.hpp>

#include "onefold/graph.hpp"
#include "tests/benchmark/loops.hpp"

namespace onefold::bench {

using data_type = graph::logical_tensor::data_type;

/// An element type: its names here and in oneDNN, how the loops read it, and the values that buffers are filled with: the bits
/// of random words under `mask`, the others as in `base`. For floats that is [1, 2), so no sum meets an infinity or a zero.
struct element {
    const char *name;
    data_type type;
    std::size_t size;
    reading how;
    std::optional<dnnl::memory::data_type> primitive; // of oneDNN's reduction and binary, where they know the type
    uint64_t mask;
    uint64_t base;
};

constexpr uint64_t any_bits = ~uint64_t{0};

constexpr std::array elements = {
    element{"f32", data_type::f32, 4, reading::f32, dnnl::memory::data_type::f32, 0x007fffff007fffff, 0x3f8000003f800000},
    element{"bf16", data_type::bf16, 2, reading::bf16, dnnl::memory::data_type::bf16, 0x007f007f007f007f, 0x3f803f803f803f80},
    element{"f16", data_type::f16, 2, reading::f16, dnnl::memory::data_type::f16, 0x03ff03ff03ff03ff, 0x3c003c003c003c00},
    element{"f64", data_type::f64, 8, reading::f64, std::nullopt, 0x000fffffffffffff, 0x3ff0000000000000},
    element{"s8", data_type::s8, 1, reading::words, dnnl::memory::data_type::s8, any_bits, 0},
    element{"u8", data_type::u8, 1, reading::words, dnnl::memory::data_type::u8, any_bits, 0},
    element{"s16", data_type::s16, 2, reading::words, std::nullopt, any_bits, 0},
    element{"u16", data_type::u16, 2, reading::words, std::nullopt, any_bits, 0},
    element{"s32", data_type::s32, 4, reading::words, std::nullopt, any_bits, 0},
    element{"u32", data_type::u32, 4, reading::words, std::nullopt, any_bits, 0},
    element{"s64", data_type::s64, 8, reading::words, std::nullopt, any_bits, 0},
    element{"u64", data_type::u64, 8, reading::words, std::nullopt, any_bits, 0},
};

constexpr bool is_float(const element &e) { return e.how != reading::words; }

constexpr const element &element_of(data_type type) {
    for (const element &e : elements)
        if (e.type == type) return e;
    return elements.front();
}

} // namespace onefold::bench
