#include "io/onnx/array.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace onefold::impl::io {

namespace {

struct type_row {
    std::string_view name;
    int64_t number;
    data_type type;
};

constexpr std::array type_rows = {
    type_row{"UNDEFINED", 0, onefold_data_type_undef},
    type_row{"FLOAT", 1, onefold_f32},
    type_row{"UINT8", 2, onefold_u8},
    type_row{"INT8", 3, onefold_s8},
    type_row{"UINT16", 4, onefold_u16},
    type_row{"INT16", 5, onefold_s16},
    type_row{"INT32", 6, onefold_s32},
    type_row{"INT64", 7, onefold_s64},
    type_row{"STRING", 8, onefold_data_type_undef},
    type_row{"BOOL", 9, onefold_boolean},
    type_row{"FLOAT16", 10, onefold_f16},
    type_row{"DOUBLE", 11, onefold_f64},
    type_row{"UINT32", 12, onefold_u32},
    type_row{"UINT64", 13, onefold_u64},
    type_row{"COMPLEX64", 14, onefold_data_type_undef},
    type_row{"COMPLEX128", 15, onefold_data_type_undef},
    type_row{"BFLOAT16", 16, onefold_bf16},
    type_row{"FLOAT8E4M3FN", 17, onefold_f8_e4m3},
    type_row{"FLOAT8E5M2", 19, onefold_f8_e5m2},
};

template <typename T>
double element(const onnx_array &array) {
    T value;
    std::memcpy(&value, array.data.data(), sizeof(T));
    return static_cast<double>(value);
}

float from_f16(uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const auto mantissa = static_cast<float>(bits & 1023);
    const float sign = bits >> 15 != 0 ? -1.0F : 1.0F;
    if (exponent == 31)
        return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
    return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25));
}

} // namespace

data_type type_from_onnx(int64_t number) {
    for (const type_row &row : type_rows)
        if (row.number == number) return row.type;
    return onefold_data_type_undef;
}

std::optional<int64_t> onnx_type_by_name(std::string_view name) {
    for (const type_row &row : type_rows)
        if (row.name == name) return row.number;
    return std::nullopt;
}

std::vector<int64_t> integers_of(const onnx_array &array) {
    std::vector<int64_t> values;
    const auto size = static_cast<size_t>(size_of(array.type));
    for (size_t at = 0; at + size <= array.data.size(); at += size) {
        int32_t narrow = 0;
        int64_t wide = 0;
        std::memcpy(array.type == onefold_s32 ? static_cast<void *>(&narrow) : &wide, &array.data[at], size);
        values.push_back(array.type == onefold_s32 ? narrow : wide);
    }
    return values;
}

std::optional<double> scalar_of(const onnx_array &array) {
    if (array.data.size() != static_cast<size_t>(size_of(array.type))) return std::nullopt;
    switch (array.type) {
    case onefold_f32:
        return element<float>(array);
    case onefold_f64:
        return element<double>(array);
    case onefold_f16:
        return from_f16(static_cast<uint16_t>(element<uint16_t>(array)));
    case onefold_bf16:
        return std::bit_cast<float>(static_cast<uint32_t>(element<uint16_t>(array)) << 16);
    case onefold_s8:
        return element<int8_t>(array);
    case onefold_u8:
        return element<uint8_t>(array);
    case onefold_s16:
        return element<int16_t>(array);
    case onefold_u16:
        return element<uint16_t>(array);
    case onefold_s32:
        return element<int32_t>(array);
    case onefold_u32:
        return element<uint32_t>(array);
    case onefold_s64:
        return element<int64_t>(array);
    case onefold_u64:
        return element<uint64_t>(array);
    default:
        return std::nullopt;
    }
}

} // namespace onefold::impl::io
