// The part of vector_emitter that loads and stores.
#include "simd/vector_emitter.hpp"

namespace onefold::impl::simd {

namespace {

bool has_bf16_instructions() {
    static const bool has = asm86::util::Cpu().has(asm86::util::Cpu::tAVX512_BF16);
    return has;
}

bool has_byte_permutations() {
    static const bool has = asm86::util::Cpu().has(asm86::util::Cpu::tAVX512_VBMI);
    return has;
}

} // namespace

void vector_emitter::prepare() {
    if (!has_byte_permutations()) return;
    mov(base_, 0xCCCCCCCCCCCCCCCCU);
    kmovq(upper_halves_, base_);
    vmovups(scratch(4), ptr[rip + words_label_]);
}

asm86::Address vector_emitter::element_at(size_t stream, data_type type, size_t which) {
    if (which == 0) current_ = pointer_of(stream);
    const int64_t size = size_of(type);
    return ptr[current_ + index_ * static_cast<int>(size) + which * lanes * static_cast<size_t>(size)];
}

void vector_emitter::load(size_t source, size_t count, bool is_tail) {
    const tile_stream &s = computation_->sources[source];
    if (!takes_registers(*computation_, s) && s.by == tile_stream::way::repeated) return;
    const bool is_shared = s.by == tile_stream::way::row;
    for (size_t k = 0; k < (is_shared ? 1 : count); ++k) {
        const asm86::Address from = element_at(source, s.type, k);
        const vector to = register_of(s.value, k);
        if (s.by == tile_stream::way::repeated)
            vbroadcastss(to, from);
        else
            load_vector(s, from, to, is_shared ? is_tail : is_masked(k, count, is_tail));
    }
}

void vector_emitter::load_vector(const tile_stream &source, const asm86::Address &from, const vector &plain, bool is_masked) {
    const vector to = is_masked ? plain | tail_ | T_z : plain;
    if (source.type == onefold_f32) return vmovups(to, from);
    if (source.type == onefold_f16) return vcvtph2ps(to, from);
    load_bf16(plain, from, is_masked);
}

/// Words to the upper halves of f32 by one instruction; without it, and where memory may end, by two.
void vector_emitter::load_bf16(const vector &to, const asm86::Address &from, bool is_masked) {
    if (has_byte_permutations() && !is_masked) {
        vbroadcasti64x4(asm86::Zmm(to.getIdx()), from);
        return vpermb(to | upper_halves_ | T_z, scratch(4), to);
    }
    vpmovzxwd(is_masked ? to | tail_ | T_z : to, from);
    vpslld(to, to, 16);
}

void vector_emitter::store(size_t result, size_t count, bool is_tail) {
    const tile_stream &s = computation_->results[result];
    if (s.type == onefold_bf16 && has_bf16_instructions()) return store_bf16_natively(result, count, is_tail);
    for (size_t k = 0; k < count; ++k)
        store_vector(s.type, register_of(s.value, k), element_at(computation_->sources.size() + result, s.type, k),
                     is_masked(k, count, is_tail));
}

void vector_emitter::store_vector(data_type type, const vector &from, const asm86::Address &plain, bool is_masked) {
    const asm86::Address to = is_masked ? plain | tail_ : plain;
    if (type == onefold_f32) return vmovups(to, from);
    if (type == onefold_f16) return vcvtps2ph(to, from, 0);
    emit_bf16(from);
    vpmovdw(to, scratch(1));
}

void vector_emitter::store_bf16_natively(size_t result, size_t count, bool is_tail) {
    constexpr uint8_t is_subnormal = 0x20;
    const size_t stream = computation_->sources.size() + result;
    std::vector<vector> values;
    for (size_t k = 0; k < count; ++k)
        values.push_back(register_of(computation_->results[result].value, k));
    vfpclassps(mask_, values.front(), is_subnormal);
    for (size_t k = 1; k < count; ++k) {
        vfpclassps(k0, values[k], is_subnormal);
        korw(mask_, mask_, k0);
    }
    kortestw(mask_, mask_);
    asm86::Label otherwise;
    asm86::Label behind;
    jnz(otherwise, T_NEAR);
    const asm86::Ymm half(scratch(1).getIdx());
    for (size_t k = 0; k < count; ++k) {
        const asm86::Address to = element_at(stream, onefold_bf16, k);
        const bool is_pair = k + 1 < count && !is_masked(k + 1, count, is_tail);
        if (is_pair)
            vcvtne2ps2bf16(scratch(1), values[k + 1], values[k]);
        else
            vcvtneps2bf16(half, values[k]);
        if (is_pair && lie_side_by_side())
            vmovdqu16(to, scratch(1));
        else
            vmovdqu16(is_masked(k, count, is_tail) ? to | tail_ : to, half);
        if (!is_pair) continue;
        ++k;
        if (!lie_side_by_side()) vextracti64x4(element_at(stream, onefold_bf16, k), asm86::Zmm(half.getIdx()), 1);
    }
    L(behind);
    seldom_.emplace_back([this, values, pointers = pointers_, stream, is_tail, otherwise, behind]() mutable {
        pointers_ = std::move(pointers);
        L(otherwise);
        for (size_t k = 0; k < values.size(); ++k)
            store_vector(onefold_bf16, values[k], element_at(stream, onefold_bf16, k), is_masked(k, values.size(), is_tail));
        jmp(behind, T_NEAR);
    });
}

} // namespace onefold::impl::simd
