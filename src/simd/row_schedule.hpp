#pragma once

#include "compile/row_program.hpp"

namespace onefold::impl::simd {

/// What is done with a tile of elements: a value computed (or loaded), taken into a reduction, or stored as an output.
struct tile_action {
    enum class kind { compute, reduce, store };
    kind what;
    size_t index; // of the instruction, or of the output
};

/// A part of an operand that a pass brings into cache for later ones: of `parts` equal ones along the reduced dim.
struct prefetched_part {
    size_t operand = 0; // inputs first
    data_type type = onefold_f32;
    bool is_written = false; // by this piece's last pass; else it is read, by the next piece
    int64_t part = 0;
    int64_t parts = 1;

    /// Where it begins and ends in a row, or column, of so many.
    int64_t begin(int64_t length) const { return length * part / parts; }
    int64_t end(int64_t length) const { return length * (part + 1) / parts; }
};

/// One pass over the elements of a piece, and what follows from its reductions.
struct row_phase {
    std::vector<tile_action> actions;
    std::vector<size_t> registers; // of each instruction: where its tile lies in this phase, or none
    size_t register_count = 0;
    std::vector<bool> is_read_from_cache; // of each instruction: an earlier pass made its tiles
    std::vector<size_t> results;          // instructions with one value a result, computed behind the pass in this order
    std::vector<size_t> read_results;     // results that the pass reads
    std::vector<size_t> reductions;       // instructions that it feeds
    std::vector<prefetched_part> prefetches;
};
inline constexpr size_t no_register = SIZE_MAX;

/// The passes of a row program. What a pass needs of an earlier one is computed again, unless that is expensive: then its
/// elements are cached.
struct row_schedule {
    std::vector<size_t> first_results; // known before the first pass
    std::vector<row_phase> phases;
    std::vector<size_t> cached;

    /// The most that a phase needs.
    size_t register_count() const;
};

/// `may_cache` is false where pieces are too large for it.
row_schedule make_schedule(const row_program &p, bool may_cache);

/// True of ops that are made of polynomials.
bool is_transcendental(op_kind op);

/// True if computing the value costs more than loading it.
bool is_expensive(const row_instruction &i);

/// For each instruction, the pass that can compute it; for a result, the number of passes that come before it.
std::vector<size_t> levels_of(const row_program &p);

} // namespace onefold::impl::simd
