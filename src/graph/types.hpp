#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "onefold/onefold.h"

namespace onefold::impl {

// The enumerations are the C ABI's own: one list, no conversion at the edge.
using data_type = onefold_data_type;
using layout_type = onefold_layout_type;
using property_type = onefold_property_type;
using op_kind = onefold_op_kind;
using op_attr = onefold_op_attr;
using engine_kind = onefold_engine_kind;
using fpmath_mode = onefold_fpmath_mode;
using partition_policy = onefold_partition_policy;
using status = onefold_status;

using dims = std::vector<int64_t>;

inline constexpr int64_t unknown_ndims = ONEFOLD_UNKNOWN_NDIMS;
inline constexpr int64_t unknown_dim = ONEFOLD_UNKNOWN_DIM;

/// The names are those of oneDNN's graph files: "f32", "strided", "constant", ... Empty / nullopt where there is none.
std::string_view name_of(data_type type);
std::string_view name_of(layout_type layout);
std::string_view name_of(property_type property);
std::string_view name_of(op_attr attr);
std::string_view name_of(status s);
std::string_view name_of(fpmath_mode mode);

std::optional<data_type> data_type_from_name(std::string_view name);
std::optional<layout_type> layout_type_from_name(std::string_view name);
std::optional<property_type> property_type_from_name(std::string_view name);
std::optional<op_attr> op_attr_from_name(std::string_view name);
std::optional<fpmath_mode> fpmath_mode_from_name(std::string_view name);

/// Bits an element takes in memory: 4 for s4 and u4; 0 for undef.
int bits_of(data_type type);
/// Bytes an element takes; only for types of whole bytes.
inline int64_t size_of(data_type type) { return bits_of(type) / 8; }
bool is_floating(data_type type);

/// "2x3x4"; "scalar" for rank 0; "?" for unknown dims.
std::string to_string(const dims &d);

/// Row-major strides for known dims; a dim of 0 counts as 1, so that strides stay positive.
dims row_major_strides(const dims &d);

} // namespace onefold::impl
