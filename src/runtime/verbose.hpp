#pragma once

#include <chrono>
#include <string_view>

namespace onefold::impl {

/// Measures a compile or an execute from construction on and, with ONEFOLD_VERBOSE=1, writes its line to standard output:
/// onefold_verbose,v1,<compile|exec>,cpu,<partition: id, ops, tensors>,<steps>,<ms>
class verbose_timer {
public:
    verbose_timer();
    void report(std::string_view what, std::string_view partition, std::string_view steps) const;

private:
    std::chrono::steady_clock::time_point start_;
};

} // namespace onefold::impl
