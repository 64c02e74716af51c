#pragma once

#include "simd/row_code.hpp"
#include "simd/vector_emitter.hpp"

namespace onefold::impl::simd {

/// Writes the machine code of whole rows.
class row_emitter : public vector_emitter {
public:
    explicit row_emitter(const row_computation &c);

private:
    const asm86::Reg64 rows_ = r8;
    const asm86::Reg64 next_ = r9; // a pointer in the next row
    const asm86::Reg64 bits_ = rdx;

    static size_t pointer_offset(size_t place) { return offsetof(row_call, pointers) + place * sizeof(void *); }
    static size_t value_offset(size_t value) { return offsetof(row_call, values) + value * sizeof(float); }
    void enter_pass(const row_pass &pass);
    void emit_row();
    void emit_pass(const row_pass &pass, bool is_last);
    void emit_values(const std::vector<row_value> &values);
    void emit_load(const row_value &v, const vector &to);
    /// From a folded total, or to the end of the code where it is doubtful.
    void emit_total(const row_value &v, const vector &to);
    void leave_if_doubtful(const tile_reduction &r, const asm86::Xmm &total);
    void leave_unless_reciprocal_is_exact(const vector &divisor);
    void emit_store(const row_store_of_value &s);

    const row_computation &rows_computation_;
    size_t at_once_ = 8;
    asm86::Label leave_;
};

} // namespace onefold::impl::simd
