#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "runtime/executor.hpp"

namespace onefold::impl {

/// One oneDNN primitive or one SIMD loop nest, ready to run. Immutable: run() may be called from many threads at once.
class step {
public:
    step() = default;
    step(const step &) = delete;
    step &operator=(const step &) = delete;
    virtual ~step() = default;

    /// What verbose log and inspect show, e.g. "onednn:reduction:jit:avx512_core".
    virtual std::string name() const = 0;
    /// Scratch memory that run() needs, in bytes.
    virtual size_t scratch_bytes() const { return 0; }
    /// `buffers` by the numbers that the operands of the computation have; `scratch` is aligned to 64 bytes; work for several
    /// threads goes to `threads`.
    virtual void run(std::span<std::byte *const> buffers, std::byte *scratch, const executor &threads) const = 0;
};

} // namespace onefold::impl
