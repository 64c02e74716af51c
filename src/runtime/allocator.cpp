#include "runtime/allocator.hpp"

#include <cstdint>
#include <cstdlib>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

void *default_allocate(size_t size, size_t alignment) {
    // std::aligned_alloc wants a multiple of the alignment.
    if (size > SIZE_MAX - alignment) return nullptr;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

} // namespace

void *allocator::allocate(size_t size, size_t alignment) const {
    if (size == 0) return nullptr;
    void *data = allocate_function ? allocate_function(size, alignment) : default_allocate(size, alignment);
    if (!data) fail(onefold_out_of_memory, "the allocator has no {} bytes aligned to {}", size, alignment);
    return data;
}

void allocator::deallocate(void *pointer) const noexcept {
    if (!pointer) return;
    if (deallocate_function)
        deallocate_function(pointer);
    else
        std::free(pointer);
}

} // namespace onefold::impl
