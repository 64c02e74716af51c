#include "costs/counting_malloc.hpp"

#include <cerrno>
#include <cstdlib>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ONEFOLD_COUNTS_ALLOCATIONS 0
#else
#define ONEFOLD_COUNTS_ALLOCATIONS 1
#endif

namespace {

// Plain numbers: they are used before and after every constructor and destructor.
thread_local bool counting = false;
thread_local size_t allocations = 0;

} // namespace

namespace onefold_test {

allocation_counter::allocation_counter() {
    allocations = 0;
    counting = true;
}

allocation_counter::~allocation_counter() { counting = false; }

size_t allocation_counter::count() const { return allocations; }

bool can_count_allocations() { return ONEFOLD_COUNTS_ALLOCATIONS != 0; }

} // namespace onefold_test

#if ONEFOLD_COUNTS_ALLOCATIONS

// glibc's own functions under the names by which it lets programs replace them.
extern "C" {

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

#define ONEFOLD_EXPORT __attribute__((visibility("default")))

ONEFOLD_EXPORT void *malloc(size_t size) noexcept {
    if (counting) ++allocations;
    return __libc_malloc(size);
}

ONEFOLD_EXPORT void *calloc(size_t count, size_t size) noexcept {
    if (counting) ++allocations;
    return __libc_calloc(count, size);
}

ONEFOLD_EXPORT void *realloc(void *old, size_t size) noexcept {
    if (counting) ++allocations;
    return __libc_realloc(old, size);
}

ONEFOLD_EXPORT void *aligned_alloc(size_t alignment, size_t size) noexcept {
    if (counting) ++allocations;
    return __libc_memalign(alignment, size);
}

ONEFOLD_EXPORT int posix_memalign(void **result, size_t alignment, size_t size) noexcept {
    if (counting) ++allocations;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

} // extern "C"

#endif
