#pragma once

#include <string>

#include "tests/driver/reference.hpp"

namespace onefold::driver {

/// What a comparison found.
struct comparison {
    size_t total = 0;
    size_t wrong = 0;
    size_t unchecked = 0;    // elements that the reference can say nothing of
    double worst = 0;        // the largest distance from the reference, as a share of what is allowed
    std::string first_wrong; // the first few, a line each: index, got, expected, bound
    bool is_trusted() const { return unchecked * 2 <= total; }
};

/// Whether `got`, an element of that type, may stand where the reference has `value` with `error`.
bool is_within(double got, double value, double error, impl::data_type type, bool zero_signs);

/// Compares a tensor's elements, row-major, with the reference.
comparison compare(std::span<const double> got, impl::data_type type, const reference_tensor &expected);
/// The same of integers, which must be equal.
comparison compare_integers(std::span<const wide_integer> got, const reference_tensor &expected);
comparison compare(const buffer &got, const reference_tensor &expected);

/// Whether the buffer holds the very values of `expected`, NaN and signs of zero included.
bool is_identical(const buffer &got, const reference_tensor &expected);

} // namespace onefold::driver
