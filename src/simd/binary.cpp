// The binary ops on rows of an arithmetic type.
#include "simd/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/binary.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "simd/isa_table.hpp"
#include "simd/whole_numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace onefold::impl::simd {
namespace HWY_NAMESPACE {

template <class Element, class Op>
void element_row(const void *src_0, const void *src_1, void *dst, size_t count) {
    using storage = typename Element::storage;
    const lane_tag<Element> d;
    constexpr size_t lanes = hn::MaxLanes(lane_tag<Element>());
    const auto *a = static_cast<const storage *>(src_0);
    const auto *b = static_cast<const storage *>(src_1);
    auto *to = static_cast<storage *>(dst);
    size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        store<Element>(d, Op::apply(d, load<Element>(d, a + i), load<Element>(d, b + i)), to + i);
    if (i == count) return;
    const size_t part = count - i;
    store_part<Element>(d, Op::apply(d, load_part<Element>(d, a + i, part, 1), load_part<Element>(d, b + i, part, 1)), to + i,
                        part);
}

template <typename T>
binary_kernel float_kernel(op_kind op) {
    switch (op) {
    case onefold_op_add:
        return element_row<same_element<T>, add_op>;
    case onefold_op_subtract:
        return element_row<same_element<T>, subtract_op>;
    case onefold_op_multiply:
        return element_row<same_element<T>, multiply_op>;
    case onefold_op_divide:
        return element_row<same_element<T>, divide_op>;
    case onefold_op_maximum:
        return element_row<same_element<T>, maximum_op>;
    case onefold_op_minimum:
        return element_row<same_element<T>, minimum_op>;
    case onefold_op_squared_difference:
        return element_row<same_element<T>, squared_difference_op>;
    default:
        return nullptr;
    }
}

/// Elements of 16 bits, as they are.
template <class Element>
binary_kernel extreme_kernel(op_kind op) {
    switch (op) {
    case onefold_op_maximum:
        return element_row<ordered<Element, false>, maximum_op>;
    case onefold_op_minimum:
        return element_row<ordered<Element, true>, minimum_op>;
    default:
        return nullptr;
    }
}

template <typename T>
T sum(T a, T b) {
    return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
}
template <typename T>
T squared_difference(T a, T b) {
    const T d = difference(a, b);
    return product(d, d);
}
template <typename T>
T larger(T a, T b) {
    return a > b ? a : b;
}
template <typename T>
T smaller(T a, T b) {
    return a < b ? a : b;
}

/// Truncates; what would trap gives a value: x / 0 is 0, lowest / -1 wraps. Quotients of up to 32 bits are exact in f64.
template <typename T>
T quotient(T a, T b) {
    if constexpr (sizeof(T) <= 4) {
        const double divisor = b == 0 ? 1.0 : static_cast<double>(b);
        const double dividend = b == 0 ? 0.0 : static_cast<double>(a);
        return static_cast<T>(static_cast<int64_t>(dividend / divisor));
    } else {
        if (b == 0) return 0;
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return difference(T{0}, a);
        return static_cast<T>(a / b);
    }
}

template <typename T, T (*f)(T, T)>
void integer_row(const void *src_0, const void *src_1, void *dst, size_t count) {
    const auto *a = static_cast<const T *>(src_0);
    const auto *b = static_cast<const T *>(src_1);
    auto *to = static_cast<T *>(dst);
    for (size_t i = 0; i < count; ++i)
        store_one(f(load_one(a + i), load_one(b + i)), to + i);
}

template <typename T>
binary_kernel integer_kernel(op_kind op) {
    switch (op) {
    case onefold_op_add:
        return integer_row<T, sum<T>>;
    case onefold_op_subtract:
        return integer_row<T, difference<T>>;
    case onefold_op_multiply:
        return integer_row<T, product<T>>;
    case onefold_op_divide:
        return integer_row<T, quotient<T>>;
    case onefold_op_maximum:
        return integer_row<T, larger<T>>;
    case onefold_op_minimum:
        return integer_row<T, smaller<T>>;
    case onefold_op_squared_difference:
        return integer_row<T, squared_difference<T>>;
    default:
        return nullptr;
    }
}

binary_kernel binary_of(op_kind op, data_type arithmetic);
binary_kernel binary_of(op_kind op, data_type arithmetic) {
    switch (arithmetic) {
    case onefold_f32:
        return float_kernel<float>(op);
    case onefold_f64:
        return float_kernel<double>(op);
    case onefold_bf16:
        return extreme_kernel<bf16_element>(op);
    case onefold_f16:
        return extreme_kernel<f16_element>(op);
    case onefold_s8:
        return integer_kernel<int8_t>(op);
    case onefold_u8:
        return integer_kernel<uint8_t>(op);
    case onefold_s16:
        return integer_kernel<int16_t>(op);
    case onefold_u16:
        return integer_kernel<uint16_t>(op);
    case onefold_s32:
        return integer_kernel<int32_t>(op);
    case onefold_u32:
        return integer_kernel<uint32_t>(op);
    case onefold_s64:
        return integer_kernel<int64_t>(op);
    case onefold_u64:
        return integer_kernel<uint64_t>(op);
    default:
        return nullptr;
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::impl::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onefold::impl::simd {

binary_kernel binary_of(const isa &on, op_kind op, data_type arithmetic) {
    static constexpr auto table = ONEFOLD_ISA_TABLE(binary_of);
    return table[on.place](op, arithmetic);
}

} // namespace onefold::impl::simd
#endif
