#include "simd/row_geometry.hpp"

#include <algorithm>

#include <unistd.h>

namespace onefold::impl::simd {

namespace {

constexpr int64_t largest_tile = 4096;         // elements
constexpr int64_t registers_bytes = 24 * 1024; // of all registers together: they should stay in L1
constexpr int64_t widest_rows = 128;           // results of a piece whose rows they are
constexpr int64_t near_bytes = 48 * 1024;      // what of several rows together should stay in L1, or near it
constexpr int64_t large_piece = 1024 * 1024;   // bytes: no longer in L2
constexpr int64_t narrow_columns = 128;
constexpr int64_t widest_columns = 1024;
constexpr int64_t block_elements = 64 * 1024; // of a pass over a large piece
constexpr int64_t block_bytes = 512 * 1024;   // at the most: what two passes read should stay in L2
constexpr int64_t enough_units = 16;          // to keep threads busy

std::vector<const operand *> operands_of(const row_program &p) {
    std::vector<const operand *> operands;
    for (const operand &input : p.inputs)
        operands.push_back(&input);
    for (const row_output &output : p.outputs)
        operands.push_back(&output.to);
    return operands;
}

size_t last_dim(const loop_space &space, bool reduced) {
    for (size_t d = space.rank(); d-- > 0;)
        if (space.reduced[d] == reduced) return d;
    return space.rank();
}

cut_dim make_cut(const loop_space &space, size_t d, const std::vector<const operand *> &operands) {
    cut_dim cut;
    for (const operand *o : operands)
        cut.strides.push_back(d < space.rank() ? o->strides[d] * size_of(o->type) : 0);
    if (d < space.rank()) cut.length = space.sizes[d];
    return cut;
}

/// Bytes, of this machine; it decides on the width of columns only, of which each result is the same in any width.
int64_t second_level_cache() {
    static const int64_t bytes = std::max<int64_t>(512 * 1024, sysconf(_SC_LEVEL2_CACHE_SIZE));
    return bytes;
}

} // namespace

row_geometry::row_geometry(const row_program &p, size_t register_count, size_t cached_count, bool needs_tiles) {
    const loop_space &space = p.space;
    const auto operands = operands_of(p);
    results_are_rows = space.reduced.back();
    const size_t kept_dim = last_dim(space, false);
    const size_t reduced_dim = last_dim(space, true);
    kept = make_cut(space, kept_dim, operands);
    reduced = make_cut(space, reduced_dim, operands);
    outer_kept = nest(operands.size());
    outer_reduced = nest(operands.size());
    for (size_t d = 0; d < space.rank(); ++d)
        if (d != kept_dim && d != reduced_dim) (space.reduced[d] ? outer_reduced : outer_kept).add_dim(space, d, operands);
    for (const row_instruction &i : p.instructions)
        if (i.code == row_opcode::load && i.varies) bytes_an_element_ += size_of(p.inputs[i.arguments[0]].type);
    const auto registers = static_cast<int64_t>(std::max<size_t>(1, register_count));
    const int64_t tile = std::clamp<int64_t>(registers_bytes / 4 / registers / 64 * 64, 64, largest_tile);
    if (results_are_rows)
        cut_rows(tile);
    else
        cut_columns(tile, register_elements / registers, needs_tiles,
                    bytes_an_element_ + 4 * static_cast<int64_t>(cached_count));
}

void row_geometry::cut_rows(int64_t tile) {
    run = std::max<int64_t>(1, std::min(reduced.length, tile));
    const int64_t bytes_a_result = std::max<int64_t>(1, elements_a_result() * bytes_an_element_);
    width = std::clamp<int64_t>(near_bytes / bytes_a_result, 1, std::min(kept.length, widest_rows));
    tile_width = std::clamp<int64_t>(tile / run, 1, width);
}

/// As wide as the cache allows, but at least a few lines of memory, in equal parts. Kernels add columns 8 rows at a time; code
/// has the next piece in cache too, and what it writes.
void row_geometry::cut_columns(int64_t tile, int64_t largest, bool needs_tiles, int64_t bytes_an_element) {
    const int64_t least_rows = needs_tiles ? 8 : 1;
    const int64_t cache = second_level_cache() * (needs_tiles ? 12 : 3) / 16;
    width = std::min(kept.length, narrow_columns);
    if (!goes_by_passes()) {
        const int64_t bytes_a_result = std::max<int64_t>(1, elements_a_result() * bytes_an_element);
        const int64_t widest = std::clamp<int64_t>(cache / bytes_a_result, narrow_columns, widest_columns);
        const int64_t pieces = (kept.length + widest - 1) / widest;
        width = std::min(round_up((kept.length + pieces - 1) / pieces, 16), kept.length);
    }
    width = std::min(width, std::max<int64_t>(16, largest / least_rows));
    tile_width = width;
    const int64_t rows = std::min(std::max<int64_t>(8, tile / width / 8 * 8), largest / width);
    run = std::clamp<int64_t>(rows, 1, std::max<int64_t>(1, reduced.length));
}

bool row_geometry::goes_by_passes() const {
    const int64_t at_once = results_are_rows ? width : std::min(kept.length, narrow_columns);
    const int64_t elements = at_once * elements_a_result();
    const int64_t pieces = outer_kept.count() * ((kept.length + at_once - 1) / at_once);
    return elements > 2 * block_elements && (pieces < enough_units || elements * bytes_an_element_ > large_piece);
}

int64_t row_geometry::tiles_a_block() const {
    if (!goes_by_passes()) return std::max<int64_t>(1, tiles());
    const int64_t elements = std::min(block_elements, block_bytes / std::max<int64_t>(1, bytes_an_element_));
    return std::max<int64_t>(1, elements / elements_a_tile());
}

} // namespace onefold::impl::simd
