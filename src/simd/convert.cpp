// Rows of every data type into its arithmetic type and back.
#include "simd/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/convert.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"
#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <class Element>
void load_row(const void *src, int64_t stride, void *dst, size_t count) {
    using storage = typename Element::storage;
    const lane_tag<Element> d;
    constexpr size_t lanes = hn::MaxLanes(lane_tag<Element>());
    const auto *from = static_cast<const storage *>(src);
    auto *to = static_cast<typename Element::lane *>(dst);
    const auto gather = [&](size_t first, size_t part) HWY_ATTR {
        HWY_ALIGN storage gathered[lanes] = {};
        for (size_t lane = 0; lane < part; ++lane)
            gathered[lane] = load_one(from + static_cast<int64_t>(first + lane) * stride);
        return load<Element>(d, gathered);
    };
    size_t i = 0;
    if (stride == 1)
        for (; i + lanes <= count; i += lanes)
            hn::StoreU(load<Element>(d, from + i), d, to + i);
    if (stride == 0) {
        const auto repeated = gather(0, lanes);
        for (; i + lanes <= count; i += lanes)
            hn::StoreU(repeated, d, to + i);
    }
    for (; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        if (part == lanes)
            hn::StoreU(gather(i, lanes), d, to + i);
        else
            store_part<same_element<typename Element::lane>>(d, gather(i, part), to + i, part);
    }
}

template <class Element>
void store_row(const void *src, void *dst, int64_t stride, size_t count) {
    using storage = typename Element::storage;
    using lane = typename Element::lane;
    const lane_tag<Element> d;
    constexpr size_t lanes = hn::MaxLanes(lane_tag<Element>());
    const auto *from = static_cast<const lane *>(src);
    auto *to = static_cast<storage *>(dst);
    size_t i = 0;
    if (stride == 1)
        for (; i + lanes <= count; i += lanes)
            store<Element>(d, hn::LoadU(d, from + i), to + i);
    for (; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        HWY_ALIGN storage rounded[lanes];
        store<Element>(d, part == lanes ? hn::LoadU(d, from + i) : load_part<same_element<lane>>(d, from + i, part), rounded);
        for (size_t k = 0; k < part; ++k)
            store_one(rounded[k], to + static_cast<int64_t>(i + k) * stride);
    }
}

/// Integers are their own arithmetic type.
template <typename T>
void load_integers(const void *src, int64_t stride, void *dst, size_t count) {
    const auto *from = static_cast<const T *>(src);
    auto *to = static_cast<T *>(dst);
    if (stride == 1) {
        std::memcpy(dst, src, count * sizeof(T));
        return;
    }
    if (stride == 0) {
        const T repeated = load_one(from);
        for (size_t i = 0; i < count; ++i)
            store_one(repeated, to + i);
        return;
    }
    for (size_t i = 0; i < count; ++i)
        store_one(load_one(from + static_cast<int64_t>(i) * stride), to + i);
}

template <typename T>
void store_integers(const void *src, void *dst, int64_t stride, size_t count) {
    const auto *from = static_cast<const T *>(src);
    auto *to = static_cast<T *>(dst);
    if (stride == 1) {
        std::memcpy(dst, src, count * sizeof(T));
        return;
    }
    for (size_t i = 0; i < count; ++i)
        store_one(load_one(from + i), to + static_cast<int64_t>(i) * stride);
}

conversion conversion_of(data_type type);
conversion conversion_of(data_type type) {
    switch (type) {
    case onefold_f32:
        return {load_row<f32_element>, store_row<f32_element>};
    case onefold_bf16:
        return {load_row<bf16_element>, store_row<bf16_element>};
    case onefold_f16:
        return {load_row<f16_element>, store_row<f16_element>};
    case onefold_f64:
        return {load_row<f64_element>, store_row<f64_element>};
    default:
        break;
    }
    switch (size_of(type)) {
    case 1:
        return {load_integers<uint8_t>, store_integers<uint8_t>};
    case 2:
        return {load_integers<uint16_t>, store_integers<uint16_t>};
    case 4:
        return {load_integers<uint32_t>, store_integers<uint32_t>};
    default:
        return {load_integers<uint64_t>, store_integers<uint64_t>};
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

conversion conversion_of(const isa &on, data_type type) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(conversion_of);
    return table[on.place](type);
}

} // namespace onefold::impl::simd
#endif
