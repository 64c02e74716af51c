#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <map>
#include <variant>
#include <vector>

#include "simd/tile_code.hpp"

// oneDNN carries another version of the same header-only library: the linker must not take the two for one.
#define Xbyak onefold_xbyak
#include <xbyak/xbyak.h>
#include <xbyak/xbyak_util.h>
#undef Xbyak

namespace onefold::impl::simd {

namespace asm86 = onefold_xbyak;

inline constexpr size_t lanes = 16;
inline constexpr size_t vector_registers = 32;

/// Writes what a computation does to vectors of elements: loaded once, in registers from then on, stored and reduced at the
/// end. What is around that, loops over elements and rows, is up to a derived class.
class vector_emitter : public asm86::CodeGenerator {
public:
    /// Some registers are for what an instruction needs on the way.
    static bool fits(const tile_computation &c);

protected:
    /// A whole register, or the lowest lanes of one while single values are computed.
    using vector = asm86::Xmm;

    vector_emitter() : CodeGenerator(16 * 1024, asm86::AutoGrow) {}

    /// Where a pointer is: in a register, or at an offset in what call_ points to.
    using pointer_place = std::variant<asm86::Reg64, size_t>;
    /// From here on it is this computation, which must live as long.
    void enter(const tile_computation &c, std::vector<pointer_place> pointers_of_streams);
    const tile_computation &computation() const { return *computation_; }
    /// The most vectors at a time that registers allow.
    size_t most_at_once() const { return most_at_once_; }
    /// What all code begins with.
    void prepare();
    /// The next `count` vectors; `is_tail`: of those that is_masked() tells only the elements that tail_ has.
    void emit_vectors(size_t count, bool is_tail);
    /// How vectors lie: here side by side.
    virtual bool is_masked(size_t which, size_t count, bool is_tail) const { return is_tail && which + 1 == count; }
    virtual bool lie_side_by_side() const { return true; }
    /// Where the elements of a stream in a vector are. May write instructions: asked for one after the other, from 0 on.
    virtual asm86::Address element_at(size_t stream, data_type type, size_t which);
    /// What becomes of a sum of vectors in scratch(0), and of extremes.
    virtual void add_to_total(size_t reduction, bool is_tail);
    virtual void take_in_extremes(size_t reduction, size_t count, bool is_tail);
    /// The extremes of all that are at even places, and of the others.
    std::vector<vector> pair_extremes(op_kind op, const std::vector<vector> &values);
    asm86::Opmask numbers_of(size_t reduction) const;
    /// The larger or smaller one, with its sign, as vrangeps has it.
    static uint8_t range_of(op_kind op);
    static float least_of(op_kind op);
    void emit(const tile_instruction &i, size_t which);
    void clear_totals();
    /// The lanes of a total into its first one: an f64, or an extreme in f32.
    void fold_total(size_t reduction);
    vector total_of(size_t reduction, size_t part = 0) const { return in_lanes(totals_[reduction] + part); }
    static bool is_extreme(op_kind op) { return op == onefold_op_reduce_max || op == onefold_op_reduce_min; }
    /// Rounded to nearest even, in the lower halves of scratch(1); a NaN stays one.
    void emit_bf16(const vector &from);
    /// What is seldom run, then the constants: behind all other code.
    void emit_rest();

    /// While single values are computed each has a register of its own.
    void compute_single_values(bool yes) { is_single_ = yes; }
    void keep_in_register(size_t value, size_t number) { registers_[value] = number; }
    void keep_in_memory(size_t value, size_t offset);
    /// Brings single values that are in memory into the registers that are left for them.
    void broadcast_values();
    void forget_broadcasts() { broadcast_.clear(); }
    /// What the offsets of single values begin at; call_ if it is not set.
    void find_values_at(const asm86::Reg64 &base) { values_base_ = base; }

    // Predicates of vcmpps.
    static constexpr int equal = 0;
    static constexpr int less = 1;
    static constexpr int unordered = 3;
    static constexpr int ordered = 7;
    static constexpr int greater_or_unordered = 6; // not less or equal
    static constexpr int greater = 14;

    const asm86::Reg64 call_ = rdi;
    const asm86::Reg64 index_ = rcx;
    const asm86::Reg64 base_ = rax;
    const asm86::Opmask tail_ = k1;
    const asm86::Opmask mask_ = k2;
    const asm86::Opmask upper_halves_ = k7; // of f32, in bytes
    vector in_lanes(size_t number) const {
        const auto index = static_cast<int>(number);
        return is_single_ ? vector(index) : vector(asm86::Zmm(index));
    }
    vector scratch(size_t number) const { return in_lanes(vector_registers - 1 - number); }
    vector register_of(size_t value, size_t which) const;
    /// A pointer, in base_ if it has no register of its own.
    asm86::Reg64 pointer_at(const pointer_place &place);
    asm86::Reg64 pointer_of(size_t stream) { return pointer_at(pointers_[stream]); }
    template <typename Operand>
    void emit_binary(op_kind op, const vector &to, const vector &a, const Operand &b);
    /// A constant as an instruction without arithmetic reads it.
    asm86::Address unary_constant(float value) { return ptr[place_of_constant(std::bit_cast<uint32_t>(value))]; }

private:
    static constexpr size_t scratch_registers = 5;
    static constexpr uint32_t magnitude = 0x7FFFFFFFU; // bits
    static constexpr size_t first_extreme_mask = 3;
    static constexpr size_t most_extremes = 4;       // masks are left for
    static constexpr size_t enough_instructions = 4; // that one vector hides the latency of another
    static constexpr size_t largest_at_once = 8;     // vectors of so many
    static constexpr size_t most_added = 16;         // vectors, before their sum goes into f64

    void spread_registers();
    /// A register for each value, free again behind its last use; a result's last use is its store, at the end.
    static std::map<size_t, size_t> allocate(const tile_computation &c, size_t &count);
    static bool takes_registers(const tile_computation &c, const tile_stream &source);
    static size_t shared_count(const tile_computation &c);
    static size_t vector_count(const tile_computation &c);
    /// Of a row's total: sums are of f64, two vectors for one of f32. Those of columns are in memory.
    static size_t total_registers(const tile_computation &c, const tile_reduction &r) {
        return c.reduces_columns ? 0 : is_extreme(r.op) ? 1 : 2;
    }
    static size_t totals_registers(const tile_computation &c);

    void clear_total(size_t reduction);
    void take_in(size_t reduction, size_t count, bool is_tail);
    void add_term(const tile_reduction &r, const vector &to, const vector &value, bool is_first);
    void raise_lost_squares();
    void fold_extreme(size_t reduction);
    void fold_sum(size_t reduction);

    void load(size_t source, size_t count, bool is_tail);
    void load_vector(const tile_stream &source, const asm86::Address &from, const vector &plain, bool is_masked);
    void load_bf16(const vector &to, const asm86::Address &from, bool is_masked);
    void store(size_t result, size_t count, bool is_tail);
    void store_vector(data_type type, const vector &from, const asm86::Address &to, bool is_masked);
    /// By one instruction, which takes subnormal numbers for 0: where there is one the other way is taken.
    void store_bf16_natively(size_t result, size_t count, bool is_tail);
    void emit_constants();

    /// Where it will stand behind the code.
    asm86::RegRip place_of_constant(uint32_t bits);
    asm86::Address constant(uint32_t bits) { return ptr_b[place_of_constant(bits)]; }
    asm86::Address constant(float value) { return constant(std::bit_cast<uint32_t>(value)); }
    /// True if it is in no register.
    bool is_repeated(size_t value) const { return registers_.count(value) == 0 && broadcast_.count(value) == 0; }
    asm86::Address repeated_at(size_t value) const { return ptr_b[values_base_ + repeated_.at(value)]; }

    /// An argument in a register.
    vector in_register(size_t value, size_t which, const vector &room);
    void emit_unary(const tile_instruction &i, const vector &to, const vector &a);
    /// The second operand, which may be a NaN, is what the instructions give then.
    void emit_between(const vector &to, const vector &a, float lowest, float highest);
    /// 2^n * (1 + f + f^2 * q(f)), n = round(x / ln 2), f = x - n * ln 2 in two parts; q is fitted to 1.1e-7 of the result.
    void emit_exp(const vector &to, const vector &a, bool of_negatives);
    /// 1 / (1 + e), e = exp(-|x|), or e / (1 + e) below 0, where e may be subnormal.
    void emit_sigmoid(const vector &to, const vector &a);
    /// n * ln 2 + log(m), x = 2^n * m, m from sqrt(1/2) to sqrt(2).
    void emit_log(const vector &to, const vector &a);
    void emit_round(data_type type, const vector &to, const vector &a);
    void emit_root(row_opcode code, const vector &to, const vector &a);

    const tile_computation *computation_ = nullptr;
    std::vector<pointer_place> pointers_; // of streams
    std::map<size_t, size_t> registers_;  // of a value, in the first vector
    std::map<size_t, size_t> repeated_;   // of other values: where in what call_ points to
    std::map<size_t, size_t> broadcast_;  // of some of these: the register that they are in too
    std::vector<size_t> totals_;          // of each reduction: its first register
    size_t a_vector_ = 0;                 // registers that it takes
    size_t most_at_once_ = 1;
    asm86::Reg64 values_base_ = rdi;
    asm86::Reg64 current_ = rax; // pointer
    bool is_single_ = false;
    std::vector<uint32_t> constants_;
    std::vector<std::function<void()>> seldom_;
    asm86::Label constants_label_;
    asm86::Label words_label_;
};

template <typename Operand>
void vector_emitter::emit_binary(op_kind op, const vector &to, const vector &a, const Operand &b) {
    switch (op) {
    case onefold_op_add:
        return vaddps(to, a, b);
    case onefold_op_subtract:
        return vsubps(to, a, b);
    case onefold_op_multiply:
        return vmulps(to, a, b);
    case onefold_op_divide:
        return vdivps(to, a, b);
    default:
        break;
    }
    // Equal operands may be zeros of both signs; the instruction gives the second operand where one is a NaN.
    const bool is_maximum = op == onefold_op_maximum;
    if (is_maximum)
        vmaxps(scratch(2), a, b);
    else
        vminps(scratch(2), a, b);
    vcmpps(mask_, a, b, equal);
    if (is_maximum)
        vpandd(scratch(2) | mask_, a, b);
    else
        vpord(scratch(2) | mask_, a, b);
    vcmpps(mask_, a, a, unordered);
    vmovaps(scratch(2) | mask_, a);
    vmovaps(to, scratch(2));
}

} // namespace onefold::impl::simd
