#include "integrations/onnxruntime/scratch.hpp"

#include <memory>

#include <fmt/format.h>

namespace onefold::onnxruntime {

namespace {

constexpr size_t alignment = 64; // sessions may have allocators of their own, which promise none

} // namespace

host_scratch::host_scratch(const host &h, const OrtKernelContext &context, size_t bytes) : host_(h) {
    if (bytes == 0) return;
    h.check(h->KernelContext_GetAllocator(&context, &h.memory(), &allocator_));
    size_t space = bytes + alignment;
    block_ = allocator_->Alloc(allocator_, space);
    if (!block_) {
        h->ReleaseAllocator(allocator_);
        throw host_error(ORT_RUNTIME_EXCEPTION, fmt::format("onefold: no memory for {} bytes of intermediate results", bytes));
    }
    void *aligned = block_;
    data_ = static_cast<std::byte *>(std::align(alignment, bytes, aligned, space));
}

host_scratch::~host_scratch() {
    if (!allocator_) return;
    allocator_->Free(allocator_, block_);
    host_->ReleaseAllocator(allocator_);
}

} // namespace onefold::onnxruntime
