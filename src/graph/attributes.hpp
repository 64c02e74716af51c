#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "graph/types.hpp"

namespace onefold::impl {

/// The value types that an attribute can have; the order is that of attribute_value's alternatives.
enum class attribute_type { f32, f32_list, s64, s64_list, boolean, string };

using attribute_value = std::variant<float, std::vector<float>, int64_t, std::vector<int64_t>, bool, std::string>;

/// What a user set on an op, by attribute. Only the API, the JSON files and the schema's validation look at it.
using attribute_map = std::map<op_attr, attribute_value>;

/// "f32", "f32[]", "s64", "s64[]", "bool", "string": the names of graph files.
std::string_view name_of(attribute_type type);
std::optional<attribute_type> attribute_type_from_name(std::string_view name);
inline attribute_type type_of(const attribute_value &value) { return static_cast<attribute_type>(value.index()); }
/// The type that an attribute's values have in every op; nullopt for an attribute that does not exist.
std::optional<attribute_type> type_of(op_attr attr);
/// As a message shows it: 1.5, [1, 2], true, 'numpy'.
std::string to_string(const attribute_value &value);

// What the ops that are compiled need to know, one struct per family, made once from the map by make_attributes().

/// What a reduction does that is given an empty set of axes.
enum class empty_axes {
    identity,    // the elements as they are (Graph specification)
    reduce_all,  // all axes are meant
    reduce_none, // each element by itself, which |x| and x * x still change
};

/// ReduceSum, ReduceMean, ...
struct reduction_attributes {
    std::vector<int64_t> axes; // as given: negative, in any order; unused where they are an input
    bool keep_dims = false;
    empty_axes if_empty = empty_axes::identity;
};

/// Add, Subtract, ...
struct binary_attributes {
    bool broadcast = true; // auto_broadcast: numpy or none
};

/// Abs, Clamp, ...; what alpha and beta mean is the op's own: alpha, beta, min and max come in that order.
struct unary_attributes {
    float alpha = 0;
    float beta = 0;
    bool tanh_approximation = false; // GELU's mode gelu_tanh
};

/// SoftMax, LogSoftmax, LayerNorm, RMSNorm; each reads those that it has.
struct normalization_attributes {
    int64_t axis = 0;            // SoftMax, LogSoftmax: as given, negative from the end
    int64_t begin_norm_axis = 0; // LayerNorm, RMSNorm: the first of the dims that are normalized, as given
    float epsilon = 0;           // added to the variance, or to the mean of the squares
    bool keep_stats = false;     // LayerNorm: mean and variance are outputs too
    bool use_affine = false;     // LayerNorm: gamma and beta are inputs
};

/// Ops of the other families have no attributes, or are not compiled: nothing reads theirs.
using op_attributes =
    std::variant<std::monostate, reduction_attributes, binary_attributes, unary_attributes, normalization_attributes>;

} // namespace onefold::impl
