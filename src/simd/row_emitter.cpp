#include "simd/row_emitter.hpp"

#include <algorithm>

#include "simd/careful_sum.hpp"

namespace onefold::impl::simd {

row_emitter::row_emitter(const row_computation &c) : rows_computation_(c) {
    const std::array saved = {rbx, rbp, r12, r13, r14, r15};
    for (const asm86::Reg64 &r : saved)
        push(r);
    find_values_at(values_);
    for (size_t value = 0; value < most_row_instructions; ++value)
        keep_in_memory(value, value_offset(value));
    prepare();
    emit_groups();
    vzeroupper();
    for (size_t k = saved.size(); k-- > 0;)
        pop(saved[k]);
    ret();
    emit_rest();
    readyRE();
}

void row_emitter::emit_groups() {
    mov(rows_, ptr[call_ + offsetof(row_call, rows)]);
    mov(eax, (1U << (static_cast<size_t>(rows_computation_.length) % lanes)) - 1U);
    kmovw(tail_, eax);
    asm86::Label next_group;
    L(next_group);
    mov(group_, static_cast<uint32_t>(rows_computation_.grouped_rows));
    cmp(group_, rows_);
    cmovg(group_, rows_);
    std::vector<size_t> loads;
    for (const row_value &v : rows_computation_.first_values)
        if (v.by == row_value::way::load) loads.push_back(v.place);
    if (!rows_computation_.first_values.empty()) emit_for_each_row(loads, [&] { emit_values(rows_computation_.first_values); });
    for (const row_pass &pass : rows_computation_.passes) {
        std::vector<size_t> places = pass.places;
        for (const row_prefetch &p : pass.prefetches)
            places.push_back(place_of(p));
        emit_for_each_row(places, [&] {
            enter_pass(pass);
            emit_elements(pass);
            emit_values(pass.values);
        });
    }
    for (const row_store_of_value &s : rows_computation_.stores)
        emit_for_each_row({s.place}, [&] { emit_store(s); });
    for (size_t place = 0; place < rows_computation_.operand_count; ++place) {
        mov(base_, ptr[call_ + distance_offset(place)]);
        imul(base_, group_);
        add(ptr[call_ + pointer_offset(place)], base_);
    }
    sub(rows_, group_);
    jnz(next_group, T_NEAR);
    L(leave_);
    mov(ptr[call_ + offsetof(row_call, rows)], rows_);
}

template <typename Body>
void row_emitter::emit_for_each_row(const std::vector<size_t> &places, const Body &body) {
    place_pointers(places);
    for (const auto &[place, at] : pointer_places_) {
        const auto *in_register = std::get_if<asm86::Reg64>(&at);
        load_pointer(in_register ? *in_register : base_, place);
        if (!in_register) mov(ptr[call_ + std::get<size_t>(at)], base_);
    }
    lea(values_, ptr[call_ + offsetof(row_call, values)]);
    mov(row_, group_);
    asm86::Label next_row;
    L(next_row);
    body();
    for (const auto &[place, at] : pointer_places_) {
        mov(base_, ptr[call_ + distance_offset(place % most_streams)]);
        if (const auto *in_register = std::get_if<asm86::Reg64>(&at))
            add(*in_register, base_);
        else
            add(ptr[call_ + std::get<size_t>(at)], base_);
    }
    add(values_, static_cast<uint32_t>(sizeof(row_call::values[0])));
    dec(row_);
    jnz(next_row, T_NEAR);
}

void row_emitter::load_pointer(const asm86::Reg64 &to, size_t place) {
    const size_t operand = place % most_streams;
    if (place / most_streams != 1) return mov(to, ptr[call_ + pointer_offset(operand)]);
    imul(to, ptr[call_ + distance_offset(operand)], static_cast<int>(rows_computation_.grouped_rows));
    add(to, ptr[call_ + pointer_offset(operand)]);
}

void row_emitter::place_pointers(const std::vector<size_t> &places) {
    pointer_places_.clear();
    for (const size_t place : places) {
        if (place == no_place || pointer_places_.count(place) != 0) continue;
        const size_t number = pointer_places_.size();
        if (number < for_pointers_.size())
            pointer_places_.emplace(place, for_pointers_[number]);
        else
            pointer_places_.emplace(place, current_offset(number));
    }
}

void row_emitter::enter_pass(const row_pass &pass) {
    std::vector<pointer_place> pointers;
    for (const size_t place : pass.places) {
        const auto known = pointer_places_.find(place);
        pointers.push_back(known == pointer_places_.end() ? pointer_place(base_) : known->second);
    }
    enter(pass.elements, std::move(pointers));
}

void row_emitter::emit_elements(const row_pass &pass) {
    broadcast_values();
    clear_totals();
    const size_t at_once = most_at_once();
    const auto vectors = static_cast<size_t>(rows_computation_.length) / lanes;
    const bool has_tail = static_cast<size_t>(rows_computation_.length) % lanes != 0;
    const size_t looped = vectors / at_once * at_once;
    const size_t rest = vectors % at_once + (has_tail ? 1 : 0);
    const size_t turns = looped / at_once + (rest > 0 ? 1 : 0);
    xor_(index_, index_);
    if (looped > 0) {
        asm86::Label again;
        L(again);
        emit_vectors(at_once, false);
        emit_prefetches(pass, turns);
        add(index_, static_cast<uint32_t>(at_once * lanes));
        cmp(index_, static_cast<uint32_t>(looped * lanes));
        jb(again, T_NEAR);
    }
    if (rest > 0) {
        emit_vectors(rest, has_tail);
        emit_prefetches(pass, turns);
    }
    if (turns > 0) rewind_prefetches(pass, turns);
    for (size_t r = 0; r < pass.elements.reductions.size(); ++r)
        fold_total(r);
}

int64_t row_emitter::lines_a_turn(const row_prefetch &p, size_t turns) {
    const auto bytes = static_cast<int64_t>(turns) * line;
    return (p.end - p.begin + bytes - 1) / bytes;
}

void row_emitter::emit_prefetches(const row_pass &pass, size_t turns) {
    for (const row_prefetch &p : pass.prefetches) {
        const auto *pointer = std::get_if<asm86::Reg64>(&pointer_places_.at(place_of(p)));
        if (!pointer) continue;
        const int64_t lines = lines_a_turn(p, turns);
        for (int64_t k = 0; k < lines; ++k) {
            const asm86::Address at = ptr[*pointer + static_cast<size_t>(p.begin + k * line)];
            p.is_written ? prefetchw(at) : prefetcht0(at);
        }
        add(*pointer, static_cast<uint32_t>(lines * line));
    }
}

void row_emitter::rewind_prefetches(const row_pass &pass, size_t turns) {
    for (const row_prefetch &p : pass.prefetches)
        if (const auto *pointer = std::get_if<asm86::Reg64>(&pointer_places_.at(place_of(p))))
            sub(*pointer, static_cast<uint32_t>(static_cast<int64_t>(turns) * lines_a_turn(p, turns) * line));
}

void row_emitter::emit_values(const std::vector<row_value> &values) {
    size_t number = 0;
    compute_single_values(true);
    forget_broadcasts();
    for (const row_value &v : values) {
        const vector to = in_lanes(number);
        keep_in_register(v.value, number++);
        if (v.by == row_value::way::load) emit_load(v, to);
        if (v.by == row_value::way::total) emit_total(v, to);
        if (v.by == row_value::way::compute) emit(v.instruction, 0);
        vmovss(ptr[values_ + value_offset(v.value)], to);
        if (v.is_divisor) leave_unless_reciprocal_is_exact(to);
    }
    compute_single_values(false);
    for (const row_value &v : values)
        keep_in_memory(v.value, value_offset(v.value));
}

void row_emitter::emit_load(const row_value &v, const vector &to) {
    const asm86::Reg64 pointer = pointer_at(pointer_places_.at(v.place));
    if (v.type == onefold_f32) return vmovss(to, ptr[pointer]);
    movzx(eax, word[pointer]);
    if (v.type == onefold_bf16) shl(eax, 16);
    vmovd(to, eax);
    if (v.type == onefold_f16) vcvtph2ps(to, to);
}

void row_emitter::emit_total(const row_value &v, const vector &to) {
    const tile_reduction &r = computation().reductions[v.reduction];
    const asm86::Xmm total(total_of(v.reduction).getIdx());
    if (is_extreme(r.op)) return vmovaps(to, total);
    leave_if_doubtful(r, total);
    if (r.op == onefold_op_reduce_mean) {
        mov(bits_, std::bit_cast<uint64_t>(1 / static_cast<double>(rows_computation_.length)));
        vmovq(to, bits_);
        vmulsd(total, total, to);
    }
    if (r.op == onefold_op_reduce_l2) vsqrtsd(total, total, total);
    vcvtsd2ss(to, total, total);
}

void row_emitter::leave_if_doubtful(const tile_reduction &r, const asm86::Xmm &total) {
    const auto without_sign = [](double value) { return std::bit_cast<uint64_t>(value) << 1U; };
    vmovq(base_, total);
    add(base_, base_);
    mov(bits_, without_sign(std::bit_cast<double>(0x7FF0000000000000U)));
    cmp(base_, bits_);
    jae(leave_, T_NEAR);
    if (r.op != onefold_op_reduce_l2) return;
    dec(base_); // 0 is exact
    mov(bits_, without_sign(least_exact_square(onefold_f32)) - 1U);
    cmp(base_, bits_);
    jb(leave_, T_NEAR);
}

/// Not where it is subnormal, nor where its reciprocal is.
void row_emitter::leave_unless_reciprocal_is_exact(const vector &divisor) {
    constexpr uint32_t least = 0x00800000U;
    constexpr uint32_t most = 0x7E800000U;
    constexpr uint32_t infinity = 0x7F800000U;
    vmovd(eax, divisor);
    and_(eax, 0x7FFFFFFFU);
    lea(edx, ptr[rax - 1]);
    cmp(edx, least - 1U);
    jb(leave_, T_NEAR); // from 1 to least - 1
    sub(eax, most + 1U);
    cmp(eax, infinity - most - 1U);
    jb(leave_, T_NEAR); // from most + 1 to infinity - 1
}

void row_emitter::emit_store(const row_store_of_value &s) {
    compute_single_values(true);
    const vector value = in_lanes(0);
    vmovss(value, ptr[values_ + value_offset(s.value)]);
    if (s.type == onefold_bf16) emit_bf16(value);
    if (s.type == onefold_f16) vcvtps2ph(scratch(1), value, 0);
    const asm86::Reg64 pointer = pointer_at(pointer_places_.at(s.place));
    if (s.type == onefold_f32)
        vmovss(ptr[pointer], value);
    else
        vpextrw(word[pointer], scratch(1), 0);
    compute_single_values(false);
}

} // namespace onefold::impl::simd
