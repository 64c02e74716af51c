#pragma once

#include <array>

#include "compile/row_program.hpp"
#include "simd/isa.hpp"

namespace onefold::impl::simd {

/// Values for the rows of a tile, in f32: a row of them side by side, or one for each row.
struct tile_operand {
    const float *data;
    int64_t distance; // from row to row, in elements
};

/// What an instruction does to a tile of `rows` rows of `length` elements; dst may be where an operand that has one element for
/// each of its own lies.
using tile_kernel = void (*)(const tile_operand *operands, float *dst, int64_t distance, size_t rows, size_t length);

/// Of up to three operands: true where there is one value for a row of the tile.
using row_values = std::array<bool, 3>;

enum class tile_op { add, subtract, multiply, divide, maximum, minimum, subtract_multiply, subtract_divide, multiply_add };

tile_kernel tile_kernel_of(const isa &on, tile_op op, row_values alike);

/// True if 1 / b is a normal number, or exact, for each b, so that a division by it may be a multiplication.
using reciprocal_check = bool (*)(const float *b, size_t count);
reciprocal_check reciprocal_check_of(const isa &on);

/// pow(x, 0.5) and pow(x, -0.5).
using root_kernel = void (*)(const float *src, float *dst, size_t count);
root_kernel root_of(const isa &on, bool reciprocal);

} // namespace onefold::impl::simd
