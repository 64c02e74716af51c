#pragma once

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace onefold::impl {

class compiled_partition; // which this folder knows nothing else of

/// Compiled partitions by all that compiling them depended on: an engine's, so that to compile the same again gives the same.
/// Any number of threads may use it at once. What comes beyond the capacity pushes out what was asked for least recently; who
/// holds it keeps it.
class compiled_partition_cache {
public:
    using key = std::vector<int64_t>;
    using value = std::shared_ptr<const compiled_partition>;

    /// How many each engine's cache keeps: one number for the process, as in oneDNN. A cache follows it when it is used next.
    static int capacity() noexcept;
    static void set_capacity(int capacity) noexcept;

    /// nullptr where there is none.
    value find(const key &k);
    /// Takes it in and returns it; where another thread was faster, returns that one's.
    value keep(key k, value made);

    size_t size() const;

private:
    struct entry {
        key k;
        value v;
    };
    using entries = std::list<entry>;
    struct is_less {
        bool operator()(const key *a, const key *b) const { return *a < *b; }
    };

    value find_locked(const key &k);
    /// What has to go; it is destroyed by the caller, when it has let go of the lock.
    entries take_surplus();

    mutable std::mutex mutex_;
    entries entries_; // the last used first
    std::map<const key *, entries::iterator, is_less> places_;
};

} // namespace onefold::impl
