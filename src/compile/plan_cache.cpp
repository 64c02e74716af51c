#include "compile/plan_cache.hpp"

#include <algorithm>

namespace onefold::impl {

plan_cache::~plan_cache() {
    for (bucket &b : buckets_)
        for (const node *next = b.load(); next != nullptr;)
            next = std::unique_ptr<const node>(next)->next;
}

size_t plan_cache::bucket_of(key k) noexcept {
    uint64_t hash = 0;
    for (const int64_t number : k)
        hash = (hash ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15U;
    return static_cast<size_t>(hash >> 57); // 128 buckets
}

const plan *plan_cache::find(key k) const noexcept {
    for (const node *n = buckets_[bucket_of(k)].load(std::memory_order_acquire); n != nullptr; n = n->next)
        if (std::equal(k.begin(), k.end(), n->key.begin(), n->key.end())) return n->value.get();
    return nullptr;
}

const plan *plan_cache::keep(key k, std::unique_ptr<const plan> &made) {
    const std::lock_guard lock(growing_);
    if (const plan *known = find(k)) return known;
    if (size() >= most_plans) return nullptr;
    bucket &b = buckets_[bucket_of(k)];
    auto added = std::make_unique<node>(node{{k.begin(), k.end()}, nullptr, b.load(std::memory_order_relaxed)});
    added->value = std::move(made); // from here on nothing throws
    const plan *value = added->value.get();
    b.store(added.release(), std::memory_order_release);
    size_.fetch_add(1, std::memory_order_relaxed);
    return value;
}

} // namespace onefold::impl
