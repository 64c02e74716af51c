#include "runtime/engine.hpp"

#include <utility>

#include "graph/error.hpp"

namespace onefold::impl {

std::byte *scratch_buffer::at_least(size_t size) {
    if (size <= size_) return data_;
    allocator_.deallocate(std::exchange(data_, nullptr));
    size_ = 0;
    data_ = static_cast<std::byte *>(allocator_.allocate(size));
    size_ = size;
    return data_;
}

engine::engine(engine_kind kind, size_t index, allocator a) : allocator_(a) {
    if (kind != onefold_cpu && kind != onefold_any_engine)
        fail(onefold_invalid_arguments, "engine: kind {} is not the CPU (1)", static_cast<int>(kind));
    if (index != 0) fail(onefold_invalid_arguments, "engine: index {} is too large, there is one CPU engine", index);
}

engine::scratch_lease::scratch_lease(engine &e, size_t size) {
    if (size == 0) return;
    thread_scratch &scratch = e.scratch_.local();
    if (scratch.free.empty()) {
        scratch.free.reserve(scratch.made + 1); // room for all of them, so that giving back never allocates
        scratch.free.push_back(std::make_unique<scratch_buffer>(e.allocator_));
        ++scratch.made;
    }
    data_ = scratch.free.back()->at_least(size); // throws before anything is taken
    buffer_ = std::move(scratch.free.back());
    scratch.free.pop_back();
    owner_ = &scratch;
}

engine::scratch_lease::~scratch_lease() {
    if (owner_) owner_->free.push_back(std::move(buffer_));
}

} // namespace onefold::impl
