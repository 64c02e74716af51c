#pragma once

#include <string>
#include <vector>

#include "graph/schema.hpp"

namespace onefold::impl {

/// An op as the user made it. Its ports are logical tensors by value; equal ids connect ops.
struct op {
    size_t id = 0;
    op_kind kind = onefold_op_wildcard;
    std::string name;
    attribute_map raw_attributes;
    op_attributes attributes; // set by graph::add_op
    std::vector<logical_tensor> inputs;
    std::vector<logical_tensor> outputs;

    const op_schema &schema() const { return schema_of(kind); }
    const reduction_attributes &reduction() const { return std::get<reduction_attributes>(attributes); }
    const binary_attributes &binary() const { return std::get<binary_attributes>(attributes); }
    const unary_attributes &unary() const { return std::get<unary_attributes>(attributes); }
    const normalization_attributes &normalization() const { return std::get<normalization_attributes>(attributes); }
};

/// True for a reduction whose axes are its second input: they are known at execution only.
inline bool has_axes_input(const op &o) { return o.schema().family == op_family::reduction && o.inputs.size() > 1; }

/// "op 7 (ReduceMean)": how every message names an op.
std::string to_string(const op &o);

} // namespace onefold::impl
