#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "graph/types.hpp"

namespace onefold::impl {

/// What every failure inside the library throws; the C ABI turns it into its status and its sentence.
class error : public std::runtime_error {
public:
    error(status code, const std::string &message) : std::runtime_error(message), code_(code) {}
    status code() const noexcept { return code_; }

private:
    status code_;
};

template <typename... Args>
[[noreturn]] void fail(status code, fmt::format_string<Args...> format, Args &&...args) {
    throw error(code, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace onefold::impl
