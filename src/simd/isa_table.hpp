// To be included behind <hwy/highway.h>.
#pragma once

#include <array>

namespace onefold::impl::simd {

/// ONEFOLD_ISA_TABLE(function): pointers to the function as it was compiled for each ISA, nullptr where that was not asked for;
/// an isa's `place` is an index of it.
#define ONEFOLD_ISA_TABLE(function)                                                                                            \
    std::array<decltype(&HWY_STATIC_DISPATCH(function)), HWY_MAX_DYNAMIC_TARGETS + 1> {                                        \
        HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)                                                        \
    }

} // namespace onefold::impl::simd
