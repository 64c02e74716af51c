#include "tests/benchmark/loops.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/benchmark/loops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace onefold::bench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t unroll = 8; // independent sums: what the latency of an addition needs

/// Calls add(vector, sum) for each vector of `bytes` bytes, in turn with each of the sums; add returns the new sum.
template <typename D, typename Load, typename Add>
float sum_vectors(D d, const std::byte *data, size_t bytes, size_t step, const Load &load, const Add &add) {
    hn::Vec<D> sums[unroll];
    for (auto &sum : sums)
        sum = hn::Zero(d);
    size_t at = 0;
    for (; at + unroll * step <= bytes; at += unroll * step) {
        HWY_UNROLL(8)
        for (size_t k = 0; k < unroll; ++k)
            sums[k] = add(load(data + at + k * step), sums[k]);
    }
    for (; at + step <= bytes; at += step)
        sums[0] = add(load(data + at), sums[0]);
    for (size_t k = 1; k < unroll; ++k)
        sums[0] = hn::Or(sums[0], sums[k]); // any use of all of them will do
    return static_cast<float>(hn::GetLane(sums[0]));
}

template <typename T>
float read_plain(const std::byte *data, size_t bytes) {
    const hn::ScalableTag<T> d;
    const auto load = [&](const std::byte *p) HWY_ATTR { return hn::Load(d, reinterpret_cast<const T *>(p)); };
    return sum_vectors(d, data, bytes, hn::Lanes(d) * sizeof(T), load, [](auto v, auto sum) HWY_ATTR {
        if constexpr (hwy::IsFloat<T>())
            return hn::Add(sum, v);
        else
            return hn::Or(sum, v);
    });
}

/// Two bf16 lie in the halves of each 32-bit lane: as f32, one is the lane shifted, the other the lane with its low half gone.
float read_bf16(const std::byte *data, size_t bytes) {
    const hn::ScalableTag<float> d;
    const hn::RebindToUnsigned<decltype(d)> words;
    const auto load = [&](const std::byte *p) HWY_ATTR { return hn::Load(words, reinterpret_cast<const uint32_t *>(p)); };
    const auto high = hn::Set(words, 0xffff0000U);
    return sum_vectors(d, data, bytes, hn::Lanes(d) * sizeof(float), load, [&](auto v, auto sum) HWY_ATTR {
        return hn::Add(hn::Add(sum, hn::BitCast(d, hn::ShiftLeft<16>(v))), hn::BitCast(d, hn::And(v, high)));
    });
}

float read_f16(const std::byte *data, size_t bytes) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> halves;
    const auto load = [&](const std::byte *p)
                          HWY_ATTR { return hn::PromoteTo(d, hn::Load(halves, reinterpret_cast<const hwy::float16_t *>(p))); };
    return sum_vectors(d, data, bytes, hn::Lanes(d) * sizeof(hwy::float16_t), load,
                       [](auto v, auto sum) HWY_ATTR { return hn::Add(sum, v); });
}

float read_piece(reading how, const std::byte *data, size_t bytes) {
    switch (how) {
    case reading::f64:
        return read_plain<double>(data, bytes);
    case reading::f32:
        return read_plain<float>(data, bytes);
    case reading::bf16:
        return read_bf16(data, bytes);
    case reading::f16:
        return read_f16(data, bytes);
    default:
        return read_plain<uint32_t>(data, bytes);
    }
}

template <size_t count>
void combine(const std::byte *const *srcs, std::byte *dst, size_t begin, size_t end) {
    const hn::ScalableTag<uint8_t> d;
    const size_t step = hn::Lanes(d);
    const auto word = [&](size_t src, size_t at)
                          HWY_ATTR { return hn::Load(d, reinterpret_cast<const uint8_t *>(srcs[src] + at)); };
    for (size_t at = begin; at + 2 * step <= end; at += 2 * step) {
        auto first = word(0, at);
        auto second = word(0, at + step);
        for (size_t src = 1; src < count; ++src) {
            first = hn::Or(first, word(src, at));
            second = hn::Or(second, word(src, at + step));
        }
        hn::Store(first, d, reinterpret_cast<uint8_t *>(dst + at));
        hn::Store(second, d, reinterpret_cast<uint8_t *>(dst + at + step));
    }
}

void combine_piece(const std::byte *const *srcs, size_t count, std::byte *dst, size_t begin, size_t end) {
    switch (count) {
    case 1:
        return combine<1>(srcs, dst, begin, end);
    case 2:
        return combine<2>(srcs, dst, begin, end);
    case 3:
        return combine<3>(srcs, dst, begin, end);
    default:
        return combine<8>(srcs, dst, begin, end);
    }
}

} // namespace HWY_NAMESPACE
} // namespace onefold::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace onefold::bench {

HWY_EXPORT(read_piece);
HWY_EXPORT(combine_piece);

namespace {

std::atomic<float> sink;

/// Calls body(begin, end) over one piece of [0, bytes) for each thread of the arena; little is left to the calling thread.
template <typename Body>
void for_each_piece(size_t bytes, const Body &body) {
    constexpr size_t page = 4096;
    constexpr size_t worth_a_thread = size_t{64} * 1024;
    const auto threads = static_cast<size_t>(tbb::this_task_arena::max_concurrency());
    const size_t pieces = std::clamp<size_t>(bytes / worth_a_thread, 1, threads);
    if (pieces == 1) return body(size_t{0}, bytes);
    const size_t piece = (bytes / pieces + page - 1) / page * page;
    tbb::parallel_for(
        size_t{0}, pieces, [&](size_t i) { body(i * piece, std::min((i + 1) * piece, bytes)); }, tbb::static_partitioner());
}

} // namespace

void read_all(reading how, const std::byte *data, size_t bytes) {
    for_each_piece(bytes, [&](size_t begin, size_t end) {
        sink.store(HWY_DYNAMIC_DISPATCH(read_piece)(how, data + begin, end - begin), std::memory_order_relaxed);
    });
}

void combine_all(std::span<const std::byte *const> srcs, std::byte *dst, size_t bytes) {
    for_each_piece(bytes, [&](size_t begin, size_t end) {
        HWY_DYNAMIC_DISPATCH(combine_piece)(srcs.data(), srcs.size(), dst, begin, end);
    });
}

} // namespace onefold::bench

#endif
