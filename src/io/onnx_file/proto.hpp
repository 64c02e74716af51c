#pragma once

#include <onnx/onnx_pb.h>

namespace onefold::impl::io {

namespace pb = ::onnx;

} // namespace onefold::impl::io
