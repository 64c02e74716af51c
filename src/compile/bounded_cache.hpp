#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace onefold::impl {

/// Values by keys of 64-bit numbers, up to a number of them: where one more comes, that which was not used for longest goes,
/// unless it is in use now. Any number of threads may use it at once; finding what is there takes no lock and allocates
/// nothing.
template <typename Value>
class bounded_cache {
    struct node;

public:
    using key = std::span<const int64_t>;

    /// A value that stays until this is destroyed: the cache's, which must outlive this, somebody else's, or its own.
    class lease {
    public:
        lease() = default;
        explicit lease(const Value &somebodys) : value_(&somebodys) {}
        explicit lease(std::unique_ptr<const Value> own) : value_(own.get()), own_(std::move(own)) {}
        lease(lease &&other) noexcept
            : value_(std::exchange(other.value_, nullptr)),
              node_(std::exchange(other.node_, nullptr)),
              own_(std::move(other.own_)) {}
        lease &operator=(lease &&other) noexcept {
            std::swap(value_, other.value_);
            std::swap(node_, other.node_);
            std::swap(own_, other.own_);
            return *this;
        }
        ~lease() {
            if (node_) node_->users.fetch_sub(1, std::memory_order_release);
        }

        explicit operator bool() const { return value_ != nullptr; }
        const Value &operator*() const { return *value_; }
        const Value *operator->() const { return value_; }

    private:
        friend bounded_cache;
        /// Of a node that counts this user already.
        explicit lease(node &n) : value_(n.value.get()), node_(&n) {}

        const Value *value_ = nullptr;
        node *node_ = nullptr;
        std::unique_ptr<const Value> own_;
    };

    /// `capacity`: 1 or more values.
    explicit bounded_cache(size_t capacity) : capacity_(capacity) {}
    bounded_cache(const bounded_cache &) = delete;
    bounded_cache &operator=(const bounded_cache &) = delete;

    /// The value of that key, empty where there is none.
    lease find(key k) const {
        const uint64_t hash = hash_of(k);
        if (lease known = find_in_bucket(k, hash)) return known;
        // While a value is replaced, others may seem to be gone: who is about to make one anew can afford to make sure.
        const std::lock_guard lock(changing_);
        return find_in_bucket(k, hash);
    }

    /// Takes a value in and returns it; if another thread was faster, returns that one's. Where all are in use it is not kept,
    /// and the lease's own.
    lease keep(key k, std::unique_ptr<const Value> made) {
        std::vector<int64_t> copy(k.begin(), k.end());
        const uint64_t hash = hash_of(k);
        const std::lock_guard lock(changing_);
        if (lease known = find_in_bucket(k, hash)) return known;
        node *n = nodes_.size() < capacity_ ? add_node() : take_oldest();
        if (!n) return lease(std::move(made));
        n->key = std::move(copy); // from here on nothing throws
        n->value.swap(made);
        n->hash.store(hash, std::memory_order_relaxed);
        n->users.fetch_add(1 - being_replaced, std::memory_order_release);
        touch(*n);
        std::atomic<node *> &first = bucket_of(hash);
        n->next.store(first.load(std::memory_order_relaxed), std::memory_order_relaxed);
        first.store(n, std::memory_order_release);
        return lease(*n);
    }

    size_t size() const {
        const std::lock_guard lock(changing_);
        return nodes_.size();
    }

private:
    /// What the number of a node's users is lowered by while its value is replaced.
    static constexpr int64_t being_replaced = INT64_MIN / 2;

    /// Nodes come and never go, so that a reader can look at any of them at any time. Key and value may be read by who is
    /// counted among the users, found their number not negative before, and lasts as long as it is.
    struct node {
        std::atomic<int64_t> users{being_replaced};
        std::atomic<uint64_t> hash{0};
        std::atomic<uint64_t> last_use{0};
        std::atomic<node *> next{nullptr};
        std::vector<int64_t> key;
        std::unique_ptr<const Value> value;
    };

    static uint64_t hash_of(key k) noexcept {
        uint64_t hash = k.size();
        for (const int64_t number : k)
            hash = (hash ^ hash >> 32 ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15U;
        return hash;
    }
    std::atomic<node *> &bucket_of(uint64_t hash) noexcept { return buckets_[hash >> 57]; }
    const std::atomic<node *> &bucket_of(uint64_t hash) const noexcept { return buckets_[hash >> 57]; }

    lease find_in_bucket(key k, uint64_t hash) const noexcept {
        // A node that moves to another bucket takes a reader along: it may come to any number of them, but not for ever.
        size_t seen = 0;
        for (node *n = bucket_of(hash).load(std::memory_order_acquire); n != nullptr && seen <= capacity_;
             n = n->next.load(std::memory_order_acquire), ++seen) {
            if (n->hash.load(std::memory_order_relaxed) != hash) continue;
            if (n->users.fetch_add(1, std::memory_order_acquire) >= 0 &&
                std::equal(k.begin(), k.end(), n->key.begin(), n->key.end())) {
                touch(*n);
                return lease(*n);
            }
            n->users.fetch_sub(1, std::memory_order_release);
        }
        return {};
    }

    /// Makes it the last that was used. What is used again and again is so already, and nothing is written.
    void touch(node &n) const noexcept {
        if (n.last_use.load(std::memory_order_relaxed) == uses_.load(std::memory_order_relaxed)) return;
        n.last_use.store(uses_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    node *add_node() {
        nodes_.push_back(std::make_unique<node>());
        return nodes_.back().get();
    }

    /// The node that was not used for longest and is not in use, out of its bucket; nullptr where all are in use.
    node *take_oldest() noexcept {
        for (;;) {
            node *oldest = nullptr;
            for (const auto &n : nodes_)
                if (n->users.load(std::memory_order_relaxed) == 0 && (!oldest || n->last_use.load() < oldest->last_use.load()))
                    oldest = n.get();
            if (!oldest) return nullptr;
            int64_t users = 0;
            if (!oldest->users.compare_exchange_strong(users, being_replaced, std::memory_order_acquire)) continue;
            std::atomic<node *> *link = &bucket_of(oldest->hash.load(std::memory_order_relaxed));
            while (link->load(std::memory_order_relaxed) != oldest)
                link = &link->load(std::memory_order_relaxed)->next;
            link->store(oldest->next.load(std::memory_order_relaxed), std::memory_order_release);
            return oldest;
        }
    }

    const size_t capacity_;
    std::array<std::atomic<node *>, 128> buckets_{}; // each the newest node of a list
    mutable std::atomic<uint64_t> uses_{1};          // counted where the value was not the last one used; 0: never
    std::vector<std::unique_ptr<node>> nodes_;
    mutable std::mutex changing_;
};

} // namespace onefold::impl
