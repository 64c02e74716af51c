#pragma once

#include "simd/vector_emitter.hpp"

namespace onefold::impl::simd {

/// What code that is called with a tile_call has in common: where that has what.
class tile_call_emitter : public vector_emitter {
protected:
    explicit tile_call_emitter(const tile_computation &c) {
        std::vector<pointer_place> pointers;
        for (size_t s = 0; s < c.stream_count(); ++s)
            pointers.emplace_back(pointer_offset(s));
        enter(c, std::move(pointers));
    }

    const asm86::Reg64 length_ = rdx;
    const asm86::Reg64 rows_ = r8;

    static size_t pointer_offset(size_t stream) { return offsetof(tile_call, pointers) + stream * sizeof(void *); }
    static size_t distance_offset(size_t stream) { return offsetof(tile_call, distances) + stream * sizeof(int64_t); }
    size_t total_stream(size_t reduction) const {
        return computation().sources.size() + computation().results.size() + reduction;
    }

    /// The tile's sizes into registers, and tail_ for its length.
    void read_sizes() {
        mov(rows_, ptr[call_ + offsetof(tile_call, rows)]);
        mov(length_, ptr[call_ + offsetof(tile_call, length)]);
        mov(rcx, length_);
        and_(rcx, lanes - 1);
        mov(eax, 1);
        shl(eax, cl);
        sub(eax, 1);
        kmovw(tail_, eax);
    }
};

} // namespace onefold::impl::simd
