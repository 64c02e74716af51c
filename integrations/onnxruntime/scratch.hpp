#pragma once

#include <cstddef>

#include "integrations/onnxruntime/host.hpp"

namespace onefold::onnxruntime {

/// Memory for the length of one execution, from the allocator that the session has.
class host_scratch {
public:
    /// Throws host_error where there is not so much.
    host_scratch(const host &h, const OrtKernelContext &context, size_t bytes);
    host_scratch(const host_scratch &) = delete;
    host_scratch &operator=(const host_scratch &) = delete;
    ~host_scratch();

    /// Aligned to 64 bytes; nullptr for no bytes.
    std::byte *data() const { return data_; }

private:
    const host &host_;
    OrtAllocator *allocator_ = nullptr;
    void *block_ = nullptr;
    std::byte *data_ = nullptr;
};

} // namespace onefold::onnxruntime
