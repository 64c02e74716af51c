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

/// Bytes of an operand's row that a pass brings into cache for later ones.
struct row_prefetch {
    size_t place = 0;
    bool is_written = false; // in this group's row; else it is read, in the next group's
    int64_t begin = 0;
    int64_t end = 0;
};

/// A pass over a row, and the values that follow from it.
struct row_pass {
    tile_computation elements;
    std::vector<size_t> places; // of its sources and results: the numbers of their pointers, or none
    std::vector<row_value> values;
    std::vector<row_prefetch> prefetches;
};

/// What is done to each row.
struct row_computation {
    int64_t length = 0;
    std::vector<row_value> first_values;
    std::vector<row_pass> passes;
    std::vector<row_store_of_value> stores;
    size_t operand_count = 0;
    int64_t grouped_rows = 1;
    std::vector<size_t> converted_loads; // instructions
};

inline constexpr size_t no_place = SIZE_MAX;
inline constexpr size_t most_row_instructions = 64;

inline constexpr int64_t most_grouped_rows = 8;

/// Pointers are those of operands, inputs first, of caches and of converted loads; distances from row to row in bytes. The
/// code uses it up: `rows` are those that are left.
struct row_call {
    void *pointers[most_streams];
    int64_t distances[most_streams];
    int64_t rows;
    void *current[most_streams];                            // in the row of a pass
    float values[most_grouped_rows][most_row_instructions]; // those that are the same for all rows are given
};

/// Machine code for AVX-512 that takes rows through all passes, a few at a time, so that what follows from the totals of one is
/// computed while the next ones are read. Immutable.
class row_code {
public:
    virtual ~row_code() = default;
    /// How many rows go through a pass before the next one begins: caches are for so many.
    virtual int64_t grouped_rows() const = 0;
    /// Loads that are the same for all rows: the code reads them as f32, by pointers behind those of the caches.
    virtual const std::vector<size_t> &converted_loads() const = 0;
    /// Stops at the first of a group of rows if a total of one of them may have lost bits, or it must be divided by a divisor.
    virtual void run(row_call &call) const = 0;
};

/// The code of a program of whose passes there is code; nullptr where there can be none. `common`: results that are given.
std::unique_ptr<const row_code> compile_rows(const row_program &p, const row_schedule &schedule, const row_geometry &g,
                                             const row_kernels &kernels, const std::vector<phase_code> &phases,
                                             const std::vector<size_t> &common);

} // namespace onefold::impl::simd
