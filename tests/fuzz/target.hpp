#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/onnx_file/read.hpp"

// What the fuzz targets share. A target ends the process where the library does what it must never do.

/// The entry that libFuzzer calls, and replay.cpp for kept inputs.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace onefold::fuzz {

/// Prints what is wrong and ends the process unless it holds.
void require(bool holds, std::string_view what);
/// A message is one line of printable text, however the input looks.
void require_sentence(std::string_view message);

/// Takes a graph that was read through the public API: adds its ops, cuts it, and if all of it is supported and small also
/// compiles and executes it. Any documented failure on the way is right, as long as its message is a sentence.
void run_if_small(impl::io::onnx_graph source);

} // namespace onefold::fuzz
