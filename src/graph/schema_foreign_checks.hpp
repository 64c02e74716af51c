#pragma once

#include "graph/op.hpp"

namespace onefold::impl {

// What the ports and attributes of foreign ops, and of normalizations, cannot say alone. Each throws invalid_graph_op.

/// The type variable of ports that hold per-channel values (gamma, mean, ...); check_statistics_type() goes by it.
inline constexpr char statistics_variable = 'S';

/// pads_begin and pads_end are not negative.
void check_pads(const op &o);
/// As many dilations as the kernel has dims.
void check_dilations(const op &o);
/// bf16 statistics come with a bf16 src only.
void check_statistics_type(const op &o);
/// All of the optional inputs are given, or none.
void check_optional_inputs_together(const op &o);
/// All of the optional outputs are given, or none.
void check_optional_outputs_together(const op &o);
/// Outputs mean and variance are there if keep_stats is true.
void check_kept_statistics(const op &o);
/// Outputs diff_gamma and diff_beta are there if use_affine is true.
void check_affine_gradients(const op &o);
/// Exactly one source of the size: sizes (attribute or input) or scales.
void check_sizes_or_scales(const op &o);
/// Attributes scales and zps are as many as qtype says; f8 has no zero points.
void check_static_quantization(const op &o);
/// Inputs scales and zps are as many as qtype says, as far as their dims are known.
void check_dynamic_quantization(const op &o);

/// Several checks as one.
template <void (*...checks)(const op &)>
void check_all(const op &o) {
    (checks(o), ...);
}

} // namespace onefold::impl
