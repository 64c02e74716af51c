#pragma once

#include <algorithm>

#include "compile/row_program.hpp"
#include "simd/nest.hpp"

namespace onefold::impl::simd {

inline int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

/// A dim that pieces or tiles are cut along, and the distances, in bytes, of operands along it.
struct cut_dim {
    int64_t length = 1;
    std::vector<int64_t> strides;
};

/// How a row program's loop space is cut. A piece has all elements of `width` results side by side. A tile is a part of it: the
/// elements of `tile_width` results, `run` long along a reduced dim. Where the innermost dim is reduced, a tile's rows are the
/// results', else its columns are. Operands are numbered inputs first. Sizes alone decide.
struct row_geometry {
    /// `needs_tiles`: kernels go over tiles, some rows of which must fit.
    row_geometry(const row_program &p, size_t register_count, size_t cached_count, bool needs_tiles = true);

    bool results_are_rows; // of a tile
    cut_dim kept;
    cut_dim reduced;
    nest outer_kept;    // the other kept dims
    nest outer_reduced; // the other reduced dims
    int64_t width;
    int64_t tile_width;
    int64_t run;

    /// The dim that lies along a tile's rows.
    const cut_dim &along_a_row() const { return results_are_rows ? reduced : kept; }
    int64_t pieces_a_row() const { return (kept.length + width - 1) / width; }
    int64_t units() const { return outer_kept.count() * pieces_a_row(); }
    int64_t runs() const { return (reduced.length + run - 1) / run; }
    int64_t tiles_a_group() const { return outer_reduced.count() * runs(); }                  // of tile_width results
    int64_t tiles() const { return (width + tile_width - 1) / tile_width * tiles_a_group(); } // of a piece, group by group
    int64_t elements_a_tile() const { return tile_width * run; }
    int64_t elements_a_result() const { return outer_reduced.count() * reduced.length; }
    int64_t elements_a_piece() const { return width * elements_a_result(); }

    /// True where pieces are so few or so large that each pass goes over all of them before the next one begins.
    bool goes_by_passes() const;
    /// Then pieces are cut into blocks of so many tiles.
    int64_t tiles_a_block() const;
    int64_t blocks() const { return (tiles() + tiles_a_block() - 1) / tiles_a_block(); }
    /// The first tile of a block; of the number of blocks, where the last one ends.
    int64_t first_tile(int64_t block) const { return std::min(tiles(), block * tiles_a_block()); }
    /// True where pieces are so large that each tile has all results of its piece, whatever its size.
    bool has_whole_tiles() const { return !results_are_rows || width == 1; }
    /// Then: elements of each result in a block.
    int64_t elements_in(int64_t block) const {
        return elements_before(first_tile(block + 1)) - elements_before(first_tile(block));
    }

private:
    int64_t elements_before(int64_t tile) const { return tile / runs() * reduced.length + tile % runs() * run; }
    void cut_rows(int64_t tile);
    void cut_columns(int64_t tile, int64_t largest, bool needs_tiles, int64_t bytes_an_element);
    int64_t bytes_an_element_ = 0; // of what varies
};

/// Elements in all registers of a tile together.
inline constexpr int64_t register_elements = 16 * 1024;

} // namespace onefold::impl::simd
