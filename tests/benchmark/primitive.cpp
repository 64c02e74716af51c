#include "tests/benchmark/primitive.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace onefold::bench {

namespace {

const dnnl::engine &onednn_cpu() {
    static const dnnl::engine only(dnnl::engine::kind::cpu, 0);
    return only;
}

/// Row-major strides, and as many leading 1s as make `rank` dims.
dnnl::memory::desc dense(const element &e, dims sizes, size_t rank) {
    sizes.insert(sizes.begin(), rank - sizes.size(), 1);
    dims strides(rank, 1);
    for (size_t i = rank - 1; i-- > 0;)
        strides[i] = strides[i + 1] * sizes[i + 1];
    return {sizes, *e.primitive, strides};
}

dims reduced(dims sizes, const dims &axes) {
    for (const int64_t axis : axes)
        sizes[static_cast<size_t>(axis)] = 1;
    return sizes;
}

using arguments = std::unordered_map<int, dnnl::memory>;

primitive ready(const dnnl::primitive_desc_base &descriptor, const dnnl::primitive &made, arguments args) {
    const dnnl::stream stream(onednn_cpu());
    auto run = [=, args = std::move(args)] { made.execute(stream, args); };
    return {std::move(run), std::string("oneDNN ") + descriptor.impl_info_str()};
}

primitive make_mean(const description &what, const operation &buffers) {
    const dims &sizes = what.srcs[0];
    const auto src = dense(*what.type, sizes, sizes.size());
    const auto dst = dense(*what.type, reduced(sizes, what.axes), sizes.size());
    const dnnl::reduction::primitive_desc descriptor(onednn_cpu(), dnnl::algorithm::reduction_mean, src, dst, 0, 0,
                                                     dnnl::primitive_attr(), true);
    if (!descriptor) return {};
    return ready(descriptor, dnnl::reduction(descriptor),
                 {{DNNL_ARG_SRC, {src, onednn_cpu(), buffers.src(0).data()}},
                  {DNNL_ARG_DST, {dst, onednn_cpu(), buffers.dst().data()}}});
}

primitive make_binary(const description &what, dnnl::algorithm algorithm, const operation &buffers) {
    const size_t rank = what.srcs[0].size();
    const auto src_0 = dense(*what.type, what.srcs[0], rank);
    const auto src_1 = dense(*what.type, what.srcs[1], rank);
    const dnnl::binary::primitive_desc descriptor(onednn_cpu(), algorithm, src_0, src_1, src_0, dnnl::primitive_attr(), true);
    if (!descriptor) return {};
    return ready(descriptor, dnnl::binary(descriptor),
                 {{DNNL_ARG_SRC_0, {src_0, onednn_cpu(), buffers.src(0).data()}},
                  {DNNL_ARG_SRC_1, {src_1, onednn_cpu(), buffers.src(1).data()}},
                  {DNNL_ARG_DST, {src_0, onednn_cpu(), buffers.dst().data()}}});
}

primitive make_layer_norm(const chain_description &what, const buffer &src, const buffer &dst) {
    const auto data = dense(*what.type, what.sizes, what.sizes.size());
    const dnnl::layer_normalization_forward::primitive_desc descriptor(
        onednn_cpu(), dnnl::prop_kind::forward_inference, data, data, 1e-5F,
        dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift, dnnl::primitive_attr(), true);
    if (!descriptor) return {};
    const dnnl::memory::desc weights({what.sizes.back()}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
    const dnnl::memory ones(weights, onednn_cpu());
    std::fill_n(static_cast<float *>(ones.get_data_handle()), what.sizes.back(), 1.0F); // unknown bits could be denormal: slow
    return ready(descriptor, dnnl::layer_normalization_forward(descriptor),
                 {{DNNL_ARG_SRC, {data, onednn_cpu(), src.data()}},
                  {DNNL_ARG_DST, {data, onednn_cpu(), dst.data()}},
                  {DNNL_ARG_SCALE, ones},
                  {DNNL_ARG_SHIFT, ones}});
}

primitive make_softmax(const chain_description &what, dnnl::algorithm algorithm, const buffer &src, const buffer &dst) {
    const auto data = dense(*what.type, what.sizes, what.sizes.size());
    const dnnl::softmax_forward::primitive_desc descriptor(onednn_cpu(), dnnl::prop_kind::forward_inference, algorithm, data,
                                                           data, static_cast<int>(what.axes[0]), dnnl::primitive_attr(), true);
    if (!descriptor) return {};
    return ready(descriptor, dnnl::softmax_forward(descriptor),
                 {{DNNL_ARG_SRC, {data, onednn_cpu(), src.data()}}, {DNNL_ARG_DST, {data, onednn_cpu(), dst.data()}}});
}

} // namespace

primitive make_primitive(const chain_description &what, const buffer &src, const buffer &dst) {
    if (!what.type->primitive || what.axes.size() != 1) return {};
    switch (what.kind) {
    case chain_kind::layer_norm: {
        const bool is_last = what.axes[0] + 1 == static_cast<int64_t>(what.sizes.size());
        return is_last ? make_layer_norm(what, src, dst) : primitive{};
    }
    case chain_kind::softmax:
        return make_softmax(what, dnnl::algorithm::softmax_accurate, src, dst);
    case chain_kind::log_softmax:
        return make_softmax(what, dnnl::algorithm::softmax_log, src, dst);
    default:
        return {};
    }
}

primitive make_primitive(const description &what, const operation &buffers) {
    if (!what.type->primitive || what.srcs[0].size() > DNNL_MAX_NDIMS) return {};
    switch (what.kind) {
    case graph::op::kind::ReduceMean:
        return make_mean(what, buffers);
    case graph::op::kind::Add:
        return make_binary(what, dnnl::algorithm::binary_add, buffers);
    case graph::op::kind::Maximum:
        return make_binary(what, dnnl::algorithm::binary_max, buffers);
    default:
        return {};
    }
}

} // namespace onefold::bench
