#pragma once

#include "graph/types.hpp"

namespace onefold::driver {

// Integers as the driver computes with them: wide enough for every value of every type and for their sums.
__extension__ typedef __int128 wide_integer;       // NOLINT(modernize-use-using): a using cannot be marked as an extension
__extension__ typedef unsigned __int128 wide_bits; // NOLINT(modernize-use-using)

/// True for the integers of 8 to 64 bits.
bool is_integer(impl::data_type type);
wide_integer lowest_integer(impl::data_type type);
wide_integer highest_integer(impl::data_type type);

/// The value of the type that is equal modulo 2 to the power of its bits.
wide_integer wrap_to(impl::data_type type, wide_integer value);

wide_integer load_integer(impl::data_type type, const void *element);
/// Writes what wrap_to() gives.
void store_integer(impl::data_type type, void *element, wide_integer value);

} // namespace onefold::driver
