#pragma once

#include "simd/phase_code.hpp"
#include "simd/row_geometry.hpp"

namespace onefold::impl::simd {

/// A value of which there is one for a row: read, computed from others, or a total of the pass before.
struct row_value {
    enum class way { load, compute, total };
    way by = way::load;
    size_t value = 0;             // the instruction of the program
    size_t place = 0;             // of a load: the number of its pointer
    data_type type = onefold_f32; // of a load
    tile_instruction instruction; // compute
    size_t reduction = 0;         // of a total: its number in the pass
    bool is_divisor = false;      // by whose reciprocal elements are multiplied
};

/// A value of a row that is stored.
struct row_store_of_value {
    size_t value = 0;
    size_t place = 0;
    data_type type = onefold_f32;
};

/// A pass over a row, and the values that follow from it.
struct row_pass {
    tile_computation elements;
    std::vector<size_t> places; // of its sources and results: the numbers of their pointers
    std::vector<row_value> values;
};

/// What is done to each row.
struct row_computation {
    int64_t length = 0;
    std::vector<row_value> first_values;
    std::vector<row_pass> passes;
    std::vector<row_store_of_value> stores;
    size_t pointer_count = 0;
};

inline constexpr size_t most_row_instructions = 64;

/// Pointers are those of operands, inputs first, then of caches; distances from row to row in bytes. The code uses it up:
/// `rows` are those that are left.
struct row_call {
    void *pointers[most_streams];
    int64_t distances[most_streams];
    int64_t rows;
    float values[most_row_instructions]; // of a row; those that are the same for all rows are given
};

/// Machine code for AVX-512 that takes rows, one after the other, through all passes: nothing is done between passes but what
/// follows from their totals. Immutable.
class row_code {
public:
    virtual ~row_code() = default;
    /// Stops at a row whose totals may have lost bits, or by whose divisors must be divided: that one is left to others.
    virtual void run(row_call &call) const = 0;
};

/// The code of a program of whose passes there is code; nullptr where there can be none. `common`: results that are given.
std::unique_ptr<const row_code> compile_rows(const row_program &p, const row_schedule &schedule, const row_geometry &g,
                                             const row_kernels &kernels, const std::vector<phase_code> &phases,
                                             const std::vector<size_t> &common);

} // namespace onefold::impl::simd
