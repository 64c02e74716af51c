#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace onefold::impl::simd {

/// An ISA that the kernels are compiled for.
struct isa {
    size_t place;     // in every table that for_each_isa() gives
    int64_t target;   // Highway's bit
    const char *name; // Highway's name
};

/// Those that this machine can run, best first; the last one runs everywhere.
std::span<const isa> usable_isas();

/// The best one that ONEFOLD_MAX_CPU_ISA allows, which has oneDNN's names (SSE41, AVX2, AVX512_CORE, ...) and two of our own
/// for what oneDNN has no name for: SSSE3 and SCALAR. The environment is read at each call: once for each compile().
const isa &chosen_isa();

} // namespace onefold::impl::simd
