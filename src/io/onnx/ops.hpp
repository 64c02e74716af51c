#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "graph/schema.hpp"

namespace onefold::impl::io {

class onnx_node;
class graph_builder;

/// The newest version of ONNX's default operator set whose rules the table holds.
inline constexpr int newest_opset = 28;

/// From which operator set version on an op takes which types.
struct onnx_types {
    int since;
    type_set allowed;
};

/// An attribute of an op, in the versions that have it.
struct onnx_attribute {
    std::string_view name;
    int since = 1;
    int until = newest_opset;
    op_attr passed_as = onefold_op_attr_undef; // a float that is passed on as this attribute
    float fallback = 0;                        // its value where it is not given
};

/// As many inputs as are given; the number that ONNX itself has for it.
inline constexpr size_t any_input_count = std::numeric_limits<int>::max();

/// How many inputs an op takes.
struct onnx_inputs {
    size_t min;
    size_t max;
    size_t operands; // the first so many have the type that onnx_types limits, all the same
};

/// Adds what a node means to the graph. Throws not_supported, or error where the node breaks a rule of ONNX.
using onnx_mapping = void (*)(graph_builder &, const onnx_node &);

/// One row describes an ONNX op in a range of operator set versions: what the model must keep, and what it becomes.
struct onnx_op {
    std::string_view name;
    int since;
    int until;
    std::string_view kind; // of the graph's op; where no kind has that name, the node is not supported
    onnx_mapping map;
    onnx_inputs inputs;
    std::span<const onnx_types> types;
    std::span<const onnx_attribute> attributes = {};
    size_t outputs = 1; // at most
};

/// The row of an op in a version; nullptr where there is none.
const onnx_op *find_onnx_op(std::string_view name, int opset);
/// The first version that has a row; nothing where no version does.
const onnx_op *find_onnx_op(std::string_view name);
/// All rows, for tests and documents.
std::span<const onnx_op> onnx_ops();

// The mappings that rows name, by the file in which they stand.

// map_elementwise.cpp
void map_elementwise(graph_builder &b, const onnx_node &n); // one to one: float attributes are passed on
void map_equal_shapes(graph_builder &b, const onnx_node &n);
void map_one_way_broadcast(graph_builder &b, const onnx_node &n);
void map_gelu(graph_builder &b, const onnx_node &n);
void map_pow(graph_builder &b, const onnx_node &n);
void map_clip_attributes(graph_builder &b, const onnx_node &n);
void map_clip_inputs(graph_builder &b, const onnx_node &n);
void map_cast(graph_builder &b, const onnx_node &n);

// map_reduction.cpp
void map_reduction(graph_builder &b, const onnx_node &n);

// map_normalization.cpp
void map_softmax(graph_builder &b, const onnx_node &n);
void map_layer_normalization(graph_builder &b, const onnx_node &n);
void map_rms_normalization(graph_builder &b, const onnx_node &n);
void map_instance_normalization(graph_builder &b, const onnx_node &n);
void map_mean_variance_normalization(graph_builder &b, const onnx_node &n);
void map_lp_normalization(graph_builder &b, const onnx_node &n);

// map_views.cpp
void map_identity(graph_builder &b, const onnx_node &n);
void map_constant(graph_builder &b, const onnx_node &n);
void map_reshape(graph_builder &b, const onnx_node &n);
void map_squeeze(graph_builder &b, const onnx_node &n);
void map_unsqueeze(graph_builder &b, const onnx_node &n);
void map_flatten(graph_builder &b, const onnx_node &n);

} // namespace onefold::impl::io
