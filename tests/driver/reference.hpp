#pragma once

#include <map>
#include <span>
#include <vector>

#include "graph/op.hpp"
#include "tests/driver/buffer.hpp"

namespace onefold::driver {

/// A tensor of the reference, row-major. Floats are f64 with a running error analysis: a correct implementation's element lies
/// within `error` of `value`. Integers are exact: an element is `integer`, and `value` is empty. In both, an infinite error
/// means that nothing can be said of the element.
struct reference_tensor {
    impl::dims dims;
    std::vector<double> value;
    std::vector<double> error;
    bool zero_signs = false; // -0 and +0 are told apart where the error is 0: results of maxima and minima
    std::vector<wide_integer> integer = {};
};

/// By tensor id.
using reference_tensors = std::map<size_t, reference_tensor>;

/// A tensor of floats whose elements are exact.
reference_tensor exact_tensor(impl::dims d, std::vector<double> value);
reference_tensor exact_integers(impl::dims d, std::vector<wide_integer> value);
/// What a buffer holds.
reference_tensor exact_tensor(const buffer &b);

/// Whether the reference can compute this kind of op.
bool has_reference(impl::op_kind kind);

/// Computes a graph op by op, in whatever order the ops stand: `tensors` holds the graph's inputs and receives all that the
/// ops produce. Dims and attributes are taken from what the ops' documentation says, not from the library. Throws
/// impl::error where an op has no reference, an input is missing or the dims do not fit.
void compute_reference(std::span<const impl::op> ops, reference_tensors &tensors);

} // namespace onefold::driver
