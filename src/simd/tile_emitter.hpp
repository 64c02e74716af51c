#pragma once

#include "simd/tile_call_emitter.hpp"

namespace onefold::impl::simd {

/// Writes the machine code of a tile: for each row a loop over a few vectors at a time, over single vectors, then what is left
/// under a mask.
class tile_emitter : public tile_call_emitter {
public:
    explicit tile_emitter(const tile_computation &c);

private:
    static size_t repeated_offset(size_t stream) { return offsetof(tile_call, repeated) + stream * sizeof(float); }
    void emit_rows();
    void read_repeated();
    void emit_row();
    void emit_loop(size_t count);
    /// A row's total into the one in memory.
    void emit_total(size_t reduction);
};

} // namespace onefold::impl::simd
