#include "runtime/verbose.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "runtime/environment.hpp"

namespace onefold::impl {

verbose_timer::verbose_timer() {
    if (verbose_level() > 0) start_ = std::chrono::steady_clock::now();
}

void verbose_timer::report(std::string_view what, std::string_view partition, std::string_view steps) const {
    if (verbose_level() <= 0) return;
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start_;
    // One write a line: lines of concurrent executions stay whole.
    const std::string line = fmt::format("onefold_verbose,v1,{},cpu,{},{},{:.6g}\n", what, partition, steps, elapsed.count());
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

} // namespace onefold::impl
