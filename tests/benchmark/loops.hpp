#pragma once

#include <cstddef>
#include <span>

namespace onefold::bench {

/// How a loop takes elements in: words are only read (and or-ed, so that the reads happen), f32 and f64 are added up, bf16 and
/// f16 are widened to f32 and added up.
enum class reading { words, f64, f32, bf16, f16 };

/// The yardstick of reductions: every byte read once, with the widest vectors, by all the threads of the calling arena, each of
/// which has one piece. The data is aligned to 64 bytes; less than 64 bytes at its end may be left out.
void read_all(reading how, const std::byte *data, std::size_t bytes);

/// The yardstick of element-wise ops: dst = the sources or-ed together word by word (one source: a copy), in the same way.
/// There are 1, 2, 3 or 8 sources of `bytes` bytes. Ordinary stores, none past the caches.
void combine_all(std::span<const std::byte *const> srcs, std::byte *dst, std::size_t bytes);

} // namespace onefold::bench
