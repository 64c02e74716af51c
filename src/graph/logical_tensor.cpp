#include "graph/logical_tensor.hpp"

#include <algorithm>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

bool all_known(const dims &d) {
    return std::none_of(d.begin(), d.end(), [](int64_t v) { return v == unknown_dim; });
}

void check_enumerators(const logical_tensor &lt) {
    if (name_of(lt.type).empty())
        fail(onefold_invalid_arguments, "logical tensor {}: there is no data type {}", lt.id, static_cast<int>(lt.type));
    if (name_of(lt.layout).empty())
        fail(onefold_invalid_arguments, "logical tensor {}: there is no layout type {}", lt.id, static_cast<int>(lt.layout));
    if (name_of(lt.property).empty())
        fail(onefold_invalid_arguments, "logical tensor {}: there is no property type {}", lt.id,
             static_cast<int>(lt.property));
}

void check_non_negative(const logical_tensor &lt, const dims &values, std::string_view what) {
    for (size_t i = 0; i < values.size(); ++i)
        if (values[i] < 0 && values[i] != unknown_dim)
            fail(onefold_invalid_arguments, "logical tensor {}: {} {} is {}; it must not be negative", lt.id, what, i,
                 values[i]);
}

bool multiply_overflows(int64_t a, int64_t b, int64_t &product) { return __builtin_mul_overflow(a, b, &product); }

} // namespace

bool logical_tensor::has_known_dims() const { return ndims >= 0 && all_known(dims); }

bool logical_tensor::has_known_strides() const { return ndims >= 0 && layout == onefold_layout_strided && all_known(strides); }

logical_tensor make_logical_tensor(size_t id, data_type type, int64_t ndims, const int64_t *sizes, const int64_t *strides,
                                   layout_type layout, size_t layout_id, property_type property) {
    logical_tensor lt;
    lt.id = id;
    lt.type = type;
    lt.ndims = ndims;
    lt.layout = layout;
    lt.layout_id = layout == onefold_layout_opaque ? layout_id : 0;
    lt.property = property;
    check_enumerators(lt);
    if (ndims < unknown_ndims)
        fail(onefold_invalid_arguments, "logical tensor {}: the rank {} is neither known nor unknown (-1)", id, ndims);
    if (ndims <= 0) return lt;
    if (!sizes) fail(onefold_invalid_arguments, "logical tensor {}: rank {} without dims", id, ndims);
    lt.dims.assign(sizes, sizes + ndims);
    check_non_negative(lt, lt.dims, "dim");
    if (lt.has_known_dims()) element_count(lt.dims);
    if (layout != onefold_layout_strided) return lt;
    if (strides)
        lt.strides.assign(strides, strides + ndims);
    else if (lt.has_known_dims())
        lt.strides = row_major_strides(lt.dims);
    else
        lt.strides.assign(lt.dims.size(), unknown_dim);
    check_non_negative(lt, lt.strides, "stride");
    if (lt.has_known_dims() && lt.has_known_strides()) mem_size(lt);
    return lt;
}

logical_tensor make_dense(size_t id, data_type type, const dims &d, property_type property) {
    return make_logical_tensor(id, type, static_cast<int64_t>(d.size()), d.data(), nullptr, onefold_layout_strided, 0,
                               property);
}

int64_t element_count(const dims &d) {
    // A zero anywhere makes the tensor empty, but row-major strides are products too: they must fit as well.
    int64_t product = 1;
    for (const int64_t size : d)
        if (size > 1 && multiply_overflows(product, size, product))
            fail(onefold_invalid_shape, "dims {}: the number of elements exceeds 2^63 - 1", to_string(d));
    return std::find(d.begin(), d.end(), 0) == d.end() ? product : 0;
}

int64_t span_of(const dims &d, const dims &strides) {
    if (std::find(d.begin(), d.end(), 0) != d.end()) return 0;
    int64_t last = 0;
    for (size_t i = 0; i < d.size(); ++i) {
        int64_t reach = 0;
        if (multiply_overflows(d[i] - 1, strides[i], reach) || __builtin_add_overflow(last, reach, &last))
            fail(onefold_invalid_shape, "dims {} with strides {}: the size exceeds 2^63 - 1", to_string(d), to_string(strides));
    }
    int64_t span = 0;
    if (__builtin_add_overflow(last, int64_t{1}, &span))
        fail(onefold_invalid_shape, "dims {} with strides {}: the size exceeds 2^63 - 1", to_string(d), to_string(strides));
    return span;
}

size_t mem_size(const logical_tensor &lt) {
    if (!lt.has_known_dims() || !lt.has_known_strides() || bits_of(lt.type) == 0) return SIZE_MAX;
    int64_t bits = 0;
    if (multiply_overflows(span_of(lt.dims, lt.strides), bits_of(lt.type), bits) || bits > INT64_MAX - 7)
        fail(onefold_invalid_shape, "logical tensor {}: {} of dims {} exceeds 2^63 - 1 bits", lt.id, name_of(lt.type),
             to_string(lt.dims));
    return static_cast<size_t>((bits + 7) / 8);
}

std::string to_string(const logical_tensor &lt) {
    const std::string shape = lt.ndims == unknown_ndims ? "?" : to_string(lt.dims);
    std::string text = fmt::format("{}:{}:{}", name_of(lt.type), shape, name_of(lt.layout));
    if (lt.has_known_strides() && lt.has_known_dims() && lt.strides != row_major_strides(lt.dims))
        text += ":" + to_string(lt.strides);
    return text;
}

} // namespace onefold::impl
