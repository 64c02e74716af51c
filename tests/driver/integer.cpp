#include "tests/driver/integer.hpp"

#include <cstring>

namespace onefold::driver {

namespace {

bool is_signed(impl::data_type type) {
    return type == onefold_s8 || type == onefold_s16 || type == onefold_s32 || type == onefold_s64;
}

wide_integer power_of_2(int exponent) { return wide_integer{1} << exponent; }

} // namespace

bool is_integer(impl::data_type type) {
    return is_signed(type) || type == onefold_u8 || type == onefold_u16 || type == onefold_u32 || type == onefold_u64;
}

wide_integer lowest_integer(impl::data_type type) { return is_signed(type) ? -power_of_2(impl::bits_of(type) - 1) : 0; }

wide_integer highest_integer(impl::data_type type) { return power_of_2(impl::bits_of(type) - (is_signed(type) ? 1 : 0)) - 1; }

wide_integer wrap_to(impl::data_type type, wide_integer value) {
    const wide_integer period = power_of_2(impl::bits_of(type));
    const wide_integer low_bits = value & (period - 1);
    return low_bits > highest_integer(type) ? low_bits - period : low_bits;
}

wide_integer load_integer(impl::data_type type, const void *element) {
    uint64_t low_bits = 0; // x86 stores the low byte first
    std::memcpy(&low_bits, element, static_cast<size_t>(impl::size_of(type)));
    return wrap_to(type, low_bits);
}

void store_integer(impl::data_type type, void *element, wide_integer value) {
    const auto low_bits = static_cast<uint64_t>(value);
    std::memcpy(element, &low_bits, static_cast<size_t>(impl::size_of(type)));
}

} // namespace onefold::driver
