#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <vector>

#include "simd/tile_code.hpp"

// oneDNN carries another version of the same header-only library: the linker must not take the two for one.
#define Xbyak onefold_xbyak
#include <xbyak/xbyak.h>
#undef Xbyak

namespace onefold::impl::simd {

namespace asm86 = onefold_xbyak;

inline constexpr size_t lanes = 16;
inline constexpr size_t vector_registers = 32;

/// Writes the machine code of a tile computation: for each row a loop over as many vectors at a time as registers allow, over
/// single vectors, then what is left under a mask.
class tile_emitter : public asm86::CodeGenerator {
public:
    explicit tile_emitter(const tile_computation &c) : CodeGenerator(16 * 1024, asm86::AutoGrow), computation_(c) {
        assign_registers();
        emit_rows();
        emit_constants();
        readyRE();
    }

    /// Some 4 registers are for what an instruction needs on the way.
    static bool fits(const tile_computation &c);

private:
    using zmm = asm86::Zmm;
    static constexpr size_t scratch_registers = 4;
    static constexpr size_t first_nan_mask = 3;
    static constexpr size_t most_extremes = 5; // masks are left for
    static constexpr size_t most_at_once = 4;  // vectors, so that one hides the latency of another

    const asm86::Reg64 call_ = rdi;
    const asm86::Reg64 index_ = rcx;
    const asm86::Reg64 length_ = rdx;
    const asm86::Reg64 rows_ = r8;
    const asm86::Reg64 base_ = rax;
    const asm86::Opmask tail_ = k1;
    const asm86::Opmask mask_ = k2;
    const zmm scratch_0_ = zmm31;
    const zmm scratch_1_ = zmm30;
    const zmm scratch_2_ = zmm29;
    const zmm scratch_3_ = zmm28;

    /// A register for each value, free again behind its last use; a result's last use is its store, at the end.
    static std::map<size_t, size_t> allocate(const tile_computation &c, size_t &count);
    static size_t emitter_registers(const tile_computation &c);
    static bool is_extreme(op_kind op) { return op == onefold_op_reduce_max || op == onefold_op_reduce_min; }
    /// Of a row's total: sums are of f64, two vectors for one of f32.
    static size_t total_registers(const tile_reduction &r) { return is_extreme(r.op) ? 1 : 2; }
    static size_t totals_registers(const tile_computation &c);
    void assign_registers();
    zmm register_of(size_t value, size_t which) const;
    asm86::Address pointer_of(size_t stream) const;
    asm86::Address distance_of(size_t stream) const;
    static size_t repeated_offset(size_t stream) { return offsetof(tile_call, repeated) + stream * sizeof(float); }

    void emit_rows();
    void emit_row();
    void emit_loop(size_t count);
    void emit_vectors(size_t count, bool is_tail);

    zmm total_of(size_t reduction, size_t part = 0) const { return zmm(static_cast<int>(totals_[reduction] + part)); }
    float least_of(op_kind op) const;
    void clear_total(size_t reduction);
    void take_in(size_t reduction, size_t count, bool is_tail);
    /// What is summed. The square of a number that is not 0 counts as one that is not either in a norm.
    void lift(const tile_reduction &r, const zmm &to, const zmm &value);
    /// One instruction that knows the signs of zeros, but drops NaN: a mask remembers in which lanes there was one.
    void take_in_extremes(size_t reduction, size_t count, bool is_tail);
    /// The lanes in which an extreme met a NaN.
    asm86::Opmask nans_of(size_t reduction) const;
    /// The lanes of a row's total into one, and that into the one in memory.
    void emit_total(size_t reduction);

    asm86::Address element_at(data_type type, size_t which) const;
    void load(const tile_stream &source, size_t which, bool is_tail);
    void store(const tile_stream &result, size_t which, bool is_tail);

    // Predicates of vcmpps.
    static constexpr int equal = 0;
    static constexpr int unordered = 3;
    static constexpr int greater_or_unordered = 6; // not less or equal
    static constexpr int greater = 14;

    /// Where it will stand behind the code.
    asm86::RegRip place_of_constant(uint32_t bits);
    asm86::Address constant(uint32_t bits) { return ptr_b[place_of_constant(bits)]; }
    asm86::Address constant(float value) { return constant(std::bit_cast<uint32_t>(value)); }
    void emit_constants();
    bool is_repeated(size_t value) const { return repeated_.count(value) != 0; }
    asm86::Address repeated_at(size_t value) const { return ptr_b[call_ + repeated_offset(repeated_.at(value))]; }

    /// An argument in a register.
    zmm in_register(size_t value, size_t which, const zmm &room);
    void emit(const tile_instruction &i, size_t which);
    template <typename Operand>
    void emit_binary(op_kind op, const zmm &to, const zmm &a, const Operand &b) {
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
            vmaxps(scratch_2_, a, b);
        else
            vminps(scratch_2_, a, b);
        vcmpps(mask_, a, b, equal);
        if (is_maximum)
            vpandd(scratch_2_ | mask_, a, b);
        else
            vpord(scratch_2_ | mask_, a, b);
        vcmpps(mask_, a, a, unordered);
        vmovaps(scratch_2_ | mask_, a);
        vmovaps(to, scratch_2_);
    }
    void emit_unary(const tile_instruction &i, const zmm &to, const zmm &a);
    /// A constant as an instruction without arithmetic reads it.
    asm86::Address unary_constant(float value) { return ptr[place_of_constant(std::bit_cast<uint32_t>(value))]; }
    /// The second operand, which may be a NaN, is what the instructions give then.
    void emit_between(const zmm &to, const zmm &a, float lowest, float highest);
    /// 2^n * (1 + f + f^2 * q(f)), n = round(x / ln 2), f = x - n * ln 2 in two parts; q is fitted to 5e-9.
    void emit_exp(const zmm &to, const zmm &a);
    void emit_round(data_type type, const zmm &to, const zmm &a);
    void emit_bf16(const zmm &from);
    void emit_root(row_opcode code, const zmm &to, const zmm &a);

    const tile_computation &computation_;
    std::map<size_t, size_t> registers_; // of a value, in the first vector
    std::map<size_t, size_t> repeated_;  // value: its stream
    std::vector<size_t> totals_;         // of each reduction: its first register
    size_t a_vector_ = 0;                // registers that it takes
    size_t at_once_ = 1;
    std::vector<uint32_t> constants_;
    asm86::Label constants_label_;
};

} // namespace onefold::impl::simd
