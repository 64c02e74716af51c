// The row kernels, compiled once for every ISA that the compiler and Highway have.
#include <cmath>
#include <cstring>
#include <limits>

#include "simd/rows.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/rows.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/reduce-inl.h"
#include "simd/unary-inl.h"
#include "simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <typename Element>
vector_of<f32_tag> gather(const typename Element::storage *src, int64_t stride, size_t count) {
    HWY_ALIGN typename Element::storage gathered[HWY_MAX_BYTES / sizeof(float)] = {};
    for (size_t lane = 0; lane < count; ++lane)
        gathered[lane] = load_one(src + static_cast<int64_t>(lane) * stride);
    return Element::load(f32_tag(), gathered);
}

template <typename Element>
void load_row(const void *src, int64_t stride, float *dst, size_t count) {
    const auto *from = static_cast<const typename Element::storage *>(src);
    const f32_tag d;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    if (stride == 1)
        for (; i + lanes <= count; i += lanes)
            hn::StoreU(Element::load(d, from + i), d, dst + i);
    if (stride == 0) {
        const auto repeated = gather<Element>(from, 0, lanes);
        for (; i + lanes <= count; i += lanes)
            hn::StoreU(repeated, d, dst + i);
    }
    for (; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        store_part(d, gather<Element>(from + static_cast<int64_t>(i) * stride, stride, part), dst + i, part);
    }
}

template <typename Element>
void store_row(const float *src, void *dst, int64_t stride, size_t count) {
    auto *to = static_cast<typename Element::storage *>(dst);
    const f32_tag d;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    if (stride == 1)
        for (; i + lanes <= count; i += lanes)
            Element::store(d, hn::LoadU(d, src + i), to + i);
    for (; i < count; i += lanes) {
        const size_t part = HWY_MIN(lanes, count - i);
        HWY_ALIGN typename Element::storage rounded[HWY_MAX_BYTES / sizeof(float)];
        Element::store(d, load_part(d, src + i, part, 0.0F), rounded);
        for (size_t lane = 0; lane < part; ++lane)
            store_one(rounded[lane], to + static_cast<int64_t>(i + lane) * stride);
    }
}

template <typename Op>
void binary_row(const float *src_0, const float *src_1, float *dst, size_t count) {
    const f32_tag d;
    const size_t lanes = hn::Lanes(d);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(Op::apply(d, hn::LoadU(d, src_0 + i), hn::LoadU(d, src_1 + i)), d, dst + i);
    if (i < count)
        store_part(d, Op::apply(d, load_part(d, src_0 + i, count - i, 1.0F), load_part(d, src_1 + i, count - i, 1.0F)), dst + i,
                   count - i);
}

template <typename Element>
row_kernels::reductions reductions_of() {
    return {
        {sum_rows<Element, identity_map>, sum_columns<Element, identity_map>},
        {sum_rows<Element, magnitude_map>, sum_columns<Element, magnitude_map>},
        {sum_rows<Element, square_map>, sum_columns<Element, square_map>},
        {product_rows<Element>, product_columns<Element>},
        {extreme_rows<Element, maximum_op>, extreme_columns<Element, maximum_op>},
        {extreme_rows<Element, minimum_op>, extreme_columns<Element, minimum_op>},
    };
}

const row_kernels *make_kernels();

const row_kernels *make_kernels() {
    static const row_kernels k = {
        hwy::TargetName(HWY_TARGET),
        load_row<f32_element>,
        load_row<bf16_element>,
        load_row<f16_element>,
        store_row<f32_element>,
        store_row<bf16_element>,
        store_row<f16_element>,
        binary_row<add_op>,
        binary_row<subtract_op>,
        binary_row<multiply_op>,
        binary_row<divide_op>,
        binary_row<maximum_op>,
        binary_row<minimum_op>,
        binary_row<squared_difference_op>,
        unary_row<abs_op>,
        unary_row<clamp_op>,
        unary_row<elu_op>,
        unary_row<exp_op>,
        unary_row<gelu_erf_op>,
        unary_row<gelu_tanh_op>,
        unary_row<hard_sigmoid_op>,
        unary_row<hard_swish_op>,
        unary_row<leaky_relu_op>,
        unary_row<log_op>,
        unary_row<mish_op>,
        unary_row<reciprocal_op>,
        unary_row<relu_op>,
        unary_row<round_op>,
        unary_row<sigmoid_op>,
        unary_row<softplus_op>,
        unary_row<sqrt_op>,
        unary_row<square_op>,
        unary_row<tanh_op>,
        reductions_of<f32_element>(),
        reductions_of<bf16_element>(),
        reductions_of<f16_element>(),
    };
    return &k;
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

HWY_EXPORT(make_kernels);

const row_kernels &kernels() {
    static const row_kernels *const chosen = HWY_DYNAMIC_DISPATCH(make_kernels)();
    return *chosen;
}

} // namespace onefold::impl::simd
#endif
