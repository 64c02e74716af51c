#include "runtime/compiled_partition_cache.hpp"

#include <atomic>

namespace onefold::impl {

namespace {

std::atomic<int> common_capacity{1024};

} // namespace

int compiled_partition_cache::capacity() noexcept { return common_capacity.load(std::memory_order_relaxed); }
void compiled_partition_cache::set_capacity(int capacity) noexcept {
    common_capacity.store(capacity, std::memory_order_relaxed);
}

compiled_partition_cache::value compiled_partition_cache::find(const key &k) {
    entries surplus; // goes behind the lock
    const std::lock_guard lock(mutex_);
    surplus = take_surplus();
    return find_locked(k);
}

compiled_partition_cache::value compiled_partition_cache::keep(key k, value made) {
    entries added, surplus;
    added.push_back({std::move(k), std::move(made)});
    const std::lock_guard lock(mutex_);
    if (value known = find_locked(added.front().k)) return known;
    value kept = added.front().v;
    places_.emplace(&added.front().k, added.begin()); // its iterator goes along
    entries_.splice(entries_.begin(), added);
    surplus = take_surplus();
    return kept;
}

size_t compiled_partition_cache::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

compiled_partition_cache::value compiled_partition_cache::find_locked(const key &k) {
    const auto known = places_.find(&k);
    if (known == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, known->second);
    return known->second->v;
}

compiled_partition_cache::entries compiled_partition_cache::take_surplus() {
    entries surplus;
    const auto most = static_cast<size_t>(capacity());
    while (entries_.size() > most) {
        places_.erase(&entries_.back().k);
        surplus.splice(surplus.begin(), entries_, std::prev(entries_.end()));
    }
    return surplus;
}

} // namespace onefold::impl
