#pragma once

#include <span>

#include "graph/op.hpp"

namespace onefold::impl {

// The shape rules that schema rows name. Each throws invalid_shape or invalid_arguments with a sentence.

/// Reduced dims become 1 (keep_dims) or go. The axes are the attribute's, whether or not there is an input for them.
dims infer_reduction(const op &o, std::span<const logical_tensor> inputs);
/// NumPy's multidirectional broadcast of all inputs, or equal shapes where auto_broadcast is none.
dims infer_broadcast(const op &o, std::span<const logical_tensor> inputs);
/// The first input's dims.
dims infer_same(const op &o, std::span<const logical_tensor> inputs);
/// dst has src's dims; mean and variance, where they are outputs, those before the ones that are normalized. gamma and beta are
/// broadcast to src.
std::vector<dims> infer_normalization(const op &o, std::span<const logical_tensor> inputs);

/// The rule of an op with one output, as a row names it.
template <dims (*rule)(const op &, std::span<const logical_tensor>)>
std::vector<dims> one_output(const op &o, std::span<const logical_tensor> inputs) {
    return {rule(o, inputs)};
}

/// axes in [0, rank), ascending. Throws invalid_arguments where one is out of range or doubled.
std::vector<int64_t> normalise_axes(const op &o, std::span<const int64_t> axes, size_t rank);

/// The same, written to `normalised`, which has room for as many: allocates nothing, and is quick for few axes.
void normalise_few_axes(const op &o, std::span<const int64_t> axes, size_t rank, std::span<int64_t> normalised);

/// True for a reduction that by its attributes leaves its source as it is, whatever its kind.
bool is_identity(const op &o);
/// The axes that a reduction reduces by its attributes, normalised; throws as above.
std::vector<int64_t> reduced_axes(const op &o, size_t rank);

/// The axes that a normalization goes over, ascending: axis, or all from begin_norm_axis on. Throws invalid_arguments where the
/// attribute is out of range.
std::vector<int64_t> normalized_axes(const op &o, size_t rank);

/// Of each output, where some of the inputs' dims may be unknown: so is what these have a say in. Throws as the rules do; the
/// axes of a reduction must be its attribute.
std::optional<std::vector<dims>> infer_open(const op &o, std::span<const logical_tensor> inputs);

/// NumPy's rule; nullopt where the shapes do not go together. A dim of 0 against 1 stays 0.
std::optional<dims> broadcast(const dims &a, const dims &b);

} // namespace onefold::impl
