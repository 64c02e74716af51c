#include "simd/tile_code.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>

// oneDNN carries another version of the same header-only library: the two must not be taken for one by the linker.
#define Xbyak onefold_xbyak
#include <xbyak/xbyak.h>
#undef Xbyak

namespace onefold::impl::simd {

namespace {

namespace asm86 = onefold_xbyak;

constexpr size_t lanes = 16;
constexpr size_t vector_registers = 32;
constexpr size_t most_at_once = 4; // vectors, so that one hides the latency of another

/// What code is made of vectors in a register allocation: as many at a time as registers allow.
class emitter : public asm86::CodeGenerator {
public:
    explicit emitter(const tile_computation &c) : CodeGenerator(16 * 1024, asm86::AutoGrow), computation_(c) {
        assign_registers();
        emit_rows();
        emit_constants();
        readyRE();
    }

    /// Some 4 registers are for what an instruction needs on the way.
    static bool fits(const tile_computation &c) {
        const auto extremes = std::count_if(c.reductions.begin(), c.reductions.end(),
                                            [](const tile_reduction &r) { return is_extreme(r.op); });
        return emitter_registers(c) + scratch_registers + totals_registers(c) <= vector_registers &&
               static_cast<size_t>(extremes) <= most_extremes;
    }

private:
    using zmm = asm86::Zmm;
    static constexpr size_t scratch_registers = 4;
    static constexpr size_t first_nan_mask = 3;
    static constexpr size_t most_extremes = 5; // masks are left for

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
    static std::map<size_t, size_t> allocate(const tile_computation &c, size_t &count) {
        std::map<size_t, size_t> last_use;
        for (size_t i = 0; i < c.instructions.size(); ++i)
            for (const size_t argument : c.instructions[i].arguments)
                last_use[argument] = i;
        for (const tile_stream &result : c.results)
            last_use[result.value] = c.instructions.size();
        for (const tile_reduction &reduction : c.reductions)
            last_use[reduction.value] = c.instructions.size();
        std::map<size_t, size_t> registers;
        std::vector<bool> taken;
        const auto take = [&](size_t value) {
            const auto found = std::find(taken.begin(), taken.end(), false);
            registers[value] = static_cast<size_t>(found - taken.begin());
            if (found == taken.end())
                taken.push_back(true);
            else
                *found = true;
        };
        for (const tile_stream &source : c.sources)
            if (source.by == tile_stream::way::elements) take(source.value);
        for (size_t i = 0; i < c.instructions.size(); ++i) {
            // Not yet those that the instruction reads: it may need them behind its first write.
            take(c.instructions[i].value);
            for (const size_t argument : c.instructions[i].arguments)
                if (registers.count(argument) != 0 && last_use[argument] == i) taken[registers[argument]] = false;
        }
        count = taken.size();
        return registers;
    }
    static size_t emitter_registers(const tile_computation &c) {
        size_t count = 0;
        allocate(c, count);
        return count;
    }

    static bool is_extreme(op_kind op) { return op == onefold_op_reduce_max || op == onefold_op_reduce_min; }
    /// Of a row's totals: sums are of f64, two vectors for one of f32.
    static size_t totals_registers(const tile_computation &c) {
        size_t count = 0;
        for (const tile_reduction &r : c.reductions)
            count += is_extreme(r.op) ? size_t{1} : size_t{2};
        return count;
    }

    void assign_registers() {
        registers_ = allocate(computation_, a_vector_);
        const size_t free = vector_registers - scratch_registers - totals_registers(computation_);
        at_once_ = std::clamp<size_t>(free / std::max<size_t>(1, a_vector_), 1, most_at_once);
        size_t next = free;
        for (const tile_reduction &r : computation_.reductions) {
            totals_.push_back(next);
            next += is_extreme(r.op) ? size_t{1} : size_t{2};
        }
        for (size_t s = 0; s < computation_.sources.size(); ++s)
            if (computation_.sources[s].by == tile_stream::way::repeated) repeated_[computation_.sources[s].value] = s;
    }

    zmm register_of(size_t value, size_t which) const {
        return zmm(static_cast<int>(which * a_vector_ + registers_.at(value)));
    }

    asm86::Address pointer_of(size_t stream) const {
        return ptr[call_ + (offsetof(tile_call, pointers) + stream * sizeof(void *))];
    }
    asm86::Address distance_of(size_t stream) const {
        return ptr[call_ + (offsetof(tile_call, distances) + stream * sizeof(int64_t))];
    }
    static size_t repeated_offset(size_t stream) { return offsetof(tile_call, repeated) + stream * sizeof(float); }

    void emit_rows() {
        asm86::Label next_row;
        asm86::Label done;
        mov(rows_, ptr[call_ + offsetof(tile_call, rows)]);
        mov(length_, ptr[call_ + offsetof(tile_call, length)]);
        mov(rcx, length_);
        and_(rcx, lanes - 1);
        mov(eax, 1);
        shl(eax, cl);
        sub(eax, 1);
        kmovw(tail_, eax);
        test(rows_, rows_);
        jz(done, T_NEAR);
        L(next_row);
        for (const auto &[value, stream] : repeated_) {
            mov(base_, pointer_of(stream));
            mov(eax, ptr[base_]);
            mov(ptr[call_ + repeated_offset(stream)], eax);
        }
        for (size_t r = 0; r < computation_.reductions.size(); ++r)
            clear_total(r);
        emit_row();
        for (size_t r = 0; r < computation_.reductions.size(); ++r)
            emit_total(r);
        for (size_t s = 0; s < computation_.stream_count(); ++s) {
            mov(base_, distance_of(s));
            add(pointer_of(s), base_);
        }
        dec(rows_);
        jnz(next_row, T_NEAR);
        L(done);
        vzeroupper();
        ret();
    }

    void emit_row() {
        xor_(index_, index_);
        if (at_once_ > 1) emit_loop(at_once_);
        emit_loop(1);
        asm86::Label no_tail;
        cmp(index_, length_);
        jge(no_tail, T_NEAR);
        emit_vectors(1, true);
        L(no_tail);
    }

    void emit_loop(size_t count) {
        asm86::Label again;
        asm86::Label end;
        L(again);
        lea(base_, ptr[index_ + count * lanes]);
        cmp(base_, length_);
        jg(end, T_NEAR);
        emit_vectors(count, false);
        add(index_, static_cast<uint32_t>(count * lanes));
        jmp(again, T_NEAR);
        L(end);
    }

    void emit_vectors(size_t count, bool is_tail) {
        for (size_t s = 0; s < computation_.sources.size(); ++s)
            if (computation_.sources[s].by == tile_stream::way::elements) {
                mov(base_, pointer_of(s));
                for (size_t k = 0; k < count; ++k)
                    load(computation_.sources[s], k, is_tail);
            }
        for (const tile_instruction &i : computation_.instructions)
            for (size_t k = 0; k < count; ++k)
                emit(i, k);
        for (size_t r = 0; r < computation_.results.size(); ++r) {
            mov(base_, pointer_of(computation_.sources.size() + r));
            for (size_t k = 0; k < count; ++k)
                store(computation_.results[r], k, is_tail);
        }
        for (size_t r = 0; r < computation_.reductions.size(); ++r)
            take_in(r, count, is_tail);
    }

    zmm total_of(size_t reduction, size_t part = 0) const { return zmm(static_cast<int>(totals_[reduction] + part)); }
    float least_of(op_kind op) const {
        const float infinity = std::bit_cast<float>(0x7F800000U);
        return op == onefold_op_reduce_max ? -infinity : infinity;
    }

    void clear_total(size_t reduction) {
        const op_kind op = computation_.reductions[reduction].op;
        if (is_extreme(op)) {
            kxorw(nans_of(reduction), nans_of(reduction), nans_of(reduction));
            return vbroadcastss(total_of(reduction), unary_constant(least_of(op)));
        }
        for (const size_t part : {size_t{0}, size_t{1}})
            vpxord(total_of(reduction, part), total_of(reduction, part), total_of(reduction, part));
    }

    void take_in(size_t reduction, size_t count, bool is_tail) {
        const tile_reduction &r = computation_.reductions[reduction];
        if (is_extreme(r.op)) return take_in_extremes(reduction, count, is_tail);
        // A sum of up to four in f32, as a tree, then in f64.
        for (size_t k = 0; k < count; ++k) {
            const zmm &to = k % 2 == 0 ? scratch_0_ : scratch_1_;
            lift(r, to, register_of(r.value, k));
            if (k == 1) vaddps(scratch_2_, scratch_0_, scratch_1_);
            if (k == 3) vaddps(scratch_1_, scratch_0_, scratch_1_);
        }
        if (count == 2) vmovaps(scratch_0_, scratch_2_);
        if (count == 3) vaddps(scratch_0_, scratch_2_, scratch_0_);
        if (count == 4) vaddps(scratch_0_, scratch_2_, scratch_1_);
        if (is_tail) vmovaps(scratch_0_ | tail_ | T_z, scratch_0_);
        vcvtps2pd(scratch_1_, asm86::Ymm(scratch_0_.getIdx()));
        vextractf64x4(asm86::Ymm(scratch_2_.getIdx()), scratch_0_, 1);
        vcvtps2pd(scratch_2_, asm86::Ymm(scratch_2_.getIdx()));
        vaddpd(total_of(reduction, 0), total_of(reduction, 0), scratch_1_);
        vaddpd(total_of(reduction, 1), total_of(reduction, 1), scratch_2_);
    }

    /// What is summed. The square of a number that is not 0 counts as one that is not either in a norm.
    void lift(const tile_reduction &r, const zmm &to, const zmm &value) {
        if (r.op == onefold_op_reduce_l1) return vpandd(to, value, constant(0x7FFFFFFFU));
        if (r.op != onefold_op_reduce_l2) return r.squares ? vmulps(to, value, value) : vmovaps(to, value);
        vmulps(to, value, value);
        vptestnmd(mask_, to, to);
        vpandd(scratch_3_, value, constant(0x7FFFFFFFU));
        vminps(to | mask_, scratch_3_, constant(1U));
    }

    /// One instruction that knows the signs of zeros, but drops NaN: a mask remembers in which lanes there was one.
    void take_in_extremes(size_t reduction, size_t count, bool is_tail) {
        const tile_reduction &r = computation_.reductions[reduction];
        const uint8_t how = r.op == onefold_op_reduce_max ? 5 : 4; // the larger or smaller one, with its sign
        std::vector<zmm> values;
        for (size_t k = 0; k < count; ++k)
            values.push_back(register_of(r.value, k));
        if (is_tail) {
            vbroadcastss(scratch_0_, unary_constant(least_of(r.op)));
            vmovaps(scratch_0_ | tail_, values[0]);
            values[0] = scratch_0_;
        }
        for (const zmm &value : values) {
            vcmpps(mask_, value, value, unordered);
            korw(nans_of(reduction), nans_of(reduction), mask_);
        }
        if (count == 4) vrangeps(scratch_1_, values[2], values[3], how);
        if (count >= 2) vrangeps(scratch_0_, values[0], values[1], how);
        if (count == 3) vrangeps(scratch_0_, scratch_0_, values[2], how);
        if (count == 4) vrangeps(scratch_0_, scratch_0_, scratch_1_, how);
        vrangeps(total_of(reduction), total_of(reduction), count == 1 ? values[0] : scratch_0_, how);
    }

    /// The lanes in which an extreme met a NaN.
    asm86::Opmask nans_of(size_t reduction) const {
        size_t before = 0;
        for (size_t r = 0; r < reduction; ++r)
            before += is_extreme(computation_.reductions[r].op) ? size_t{1} : size_t{0};
        return asm86::Opmask(static_cast<int>(first_nan_mask + before));
    }

    /// The lanes of a row's total into one, and that into the one in memory.
    void emit_total(size_t reduction) {
        const tile_reduction &r = computation_.reductions[reduction];
        const zmm total = total_of(reduction);
        mov(base_, pointer_of(computation_.sources.size() + computation_.results.size() + reduction));
        if (!is_extreme(r.op)) {
            const asm86::Xmm sum(total.getIdx());
            vaddpd(total, total, total_of(reduction, 1));
            vextractf64x4(asm86::Ymm(scratch_0_.getIdx()), total, 1);
            vaddpd(total, total, scratch_0_);
            vextractf64x2(asm86::Xmm(scratch_0_.getIdx()), asm86::Ymm(total.getIdx()), 1);
            vaddpd(total, total, scratch_0_);
            vpermilpd(scratch_0_, total, 1);
            vaddsd(sum, sum, asm86::Xmm(scratch_0_.getIdx()));
            vaddsd(sum, sum, ptr[base_]);
            return vmovsd(ptr[base_], sum);
        }
        const op_kind op = r.op == onefold_op_reduce_max ? onefold_op_maximum : onefold_op_minimum;
        vbroadcastss(total | nans_of(reduction), unary_constant(std::bit_cast<float>(0x7FC00000U)));
        for (const uint8_t swap : {uint8_t{0x4E}, uint8_t{0xB1}}) { // blocks of 16 bytes, then their neighbours
            vshuff32x4(scratch_0_, total, total, swap);
            emit_binary(op, total, total, scratch_0_);
        }
        for (const uint8_t swap : {uint8_t{0x4E}, uint8_t{0xB1}}) {
            vpermilps(scratch_0_, total, swap);
            emit_binary(op, total, total, scratch_0_);
        }
        vbroadcastss(scratch_0_, ptr[base_]);
        emit_binary(op, total, total, scratch_0_);
        vmovss(ptr[base_], asm86::Xmm(total.getIdx()));
    }

    asm86::Address element_at(data_type type, size_t which) const {
        const size_t size = type == onefold_f32 ? 4 : 2;
        return ptr[base_ + index_ * static_cast<int>(size) + which * lanes * size];
    }

    void load(const tile_stream &source, size_t which, bool is_tail) {
        const zmm plain = register_of(source.value, which);
        const zmm to = is_tail ? plain | tail_ | T_z : plain;
        const asm86::Address from = element_at(source.type, which);
        if (source.type == onefold_f32) return vmovups(to, from);
        if (source.type == onefold_f16) return vcvtph2ps(to, from);
        vpmovzxwd(to, from);
        vpslld(plain, plain, 16);
    }

    void store(const tile_stream &result, size_t which, bool is_tail) {
        const zmm from = register_of(result.value, which);
        const asm86::Address to = element_at(result.type, which);
        if (result.type == onefold_f32) return is_tail ? vmovups(to | tail_, from) : vmovups(to, from);
        if (result.type == onefold_f16) return is_tail ? vcvtps2ph(to | tail_, from, 0) : vcvtps2ph(to, from, 0);
        // Rounded to nearest even; a NaN stays one.
        vpsrld(scratch_0_, from, 16);
        vcmpps(mask_, from, from, unordered);
        vpandd(scratch_1_, scratch_0_, constant(1U));
        vpaddd(scratch_1_, scratch_1_, constant(0x7FFFU));
        vpaddd(scratch_1_, scratch_1_, from);
        vpsrld(scratch_1_, scratch_1_, 16);
        vpord(scratch_1_ | mask_, scratch_0_, constant(0x40U));
        if (is_tail)
            vpmovdw(to | tail_, scratch_1_);
        else
            vpmovdw(to, scratch_1_);
    }

    // Predicates of vcmpps.
    static constexpr int equal = 0;
    static constexpr int unordered = 3;
    static constexpr int greater_or_unordered = 6; // not less or equal
    static constexpr int greater = 14;

    asm86::Address constant(uint32_t bits) {
        const auto found = std::find(constants_.begin(), constants_.end(), bits);
        const auto which = found - constants_.begin();
        if (found == constants_.end()) constants_.push_back(bits);
        return ptr_b[rip + constants_label_ + static_cast<int>(which) * 4];
    }
    asm86::Address constant(float value) { return constant(std::bit_cast<uint32_t>(value)); }

    void emit_constants() {
        align(64);
        L(constants_label_);
        for (const uint32_t bits : constants_)
            dd(bits);
    }

    bool is_repeated(size_t value) const { return repeated_.count(value) != 0; }
    asm86::Address repeated_at(size_t value) const { return ptr_b[call_ + repeated_offset(repeated_.at(value))]; }

    /// An argument in a register.
    zmm in_register(size_t value, size_t which, const zmm &room) {
        if (!is_repeated(value)) return register_of(value, which);
        vbroadcastss(room, ptr[call_ + repeated_offset(repeated_.at(value))]);
        return room;
    }

    void emit(const tile_instruction &i, size_t which) {
        const zmm to = register_of(i.value, which);
        const zmm a = in_register(i.arguments[0], which, scratch_0_);
        if (i.arguments.size() == 1) return emit_unary(i, to, a);
        const auto with_operand = [&](size_t value, const auto &body) {
            if (is_repeated(value))
                body(repeated_at(value));
            else
                body(register_of(value, which));
        };
        switch (i.code) {
        case row_opcode::multiply_add:
            vmovaps(to, a);
            with_operand(i.arguments[2], [&](const auto &c) { vfmadd213ps(to, in_register(i.arguments[1], which, scratch_1_), c); });
            return;
        case row_opcode::subtract_multiply:
            with_operand(i.arguments[1], [&](const auto &b) { vsubps(to, a, b); });
            with_operand(i.arguments[2], [&](const auto &c) { vmulps(to, to, c); });
            return;
        case row_opcode::subtract_quotient:
            with_operand(i.arguments[1], [&](const auto &b) { vsubps(to, a, b); });
            with_operand(i.arguments[2], [&](const auto &c) { vdivps(to, to, c); });
            return;
        default:
            with_operand(i.arguments[1], [&](const auto &b) { emit_binary(i.op, to, a, b); });
            return;
        }
    }

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

    void emit_unary(const tile_instruction &i, const zmm &to, const zmm &a) {
        if (i.code == row_opcode::root || i.code == row_opcode::reciprocal_sqrt) return emit_root(i.code, to, a);
        switch (i.op) {
        case onefold_op_abs:
            return vpandd(to, a, constant(0x7FFFFFFFU));
        case onefold_op_neg:
            return vpxord(to, a, constant(0x80000000U));
        case onefold_op_square:
            return vmulps(to, a, a);
        case onefold_op_sqrt:
            return vsqrtps(to, a);
        case onefold_op_reciprocal:
            vbroadcastss(scratch_1_, unary_constant(1.0F));
            return vdivps(to, scratch_1_, a);
        case onefold_op_relu:
            vpxord(scratch_1_, scratch_1_, scratch_1_);
            vcmpps(mask_, a, scratch_1_, greater_or_unordered);
            return vmovaps(to | mask_ | T_z, a);
        case onefold_op_leaky_relu:
            vpxord(scratch_1_, scratch_1_, scratch_1_);
            vcmpps(mask_, a, scratch_1_, greater);
            vmulps(scratch_1_, a, constant(i.attributes.alpha));
            vmovaps(scratch_1_ | mask_, a);
            return vmovaps(to, scratch_1_);
        case onefold_op_clamp:
            return emit_between(to, a, i.attributes.alpha, i.attributes.beta);
        case onefold_op_exp:
            return emit_exp(to, a);
        case onefold_op_sigmoid:
            vpxord(scratch_3_, a, constant(0x80000000U));
            emit_exp(to, scratch_3_);
            vaddps(to, to, constant(1.0F));
            vbroadcastss(scratch_1_, unary_constant(1.0F));
            return vdivps(to, scratch_1_, to);
        default:
            return;
        }
    }

    /// A constant as an instruction without arithmetic reads it.
    asm86::Address unary_constant(float value) {
        constant(value);
        const auto found = std::find(constants_.begin(), constants_.end(), std::bit_cast<uint32_t>(value));
        return ptr[rip + constants_label_ + static_cast<int>(found - constants_.begin()) * 4];
    }

    /// The second operand, which may be a NaN, is what the instructions give then.
    void emit_between(const zmm &to, const zmm &a, float lowest, float highest) {
        vbroadcastss(scratch_1_, unary_constant(lowest));
        vmaxps(scratch_1_, scratch_1_, a);
        vbroadcastss(scratch_2_, unary_constant(highest));
        vminps(to, scratch_2_, scratch_1_);
    }

    /// 2^n * (1 + f + f^2 * q(f)), n = round(x / ln 2), f = x - n * ln 2 in two parts; q is fitted to 5e-9.
    void emit_exp(const zmm &to, const zmm &a) {
        emit_between(scratch_1_, a, -104.0F, 104.0F); // 0 and infinity from here on
        vmulps(scratch_2_, scratch_1_, constant(1.44269504F));
        vrndscaleps(scratch_2_, scratch_2_, 0);
        vfnmadd231ps(scratch_1_, scratch_2_, constant(0.693145752F));
        vfnmadd231ps(scratch_1_, scratch_2_, constant(1.42860677e-6F));
        vbroadcastss(to, unary_constant(0.001381379901431501F));
        for (const float c : {0.008369103074073792F, 0.041668426245450974F, 0.166665181517601F, 0.4999999403953552F, 1.0F, 1.0F})
            vfmadd213ps(to, scratch_1_, constant(c));
        vscalefps(to, to, scratch_2_);
    }

    void emit_root(row_opcode code, const zmm &to, const zmm &a) {
        vcmpps(mask_, a, constant(0xFF800000U), equal);
        vaddps(scratch_1_, a, constant(0U)); // -0 counts as 0
        vsqrtps(scratch_1_, scratch_1_);
        vbroadcastss(scratch_1_ | mask_, unary_constant(std::bit_cast<float>(0x7F800000U)));
        if (code == row_opcode::root) return vmovaps(to, scratch_1_);
        vbroadcastss(scratch_2_, unary_constant(1.0F));
        vdivps(to, scratch_2_, scratch_1_);
    }

    const tile_computation &computation_;
    std::map<size_t, size_t> registers_; // of a value, in the first vector
    std::map<size_t, size_t> repeated_;  // value: its stream
    std::vector<size_t> totals_;         // of each reduction: its first register
    size_t a_vector_ = 0;                // registers that it takes
    size_t at_once_ = 1;
    std::vector<uint32_t> constants_;
    asm86::Label constants_label_;
};

class compiled_tile : public tile_code {
public:
    explicit compiled_tile(const tile_computation &c) : code_(c), run_(code_.getCode<void (*)(tile_call *)>()) {}
    void run(tile_call &call) const override { run_(&call); }

private:
    emitter code_;
    void (*run_)(tile_call *);
};

} // namespace

bool has_tile_code(row_opcode code, op_kind op) {
    switch (code) {
    case row_opcode::root:
    case row_opcode::reciprocal_sqrt:
    case row_opcode::binary:
    case row_opcode::quotient:
    case row_opcode::subtract_multiply:
    case row_opcode::subtract_quotient:
    case row_opcode::multiply_add:
        return true;
    case row_opcode::unary:
        break;
    default:
        return false;
    }
    constexpr std::array ops = {onefold_op_abs,  onefold_op_clamp,      onefold_op_exp,  onefold_op_leaky_relu,
                                onefold_op_neg,  onefold_op_reciprocal, onefold_op_relu, onefold_op_sigmoid,
                                onefold_op_sqrt, onefold_op_square};
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

bool has_reduction_code(op_kind op) {
    constexpr std::array ops = {onefold_op_reduce_sum, onefold_op_reduce_mean, onefold_op_reduce_l1,
                                onefold_op_reduce_l2,  onefold_op_reduce_max,  onefold_op_reduce_min};
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

std::unique_ptr<const tile_code> compile_tile(const tile_computation &c) {
    if (c.stream_count() > most_streams || !emitter::fits(c)) return nullptr;
    try {
        return std::make_unique<const compiled_tile>(c);
    } catch (const asm86::Error &) {
        return nullptr;
    }
}

} // namespace onefold::impl::simd
