#include "tests/driver/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/driver/reference_format.hpp"

namespace onefold::driver {

namespace {

constexpr size_t shown = 8;

impl::dims index_of(size_t element, const impl::dims &d) {
    impl::dims index(d.size());
    for (size_t i = d.size(); i-- > 0;) {
        index[i] = static_cast<int64_t>(element) % d[i];
        element /= static_cast<size_t>(d[i]);
    }
    return index;
}

comparison wrong_count(size_t got, size_t expected) {
    comparison result;
    result.total = expected;
    result.wrong = std::max<size_t>(expected, 1);
    result.first_wrong = fmt::format("  {} elements instead of {}\n", got, expected);
    return result;
}

/// Digits that tell the type's values apart.
int digits_of(impl::data_type type) { return type == onefold_f64 ? 17 : 9; }

} // namespace

bool is_within(double got, double value, double error, impl::data_type type, bool zero_signs) {
    if (error == INFINITY) return true;
    if (std::isnan(value) || std::isnan(got)) return std::isnan(value) && std::isnan(got);
    if (std::isinf(value)) return got == value;
    const auto format = float_format_of(type);
    if (format && std::abs(value) + error >= format->overflow()) {
        const bool is_overflow = std::isinf(got) && std::signbit(got) == std::signbit(value);
        if (is_overflow || std::abs(value) - error >= format->overflow()) return is_overflow;
    }
    if (zero_signs && error == 0 && value == 0) return got == 0 && std::signbit(got) == std::signbit(value);
    return std::abs(got - value) <= error;
}

comparison compare(std::span<const double> got, impl::data_type type, const reference_tensor &expected) {
    if (got.size() != expected.value.size()) return wrong_count(got.size(), expected.value.size());
    comparison result;
    result.total = expected.value.size();
    for (size_t i = 0; i < got.size(); ++i) {
        const double value = expected.value[i];
        const double error = expected.error[i];
        result.unchecked += error == INFINITY;
        if (is_within(got[i], value, error, type, expected.zero_signs)) {
            if (error > 0 && std::isfinite(got[i] - value))
                result.worst = std::max(result.worst, std::abs(got[i] - value) / error);
        } else if (++result.wrong <= shown) {
            result.first_wrong +=
                fmt::format("  [{}] got {:.{}g}, expected {:.{}g} within {:.3g}\n", fmt::join(index_of(i, expected.dims), ", "),
                            got[i], digits_of(type), value, digits_of(type), error);
        }
    }
    return result;
}

comparison compare_integers(std::span<const wide_integer> got, const reference_tensor &expected) {
    if (got.size() != expected.integer.size()) return wrong_count(got.size(), expected.integer.size());
    comparison result;
    result.total = expected.integer.size();
    for (size_t i = 0; i < got.size(); ++i) {
        if (expected.error[i] != 0)
            ++result.unchecked;
        else if (got[i] != expected.integer[i] && ++result.wrong <= shown)
            result.first_wrong += fmt::format("  [{}] got {}, expected {}\n", fmt::join(index_of(i, expected.dims), ", "),
                                              got[i], expected.integer[i]);
    }
    return result;
}

comparison compare(const buffer &got, const reference_tensor &expected) {
    return is_integer(got.type()) ? compare_integers(got.load_integers(), expected)
                                  : compare(got.load_all(), got.type(), expected);
}

bool is_identical(const buffer &got, const reference_tensor &expected) {
    if (is_integer(got.type())) return got.load_integers() == expected.integer;
    const auto values = got.load_all();
    return values.size() == expected.value.size() &&
           (values.empty() || std::memcmp(values.data(), expected.value.data(), values.size() * sizeof(double)) == 0);
}

} // namespace onefold::driver
