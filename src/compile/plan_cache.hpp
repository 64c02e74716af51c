#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "compile/plan.hpp"

namespace onefold::impl {

/// The plans of one compiled partition by what only an execution tells, e.g. a set of axes: each has a key of 64-bit numbers.
/// Any number of threads may use it at once. A plan that is in stays in until the cache is destroyed, so that finding one takes
/// no lock.
class plan_cache {
public:
    using key = std::span<const int64_t>;

    /// What it holds at most, so that no input makes it grow without end.
    static constexpr size_t most_plans = 1024;

    plan_cache() = default;
    plan_cache(const plan_cache &) = delete;
    plan_cache &operator=(const plan_cache &) = delete;
    ~plan_cache();

    /// The plan of that key; nullptr where there is none. Allocates nothing.
    const plan *find(key k) const noexcept;

    /// Takes a plan in and returns it; if another thread was faster, returns that one's. nullptr where the cache is full: the
    /// plan is left to the caller.
    const plan *keep(key k, std::unique_ptr<const plan> &made);

    size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

private:
    struct node {
        std::vector<int64_t> key;
        std::unique_ptr<const plan> value;
        const node *next;
    };
    using bucket = std::atomic<const node *>;

    static size_t bucket_of(key k) noexcept;

    std::array<bucket, 128> buckets_{}; // each the newest node of a list
    std::atomic<size_t> size_{0};
    std::mutex growing_;
};

} // namespace onefold::impl
