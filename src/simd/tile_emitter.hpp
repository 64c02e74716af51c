#pragma once

#include "simd/vector_emitter.hpp"

namespace onefold::impl::simd {

/// Writes the machine code of a tile: for each row a loop over a few vectors at a time, over single vectors, then what is left
/// under a mask.
class tile_emitter : public vector_emitter {
public:
    explicit tile_emitter(const tile_computation &c);

private:
    const asm86::Reg64 length_ = rdx;
    const asm86::Reg64 rows_ = r8;

    static size_t pointer_offset(size_t stream) { return offsetof(tile_call, pointers) + stream * sizeof(void *); }
    static size_t repeated_offset(size_t stream) { return offsetof(tile_call, repeated) + stream * sizeof(float); }
    asm86::Address distance_of(size_t stream) const;
    void emit_rows();
    void read_repeated();
    void emit_row();
    void emit_loop(size_t count);
    /// A row's total into the one in memory.
    void emit_total(size_t reduction);
};

} // namespace onefold::impl::simd
