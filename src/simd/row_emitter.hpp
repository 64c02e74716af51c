#pragma once

#include "simd/row_code.hpp"
#include "simd/vector_emitter.hpp"

namespace onefold::impl::simd {

/// Writes the machine code of whole rows: for each group of rows the passes, in each pass the rows.
class row_emitter : public vector_emitter {
public:
    explicit row_emitter(const row_computation &c);

private:
    const asm86::Reg64 rows_ = r8;   // that are left
    const asm86::Reg64 values_ = r9; // of the row
    const asm86::Reg64 group_ = r10; // rows in it
    const asm86::Reg64 row_ = r11;   // those of it that are left
    const asm86::Reg64 bits_ = rdx;
    const std::array<asm86::Reg64, 7> for_pointers_ = {rsi, rbx, rbp, r12, r13, r14, r15};

    static size_t pointer_offset(size_t place) { return offsetof(row_call, pointers) + place * sizeof(void *); }
    static size_t distance_offset(size_t place) { return offsetof(row_call, distances) + place * sizeof(int64_t); }
    static size_t current_offset(size_t place) { return offsetof(row_call, current) + place * sizeof(void *); }
    /// Places of pointers that are used by prefetches only.
    static size_t place_of(const row_prefetch &p) { return (p.is_written ? 2 : 1) * most_streams + p.place; }
    static size_t value_offset(size_t value) { return value * sizeof(float); }

    void emit_groups();
    /// The code of `body` for each row of the group, at which the pointers of `places` are.
    template <typename Body>
    void emit_for_each_row(const std::vector<size_t> &places, const Body &body);
    /// Of the first row.
    void load_pointer(const asm86::Reg64 &to, size_t place);
    /// A share of each part, for one of `turns`; what has no pointer in a register is left out.
    void emit_prefetches(const row_pass &pass, size_t turns);
    void rewind_prefetches(const row_pass &pass, size_t turns);
    static constexpr int64_t line = 64; // bytes of memory
    static int64_t lines_a_turn(const row_prefetch &p, size_t turns);
    void place_pointers(const std::vector<size_t> &places);
    void enter_pass(const row_pass &pass);
    void emit_elements(const row_pass &pass);
    void emit_values(const std::vector<row_value> &values);
    void emit_load(const row_value &v, const vector &to);
    /// From a folded total; the code ends where that is doubtful.
    void emit_total(const row_value &v, const vector &to);
    void leave_if_doubtful(const tile_reduction &r, const asm86::Xmm &total);
    void leave_unless_reciprocal_is_exact(const vector &divisor);
    void emit_store(const row_store_of_value &s);

    const row_computation &rows_computation_;
    std::map<size_t, pointer_place> pointer_places_;
    asm86::Label leave_;
};

} // namespace onefold::impl::simd
