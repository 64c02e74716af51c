#pragma once

#include "simd/row_kernels.hpp"
#include "simd/tile_code.hpp"

namespace onefold::impl::simd {

/// Where a stream of the code is, and what compact rows of it are apart.
struct bound_stream {
    enum class place { memory, values, tile, total };
    place in = place::values;
    size_t index = 0; // of the operand, or of the instruction
    int64_t size = 0; // of an element; 0 where the rows have one value each: never compact
};

/// A pass of a row program, or rather the computing in it, as machine code.
struct phase_code {
    tile_computation computation;                 // with multiplications
    std::unique_ptr<const tile_code> multiplying; // by reciprocals
    std::unique_ptr<const tile_code> dividing;
    std::vector<size_t> divisors;    // results by whose reciprocals it may have to multiply
    std::vector<tile_action> before; // what is left to kernels
    std::vector<tile_action> behind;
    std::vector<size_t> reductions;          // that are in the code
    std::vector<bound_stream> streams;       // in the order of the code's
    std::vector<prefetched_part> prefetches; // likewise
    std::vector<size_t> registers;           // of each instruction: where its tile is left, if it is
    size_t register_count = 0;
    bool has_tiles = false; // that kernels make or read

    bool exists() const { return multiplying != nullptr; }
};

/// No code where an instruction has none, where elements do not lie side by side, or on an ISA other than AVX-512.
/// Of columns the code prefetches too.
phase_code compile_phase(const row_program &p, const row_phase &phase, const row_kernels &kernels, const isa &on,
                         bool results_are_rows);

} // namespace onefold::impl::simd
