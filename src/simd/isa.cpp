#include "simd/isa.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "runtime/environment.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/isa.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

int64_t target();
int64_t target() { return HWY_TARGET; }

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

namespace {

std::vector<isa> find_usable_isas() {
    constexpr auto targets = ONEFOLD_ISA_TABLE(target);
    std::vector<isa> usable;
    for (size_t place = 0; place < targets.size(); ++place) {
        if (!targets[place]) continue;
        const int64_t bit = targets[place]();
        if (hwy::SupportedTargets() & bit) usable.push_back({place, bit, hwy::TargetName(bit)});
    }
    return usable;
}

struct cap {
    std::string_view name;
    int64_t best; // Highway's bits: the smaller, the better
};

#ifndef HWY_AVX3_ZEN4
constexpr int64_t avx3_with_bf16 = HWY_AVX3_DL;
#else
constexpr int64_t avx3_with_bf16 = HWY_AVX3_ZEN4;
#endif

constexpr std::array caps = {
    cap{"SCALAR", HWY_SCALAR},
    cap{"SSSE3", HWY_SSSE3},
    cap{"SSE41", HWY_SSE4},
    cap{"AVX", HWY_SSE4},
    cap{"AVX2", HWY_AVX2},
    cap{"AVX2_VNNI", HWY_AVX2},
    cap{"AVX2_VNNI_2", HWY_AVX2},
    cap{"AVX512_CORE", HWY_AVX3},
    cap{"AVX512_CORE_VNNI", HWY_AVX3},
    cap{"AVX512_CORE_BF16", avx3_with_bf16},
};

} // namespace

std::span<const isa> usable_isas() {
    static const std::vector<isa> usable = find_usable_isas();
    return usable;
}

const isa &chosen_isa() {
    const std::string wanted = environment("ONEFOLD_MAX_CPU_ISA");
    int64_t best = 0;
    for (const cap &c : caps)
        if (c.name == wanted) best = c.best;
    for (const isa &candidate : usable_isas())
        if (candidate.target >= best) return candidate;
    return usable_isas().back();
}

} // namespace onefold::impl::simd
#endif
