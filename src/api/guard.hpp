#pragma once

#include <utility>

#include "graph/error.hpp"

namespace onefold::impl::api {

/// Turns the exception being handled into its status, and keeps its sentence for onefold_last_error().
status report_current_exception() noexcept;

/// Runs the body of a C function: no exception leaves it.
template <typename Body>
status guard(Body &&body) noexcept {
    try {
        std::forward<Body>(body)();
        return onefold_success;
    } catch (...) {
        return report_current_exception();
    }
}

/// Checks that an argument was given.
template <typename T>
void require(T *argument, const char *name) {
    if (!argument) fail(onefold_invalid_arguments, "the argument '{}' is NULL", name);
}

/// Checks that an array was given, unless it has no elements.
template <typename T>
void require_array(T *array, size_t count, const char *name) {
    if (!array && count != 0) fail(onefold_invalid_arguments, "the argument '{}' is NULL, but it has {} elements", name, count);
}

/// The message for a NULL in an array of handles.
[[noreturn]] inline void fail_for_null_element(const char *name, size_t index) {
    fail(onefold_invalid_arguments, "the argument '{}[{}]' is NULL", name, index);
}

} // namespace onefold::impl::api
