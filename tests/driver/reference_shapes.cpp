#include "graph/error.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

std::vector<bool> reduced_dims(const impl::op &o, size_t rank, const std::vector<int64_t> &axes) {
    std::vector<bool> reduced(rank, false);
    for (const int64_t axis : axes) {
        const int64_t from_front = axis < 0 ? axis + static_cast<int64_t>(rank) : axis;
        if (from_front < 0 || from_front >= static_cast<int64_t>(rank) || reduced[static_cast<size_t>(from_front)])
            impl::fail(onefold_invalid_arguments, "reference: {}: axis {} at rank {}", impl::to_string(o), axis, rank);
        reduced[static_cast<size_t>(from_front)] = true;
    }
    return reduced;
}

} // namespace

bool is_identity(const impl::op &o, const std::vector<int64_t> &axes) {
    return axes.empty() && !o.raw_attributes.contains(onefold_op_attr_noop_with_empty_axes);
}

reduction_shape shape_of_reduction(const impl::op &o, const impl::dims &src, const std::vector<int64_t> &axes) {
    std::vector<bool> reduced = reduced_dims(o, src.size(), axes);
    const bool empty_means_all = !attribute_or(o, onefold_op_attr_noop_with_empty_axes, true);
    if (axes.empty() && empty_means_all) reduced.assign(src.size(), true);
    reduction_shape shape;
    shape.strides.resize(src.size());
    for (size_t i = src.size(); i-- > 0;) {
        shape.strides[i] = reduced[i] ? 0 : static_cast<int64_t>(shape.outputs);
        if (reduced[i])
            shape.count *= src[i];
        else
            shape.outputs *= static_cast<size_t>(src[i]);
    }
    const bool keep_dims = attribute_or(o, onefold_op_attr_keep_dims, false);
    for (size_t i = 0; i < src.size(); ++i) {
        if (!reduced[i] || keep_dims) shape.dst.push_back(reduced[i] ? 1 : src[i]);
    }
    return shape;
}

impl::dims broadcast_dims(const impl::op &o, std::span<const reference_tensor *const> srcs) {
    impl::dims result;
    for (const reference_tensor *src : srcs)
        result.resize(std::max(result.size(), src->dims.size()), 1);
    for (const reference_tensor *src : srcs) {
        const impl::dims &d = src->dims;
        if (attribute_or<std::string>(o, onefold_op_attr_auto_broadcast, "numpy") == "none" && d != srcs[0]->dims)
            impl::fail(onefold_invalid_shape, "reference: {}: {} and {} without broadcasting", impl::to_string(o),
                       impl::to_string(srcs[0]->dims), impl::to_string(d));
        for (size_t i = 1; i <= d.size(); ++i) {
            int64_t &size = result[result.size() - i];
            const int64_t other = d[d.size() - i];
            if (size != other && size != 1 && other != 1)
                impl::fail(onefold_invalid_shape, "reference: {}: {} and {} cannot be broadcast", impl::to_string(o),
                           impl::to_string(result), impl::to_string(d));
            if (size == 1) size = other;
        }
    }
    return result;
}

impl::dims broadcast_strides(const impl::dims &d, const impl::dims &space) {
    impl::dims strides(space.size(), 0);
    int64_t stride = 1;
    for (size_t i = 1; i <= d.size(); ++i) {
        const int64_t size = d[d.size() - i];
        strides[space.size() - i] = size == 1 ? 0 : stride;
        stride *= size;
    }
    return strides;
}

impl::op_kind reduction_of(impl::op_kind nary) {
    switch (nary) {
    case onefold_op_mean:
        return onefold_op_reduce_mean;
    case onefold_op_max:
        return onefold_op_reduce_max;
    case onefold_op_min:
        return onefold_op_reduce_min;
    default:
        return onefold_op_reduce_sum;
    }
}

} // namespace onefold::driver
