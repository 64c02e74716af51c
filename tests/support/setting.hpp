#pragma once

#include <cstdlib>

namespace onefold_test {

/// An environment variable while it lives.
class setting {
public:
    setting(const char *name, const char *value) : name_(name) { setenv(name, value, 1); }
    setting(const setting &) = delete;
    setting &operator=(const setting &) = delete;
    ~setting() { unsetenv(name_); }

private:
    const char *name_;
};

} // namespace onefold_test
