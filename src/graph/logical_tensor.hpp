#pragma once

#include "graph/types.hpp"

namespace onefold::impl {

/// A tensor's description: what onefold_logical_tensor_create() takes, checked.
struct logical_tensor {
    size_t id = 0;
    data_type type = onefold_data_type_undef;
    int64_t ndims = unknown_ndims;
    impl::dims dims;    // ndims entries
    impl::dims strides; // ndims entries where the layout is strided, else empty
    layout_type layout = onefold_layout_undef;
    size_t layout_id = 0;
    property_type property = onefold_property_undef;

    bool operator==(const logical_tensor &) const = default;

    bool has_known_dims() const;
    bool has_known_strides() const;
};

/// Builds a logical tensor from the C ABI's arguments; throws invalid_arguments or invalid_shape.
logical_tensor make_logical_tensor(size_t id, data_type type, int64_t ndims, const int64_t *sizes, const int64_t *strides,
                                   layout_type layout, size_t layout_id, property_type property);

/// A strided, row-major tensor.
logical_tensor make_dense(size_t id, data_type type, const dims &d, property_type property = onefold_property_undef);

/// The number of elements; dims must be known. Throws invalid_shape where the product exceeds 2^63 - 1.
int64_t element_count(const dims &d);

/// Elements from the first to one behind the last that dims and strides reach; 0 for an empty tensor. Throws invalid_shape
/// where it exceeds 2^63 - 1.
int64_t span_of(const dims &d, const dims &strides);

/// Bytes of a strided tensor with known dims and strides; SIZE_MAX where it cannot be told.
size_t mem_size(const logical_tensor &lt);

/// "f32:2x3x4:strided" and the like, for messages and logs.
std::string to_string(const logical_tensor &lt);

} // namespace onefold::impl
