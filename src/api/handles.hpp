#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "compile/compiled_partition.hpp"
#include "graph/graph.hpp"
#include "graph/partition.hpp"
#include "runtime/stream.hpp"

namespace onefold::impl::api {

/// The base of handles that can be cloned: it counts its references.
class counted {
public:
    void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    /// True if that was the last reference.
    bool release() const noexcept { return references_.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
    mutable std::atomic<size_t> references_{1};
};

template <typename Handle>
Handle *retained(Handle *handle) noexcept {
    handle->retain();
    return handle;
}

template <typename Handle>
void drop(Handle *handle) noexcept {
    if (handle && handle->release()) delete handle;
}

/// A reference that one handle holds on another.
template <typename Handle>
class reference {
public:
    explicit reference(Handle *handle) : handle_(retained(handle)) {}
    reference(const reference &) = delete;
    reference &operator=(const reference &) = delete;
    ~reference() { drop(handle_); }

    Handle *get() const { return handle_; }
    Handle *operator->() const { return handle_; }

private:
    Handle *handle_;
};

} // namespace onefold::impl::api

struct onefold_allocator_s {
    onefold::impl::allocator value;
};

struct onefold_engine_s : onefold::impl::api::counted {
    explicit onefold_engine_s(std::shared_ptr<onefold::impl::engine> e) : value(std::move(e)) {}

    std::shared_ptr<onefold::impl::engine> value;
};

struct onefold_stream_s {
    onefold_stream_s(onefold_engine e, unsigned threads) : engine(e), value(e->value, threads) {}
    onefold_stream_s(onefold_engine e, onefold_parallel_for_function parallel_for, void *context, unsigned threads)
        : engine(e), value(e->value, parallel_for, context, threads) {}

    onefold::impl::api::reference<onefold_engine_s> engine;
    onefold::impl::stream value;
};

struct onefold_logical_tensor_s : onefold::impl::api::counted {
    explicit onefold_logical_tensor_s(onefold::impl::logical_tensor lt) : value(std::move(lt)) {}

    onefold::impl::logical_tensor value;
};

struct onefold_tensor_s {
    onefold_tensor_s(onefold_logical_tensor lt, onefold_engine e, void *buffer) : description(lt), engine(e), data(buffer) {}

    onefold::impl::api::reference<const onefold_logical_tensor_s> description;
    onefold::impl::api::reference<onefold_engine_s> engine;
    void *data;
    std::unique_ptr<onefold::impl::scratch_buffer> own; // nullptr: the buffer is the user's
};

struct onefold_op_s {
    onefold::impl::op value;
};

struct onefold_graph_s {
    onefold_graph_s(onefold_engine_kind kind, onefold_fpmath_mode mode) : value(kind, mode) {}

    onefold::impl::graph value;
    std::vector<std::shared_ptr<const onefold::impl::partition>> partitions; // of the last count
};

struct onefold_partition_s {
    std::shared_ptr<const onefold::impl::partition> value;
};

struct onefold_compiled_partition_s {
    std::shared_ptr<onefold::impl::engine> engine; // destroyed last
    std::shared_ptr<const onefold::impl::compiled_partition> value;
};
