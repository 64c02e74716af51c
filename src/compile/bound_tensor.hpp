#pragma once

#include "graph/logical_tensor.hpp"

namespace onefold::impl {

/// A tensor as execute() takes it: a description and a buffer.
struct bound_tensor {
    const logical_tensor *description;
    void *data;
};

} // namespace onefold::impl
