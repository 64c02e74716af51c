#pragma once

#include "compile/compiled_partition.hpp"

namespace onefold::impl {

/// As compile(); where the engine keeps what the same partition gave for the same ports in the same environment, gives that.
/// What it keeps does not keep the engine alive.
std::shared_ptr<const compiled_partition> compile_cached(const partition &p, std::span<const logical_tensor> inputs,
                                                         std::span<const logical_tensor> outputs, engine &e);

} // namespace onefold::impl
