#include "tests/benchmark/buffer.hpp"

#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace onefold::bench {

buffer::buffer(const element &e, size_t bytes, uint64_t seed) : size_(bytes) {
    constexpr size_t huge_page = size_t{2} * 1024 * 1024;
    const size_t rounded = (bytes / huge_page + 1) * huge_page;
    data_.reset(static_cast<std::byte *>(std::aligned_alloc(huge_page, rounded)));
    if (!data_) throw std::bad_alloc();
    madvise(data_.get(), rounded, MADV_HUGEPAGE); // a wish: without it everything works, as fast as small pages allow
    auto *words = reinterpret_cast<uint64_t *>(data_.get());
    uint64_t random = seed * 0x9e3779b97f4a7c15 + 1; // xorshift: never zero
    for (size_t i = 0; i < rounded / sizeof(uint64_t); ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        words[i] = (random & e.mask) | e.base;
    }
}

void buffer::free_memory::operator()(std::byte *p) const { std::free(p); }

} // namespace onefold::bench
