#pragma once

#include <memory>
#include <vector>

#include <tbb/enumerable_thread_specific.h>

#include "graph/types.hpp"
#include "runtime/allocator.hpp"
#include "runtime/compiled_partition_cache.hpp"
#include "runtime/executor.hpp"

namespace onefold::impl {

/// Memory from an engine's allocator, aligned to 64 bytes; grows, never shrinks.
class scratch_buffer {
public:
    explicit scratch_buffer(const allocator &a) : allocator_(a) {}
    scratch_buffer(const scratch_buffer &) = delete;
    scratch_buffer &operator=(const scratch_buffer &) = delete;
    ~scratch_buffer() { allocator_.deallocate(data_); }

    /// The buffer, grown to `size` if it is smaller; what it held is lost then. nullptr for size 0 of a new buffer.
    std::byte *at_least(size_t size);

private:
    allocator allocator_;
    std::byte *data_ = nullptr;
    size_t size_ = 0;
};

/// The CPU, and the memory that compiling and executing for it takes.
class engine {
public:
    /// Throws invalid_arguments for another kind than the CPU (or any) or another index than 0.
    engine(engine_kind kind, size_t index, allocator a);

    engine_kind kind() const { return onefold_cpu; }
    const allocator &memory() const { return allocator_; }
    /// What was compiled for it. It must not refer to the engine by what keeps it alive: that would be for ever.
    compiled_partition_cache &compiled_partitions() { return compiled_partitions_; }
    /// For streams whose work a host shares out.
    lone_arenas &arenas_of_one_thread() { return arenas_; }

private:
    /// The buffers of one thread that no lease holds now, and how many it has in all.
    struct thread_scratch {
        std::vector<std::unique_ptr<scratch_buffer>> free;
        size_t made = 0;
    };

public:
    /// Scratch memory of the calling thread, held until destroyed, which must happen in the same thread. A thread that,
    /// inside an execution, comes to execute something else (TBB lets a waiting thread take any task) gets another buffer.
    class scratch_lease {
    public:
        scratch_lease(engine &e, size_t size);
        scratch_lease(const scratch_lease &) = delete;
        scratch_lease &operator=(const scratch_lease &) = delete;
        ~scratch_lease();
        /// Aligned to 64 bytes; nullptr for size 0.
        std::byte *data() const { return data_; }

    private:
        thread_scratch *owner_ = nullptr;
        std::unique_ptr<scratch_buffer> buffer_;
        std::byte *data_ = nullptr;
    };

private:
    allocator allocator_;
    tbb::enumerable_thread_specific<thread_scratch> scratch_;
    lone_arenas arenas_{1, 1U};
    compiled_partition_cache compiled_partitions_;
};

} // namespace onefold::impl
