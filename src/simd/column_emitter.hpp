#pragma once

#include "simd/tile_call_emitter.hpp"

namespace onefold::impl::simd {

/// Writes the machine code of a tile whose columns are reduced: for a few rows at a time a loop over vectors of columns, which
/// are taken into totals in memory.
class column_emitter : public tile_call_emitter {
public:
    explicit column_emitter(const tile_computation &c);

private:
    const asm86::Reg64 distance_ = r9;
    const asm86::Reg64 prefetched_ = r10;

    bool is_masked(size_t /*which*/, size_t /*count*/, bool is_tail) const override { return is_tail; }
    bool lie_side_by_side() const override { return false; }
    asm86::Address element_at(size_t stream, data_type type, size_t which) override;
    void add_to_total(size_t reduction, bool is_tail) override;
    void add_to_half(const asm86::Address &total, const vector &sum, const asm86::Opmask &mask, bool is_tail);
    void take_in_extremes(size_t reduction, size_t count, bool is_tail) override;

    void emit_rows(size_t count);
    void emit_columns(size_t count);
    void emit_prefetches(size_t count);
    /// Of so many rows of the tile.
    static size_t prefetched_rows(const tile_prefetch &p, size_t count) { return (count + p.parts - 1) / p.parts; }
};

} // namespace onefold::impl::simd
