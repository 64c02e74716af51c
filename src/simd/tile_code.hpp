#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "compile/row_program.hpp"

namespace onefold::impl::simd {

/// What compiled code reads or writes, row by row.
struct tile_stream {
    enum class way {
        elements, // of `type`, side by side
        repeated, // one f32 for each row
        row       // f32 side by side, the same for all rows
    };
    way by = way::elements;
    data_type type = onefold_f32;
    size_t value = 0; // instruction whose values they are
};

/// An instruction in compiled code; its arguments are instructions or what is read. A quotient is a division here, of two
/// arguments, and with a difference in front of it of three.
struct tile_instruction {
    size_t value = 0; // the instruction of the program
    row_opcode code = row_opcode::unary;
    op_kind op = onefold_op_wildcard;
    data_type type = onefold_f32; // of a round
    unary_attributes attributes;
    std::vector<size_t> arguments;
    bool is_of_negatives = false; // no argument is above 0
};

/// A reduction of each row, or column, into its total, which the code updates: an f64 sum, or an f32 extreme.
struct tile_reduction {
    op_kind op = onefold_op_wildcard;
    bool squares = false; // of a sum: of the squares
    size_t value = 0;
};

/// Rows of another place that a pass over columns brings into cache: one for `parts` of its own.
struct tile_prefetch {
    data_type type = onefold_f32;
    bool is_written = false;
    size_t parts = 1;
};

/// What a pass computes.
struct tile_computation {
    bool reduces_columns = false;
    std::vector<tile_stream> sources;
    std::vector<tile_instruction> instructions; // each after its arguments
    std::vector<tile_stream> results;
    std::vector<tile_reduction> reductions;
    std::vector<tile_prefetch> prefetches;

    size_t stream_count() const { return sources.size() + results.size() + reductions.size(); }
};

inline constexpr size_t most_streams = 24;
inline constexpr size_t most_prefetches = 8;

/// Where a tile's streams are: sources, results, totals; distances from row to row in bytes. The code uses it up.
struct tile_call {
    void *pointers[most_streams];
    int64_t distances[most_streams];
    void *prefetched[most_prefetches];
    int64_t prefetched_distances[most_prefetches];
    int64_t rows;
    int64_t length;
    float repeated[most_streams];
};

/// Machine code for AVX-512 that computes a tile in registers: each element is loaded once and stored once, whatever is
/// computed in between. Immutable.
class tile_code {
public:
    virtual ~tile_code() = default;
    virtual void run(tile_call &call) const = 0;
};

/// True if there is code for the instruction.
bool has_tile_code(row_opcode code, op_kind op);
bool has_reduction_code(op_kind op);

/// nullptr where the computation is too large, or the system lets no code be made.
std::unique_ptr<const tile_code> compile_tile(const tile_computation &c);

} // namespace onefold::impl::simd
