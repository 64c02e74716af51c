#pragma once

#include <cstddef>

namespace onefold_test {

/// Counts what the calling thread allocates while it lives: malloc and all that ends there, operator new included, in this
/// program and in every library.
class allocation_counter {
public:
    allocation_counter();
    ~allocation_counter();
    allocation_counter(const allocation_counter &) = delete;
    allocation_counter &operator=(const allocation_counter &) = delete;
    size_t count() const;
};

/// False where a sanitizer has malloc for itself.
bool can_count_allocations();

} // namespace onefold_test
