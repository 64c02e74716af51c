#pragma once

#include <cstdint>

#include "graph/op.hpp"
#include "tests/driver/buffer.hpp"

namespace onefold::driver {

/// Fills an input of a graph, so that mistakes show: both signs, magnitudes over a few binades, exact ties, zeros of both
/// signs; of integers any magnitude, the type's lowest and highest values; and within what the consuming op is defined on
/// (nullptr: nothing is known of it); axes are fill_input()'s matter. The same seed, tensor id, type and dims give the same
/// values.
void fill(buffer &b, const impl::op *consumer, size_t port, uint64_t seed);

/// Fills an input with small positive values: what keeps a root or a division from 0.
void fill_with_epsilons(buffer &b, uint64_t seed);

} // namespace onefold::driver
