#pragma once

#include <string>

#include "graph/types.hpp"

namespace onefold::driver {

/// True for the element types that the driver can hold: every type of whole bytes except the 8-bit floats.
bool is_loadable(impl::data_type type);

/// The value of one element; 64-bit integers beyond 2^53 are rounded.
double load_element(impl::data_type type, const void *element);

/// Writes one element: floats rounded once to nearest even (overflow gives infinity), integers rounded to nearest even and
/// saturated, NaN as 0 there; boolean is 0 or 1.
void store_element(impl::data_type type, void *element, double value);

/// The value that an element of the type has after store_element().
double round_to(impl::data_type type, double value);

/// The lowest finite value of the type.
double lowest_of(impl::data_type type);

/// The largest finite value of the type.
double highest_of(impl::data_type type);

/// An element in the fewest digits that identify it; exact for all integers.
std::string element_text(impl::data_type type, const void *element);

} // namespace onefold::driver
