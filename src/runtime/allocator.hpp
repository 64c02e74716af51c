#pragma once

#include <cstddef>

#include "onefold/onefold.h"

namespace onefold::impl {

/// Where an engine's memory comes from: the user's two functions, or the C library's.
struct allocator {
    onefold_allocate_function allocate_function = nullptr;
    onefold_deallocate_function deallocate_function = nullptr;

    /// Memory aligned to `alignment` (a power of two); throws out_of_memory. size 0 gives nullptr.
    void *allocate(size_t size, size_t alignment = 64) const;
    void deallocate(void *pointer) const noexcept;
};

} // namespace onefold::impl
