// Ops that compute nothing: constants, other names and other dims for the same elements.

#include <algorithm>
#include <span>

#include "io/json.hpp"
#include "io/onnx/builder.hpp"

namespace onefold::impl::io {

namespace {

void define_view(graph_builder &b, const onnx_node &n, const dims &dims) {
    const std::string name = fmt::format("{} \"{}\"", n.row()->name, printable(n.name()));
    try {
        b.define(n.dst(), b.add_view(name, b.src(n, 0), dims));
    } catch (const error &e) {
        n.reject("{}", e.what());
    }
}

/// The list that is an attribute in old versions, input 1 in new ones; nothing where it is not given.
std::optional<std::vector<int64_t>> known_list(const graph_builder &b, const onnx_node &n, std::string_view name) {
    if (n.row()->inputs.max == 1) return n.integers(name);
    if (!n.has_input(1)) return std::nullopt;
    const logical_tensor &list = b.src(n, 1);
    if (list.type != onefold_s64 && list.type != onefold_data_type_undef)
        n.reject("input {} has type {}; it must be s64", name, name_of(list.type));
    const onnx_array *array = b.constant(n, 1);
    if (!array) throw not_supported(fmt::format("the {} is not a constant", name == "axes" ? "list of axes" : name));
    return integers_of(*array);
}

const dims &known_rank(const graph_builder &b, const onnx_node &n) {
    const logical_tensor &src = b.src(n, 0);
    if (src.ndims == unknown_ndims) throw not_supported("the rank of its input is not known");
    return src.dims;
}

/// The product; unknown_dim where a factor is.
int64_t product(const onnx_node &n, std::span<const int64_t> factors) {
    if (std::find(factors.begin(), factors.end(), unknown_dim) != factors.end()) return unknown_dim;
    int64_t result = 1;
    for (const int64_t factor : factors)
        if (__builtin_mul_overflow(result, factor, &result)) n.reject("its shape has more than 2^63 elements");
    return result;
}

/// An axis in [0, limit).
size_t position(const onnx_node &n, int64_t axis, size_t limit) {
    const auto r = static_cast<int64_t>(limit);
    if (axis < 0 && n.opset() < 11) n.reject("axis {}: negative axes came with opset 11", axis);
    if (axis < -r || axis >= r) n.reject("axis {} is not in [{}, {}]", axis, -r, r - 1);
    return static_cast<size_t>(axis < 0 ? axis + r : axis);
}

std::vector<bool> mark(const onnx_node &n, const std::vector<int64_t> &axes, size_t rank) {
    std::vector<bool> marked(rank, false);
    for (const int64_t axis : axes) {
        const size_t p = position(n, axis, rank);
        if (marked[p]) n.reject("axis {} is given twice", axis);
        marked[p] = true;
    }
    return marked;
}

/// Puts the dims that 0 and -1 stand for.
dims resolve(const onnx_node &n, dims shape, const logical_tensor &src) {
    const bool copies = n.integer("allowzero", 0) == 0;
    std::optional<size_t> open;
    for (size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] < -1) n.reject("the shape has a dim of {}", shape[d]);
        if (shape[d] == -1 && open) n.reject("the shape has more than one dim of -1");
        if (shape[d] == -1) open = d;
        if (shape[d] != 0 || !copies) continue;
        if (src.ndims != unknown_ndims && d >= src.dims.size())
            n.reject("the shape's dim {} is 0, which copies input 0's, but that has rank {}", d, src.ndims);
        shape[d] = src.ndims == unknown_ndims ? unknown_dim : src.dims[d];
    }
    const int64_t count = src.ndims == unknown_ndims ? unknown_dim : product(n, src.dims);
    if (open) {
        shape[*open] = 1;
        const int64_t others = product(n, shape);
        if (others == 0) n.reject("the shape has a dim of -1 beside one of 0");
        const bool unknown = count == unknown_dim || others == unknown_dim;
        shape[*open] = unknown ? unknown_dim : count / others;
    }
    const int64_t given = product(n, shape);
    if (given != count && given != unknown_dim && count != unknown_dim)
        n.reject("the shape {} has {} elements, input 0 {} has {}", to_string(shape), given, to_string(src.dims), count);
    return shape;
}

} // namespace

void map_identity(graph_builder &b, const onnx_node &n) { b.define(n.dst(), b.src(n, 0)); }

void map_constant(graph_builder &b, const onnx_node &n) {
    if (n.attribute_count() != 1) n.reject("{} attributes give its value; one must", n.attribute_count());
    const auto define = [&](data_type type, const dims &dims, const auto &values) {
        const auto data = std::as_bytes(std::span(values));
        b.define(n.dst(), b.add_constant({type, dims, {data.begin(), data.end()}}));
    };
    const auto length = [](const auto &list) { return dims{static_cast<int64_t>(list.size())}; };
    if (const onnx_tensor_value *tensor = n.tensor("value")) {
        std::optional<onnx_array> array = tensor->read(n.place());
        if (!array) throw not_supported(fmt::format("onefold has no elements of ONNX's type {}", tensor->type));
        b.define(n.dst(), b.add_constant(std::move(*array)));
    } else if (n.has_attribute("value_float")) {
        define(onefold_f32, {}, std::vector<float>{n.real("value_float", 0)});
    } else if (n.has_attribute("value_int")) {
        define(onefold_s64, {}, std::vector<int64_t>{n.integer("value_int", 0)});
    } else if (const auto reals = n.reals("value_floats")) {
        define(onefold_f32, length(*reals), *reals);
    } else if (const auto integers = n.integers("value_ints")) {
        define(onefold_s64, length(*integers), *integers);
    } else {
        throw not_supported("onefold has no sparse tensors and no strings");
    }
}

void map_reshape(graph_builder &b, const onnx_node &n) {
    const auto shape = known_list(b, n, "shape");
    if (!shape) n.reject("attribute shape is missing");
    define_view(b, n, resolve(n, *shape, b.src(n, 0)));
}

void map_squeeze(graph_builder &b, const onnx_node &n) {
    const dims &src = known_rank(b, n);
    const auto axes = known_list(b, n, "axes");
    if (!axes && std::find(src.begin(), src.end(), unknown_dim) != src.end())
        throw not_supported("it removes all dims of 1, but not all dims are known");
    std::vector<bool> removed = mark(n, axes.value_or(std::vector<int64_t>{}), src.size());
    dims kept;
    for (size_t d = 0; d < src.size(); ++d) {
        if (!axes) removed[d] = src[d] == 1;
        if (removed[d] && src[d] != 1 && src[d] != unknown_dim) n.reject("axis {} has {} elements, not 1", d, src[d]);
        if (!removed[d]) kept.push_back(src[d]);
    }
    define_view(b, n, kept);
}

void map_unsqueeze(graph_builder &b, const onnx_node &n) {
    const dims &src = known_rank(b, n);
    const auto axes = known_list(b, n, "axes");
    if (!axes) n.reject("attribute axes is missing");
    const std::vector<bool> added = mark(n, *axes, src.size() + axes->size());
    dims result;
    auto next = src.begin();
    for (const bool is_new : added)
        result.push_back(is_new ? 1 : *next++);
    define_view(b, n, result);
}

void map_flatten(graph_builder &b, const onnx_node &n) {
    const dims &src = known_rank(b, n);
    const int64_t axis = n.integer("axis", 1);
    // The rank itself is an axis too: all dims go into the first.
    const size_t split = axis == static_cast<int64_t>(src.size()) ? src.size() : position(n, axis, src.size());
    const std::span<const int64_t> all(src);
    define_view(b, n, {product(n, all.first(split)), product(n, all.subspan(split))});
}

} // namespace onefold::impl::io
