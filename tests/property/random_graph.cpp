#include "tests/property/random_graph.hpp"

#include <algorithm>
#include <numeric>

#include "graph/shape_inference.hpp"

namespace onefold_test {

namespace {

constexpr impl::op_kind reductions[] = {onefold_op_reduce_sum, onefold_op_reduce_mean, onefold_op_reduce_max,
                                        onefold_op_reduce_min, onefold_op_reduce_prod, onefold_op_reduce_l1,
                                        onefold_op_reduce_l2};

constexpr impl::op_kind naries[] = {onefold_op_max, onefold_op_min, onefold_op_sum, onefold_op_mean};

constexpr impl::op_kind binaries[] = {onefold_op_add,     onefold_op_subtract, onefold_op_multiply,          onefold_op_divide,
                                      onefold_op_maximum, onefold_op_minimum,  onefold_op_squared_difference};

struct unary_choice {
    impl::op_kind kind;
    impl::attribute_map attributes;
    bool needs_positive = false; // not defined, or not continuous, at 0 and below
    bool grows = false;          // what follows may overflow
};

const unary_choice unaries[] = {
    {onefold_op_abs, {}},
    {onefold_op_clamp, {{onefold_op_attr_min, -1.5F}, {onefold_op_attr_max, 3.0F}}},
    {onefold_op_elu, {{onefold_op_attr_alpha, 0.75F}}},
    {onefold_op_exp, {}, false, true},
    {onefold_op_gelu, {}},
    {onefold_op_gelu, {{onefold_op_attr_mode, std::string("gelu_tanh")}}},
    {onefold_op_hard_sigmoid, {{onefold_op_attr_alpha, 0.25F}, {onefold_op_attr_beta, 0.5F}}},
    {onefold_op_hard_swish, {}},
    {onefold_op_leaky_relu, {{onefold_op_attr_alpha, 0.125F}}},
    {onefold_op_log, {}, true},
    {onefold_op_mish, {}},
    {onefold_op_neg, {}},
    {onefold_op_pow, {{onefold_op_attr_beta, 2.0F}}, false, true},
    {onefold_op_pow, {{onefold_op_attr_beta, 0.5F}}, true},
    {onefold_op_pow, {{onefold_op_attr_beta, -1.5F}}, true},
    {onefold_op_pow, {{onefold_op_attr_beta, 1.5F}}, true},
    {onefold_op_pow, {{onefold_op_attr_beta, -2.0F}}, true},
    {onefold_op_pow, {{onefold_op_attr_beta, 3.0F}}, false, true},
    {onefold_op_pow, {{onefold_op_attr_beta, 0.25F}}, true},
    {onefold_op_reciprocal, {}, true},
    {onefold_op_relu, {}},
    {onefold_op_round, {}},
    {onefold_op_sigmoid, {}},
    {onefold_op_softplus, {}},
    {onefold_op_softplus, {{onefold_op_attr_beta, 2.0F}}},
    {onefold_op_sqrt, {}, true},
    {onefold_op_square, {}, false, true},
    {onefold_op_tanh, {}},
};

const unary_choice integer_unaries[] = {
    {onefold_op_abs, {}},
    {onefold_op_clamp, {{onefold_op_attr_min, -100.5F}, {onefold_op_attr_max, 100.0F}}},
    {onefold_op_clamp, {{onefold_op_attr_min, 7.25F}, {onefold_op_attr_max, 1e30F}}},
    {onefold_op_pow, {{onefold_op_attr_beta, 0.0F}}},
    {onefold_op_pow, {{onefold_op_attr_beta, 3.0F}}},
    {onefold_op_relu, {}},
    {onefold_op_square, {}},
    {onefold_op_neg, {}}, // the last: only of those with a sign
};

constexpr impl::data_type all_types[] = {onefold_f32, onefold_bf16, onefold_f16, onefold_f64, onefold_s8,  onefold_u8,
                                         onefold_s16, onefold_u16,  onefold_s32, onefold_u32, onefold_s64, onefold_u64};

const impl::attribute_map positive = {{onefold_op_attr_min, 0.125F}, {onefold_op_attr_max, 16.0F}};
const impl::attribute_map moderate = {{onefold_op_attr_min, -8.0F}, {onefold_op_attr_max, 8.0F}};

bool is_small_float(impl::data_type type) { return impl::contains(impl::small_floats, type); }

impl::op_kind random_reduction(random_source &random, impl::data_type type) {
    if (!draws_extensions || !random.one_in(5)) return random.pick(reductions);
    if (!impl::contains(impl::wide_numbers, type)) return onefold_op_reduce_sum_square;
    return random.pick(std::initializer_list<impl::op_kind>{onefold_op_reduce_sum_square, onefold_op_reduce_log_sum,
                                                            onefold_op_reduce_log_sum_exp, onefold_op_reduce_log_sum_exp});
}

impl::logical_tensor known(size_t id, impl::data_type type, const impl::dims &sizes) {
    return impl::make_logical_tensor(id, type, static_cast<int64_t>(sizes.size()), sizes.data(), nullptr, onefold_layout_any, 0,
                                     onefold_property_undef);
}

} // namespace

impl::dims random_dims(random_source &random) {
    const bool tall = random.one_in(12);
    impl::dims sizes(static_cast<size_t>(tall ? random.between(7, 20) : random.between(0, 6)));
    int64_t room = random.one_in(20) ? 400000 : 3000;
    for (int64_t &size : sizes) {
        if (random.one_in(60))
            size = 0;
        else if (random.one_in(4) || (tall && random.one_in(2)))
            size = 1;
        else
            size = random.one_in(4) ? random.between(2, 700) : random.between(2, 9);
        size = std::min(size, room);
        room /= std::max<int64_t>(size, 1);
    }
    random.shuffle(sizes);
    return sizes;
}

impl::dims random_strides(random_source &random, const impl::dims &sizes, bool is_source) {
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (random.one_in(2)) random.shuffle(order);
    const bool gaps = random.one_in(3);
    const bool repeats = is_source && random.one_in(6);
    impl::dims strides(sizes.size());
    int64_t next = gaps && random.one_in(2) ? random.between(1, 3) : 1;
    for (size_t i = order.size(); i-- > 0;) {
        if (repeats && random.one_in(3)) continue; // 0
        strides[order[i]] = next;
        if (sizes[order[i]] > 1) next *= sizes[order[i]];
        if (gaps && random.one_in(2) && next < 1000000) next += random.between(0, 3);
    }
    return strides;
}

impl::dims random_broadcast(random_source &random, const impl::dims &sizes) {
    impl::dims result = sizes;
    if (random.one_in(3)) return result;
    if (random.one_in(3)) return {};
    if (!result.empty() && random.one_in(2))
        result.erase(result.begin(), result.begin() + random.between(0, static_cast<int64_t>(result.size()) - 1));
    for (int64_t &size : result)
        if (random.one_in(3)) size = 1;
    return result;
}

impl::data_type random_small_float(random_source &random) {
    return random.pick(std::initializer_list<impl::data_type>{onefold_f32, onefold_f32, onefold_bf16, onefold_f16});
}

impl::data_type random_type(random_source &random) {
    if (!draws_extensions || random.one_in(2)) return random_small_float(random);
    return random.pick(std::initializer_list<impl::data_type>{onefold_f64, onefold_f64, onefold_s8, onefold_u8, onefold_s16,
                                                              onefold_u16, onefold_s32, onefold_u32, onefold_s64, onefold_u64});
}

bool draws_nary(random_source &random) { return draws_extensions && random.one_in(4); }

impl::logical_tensor graph_builder::add_input(const impl::dims &sizes, impl::data_type type) {
    const impl::dims strides = random_.one_in(2) ? random_strides(random_, sizes, true) : impl::row_major_strides(sizes);
    return impl::make_logical_tensor(next_tensor_++, type, static_cast<int64_t>(sizes.size()), sizes.data(), strides.data(),
                                     onefold_layout_strided, 0, onefold_property_undef);
}

impl::logical_tensor graph_builder::add(impl::op_kind kind, std::vector<impl::logical_tensor> srcs, const impl::dims &sizes,
                                        impl::data_type type, impl::attribute_map attributes) {
    impl::op o;
    o.id = file_.ops.size();
    o.kind = kind;
    o.name = "op";
    o.raw_attributes = std::move(attributes);
    o.inputs = std::move(srcs);
    o.outputs = {known(next_tensor_++, type, sizes)};
    file_.ops.push_back(o);
    return o.outputs[0];
}

impl::logical_tensor graph_builder::add_axes(size_t count) {
    const impl::dims sizes(1, static_cast<int64_t>(count));
    const impl::dims strides(1, random_.one_in(4) ? random_.between(1, 3) : 1);
    return impl::make_logical_tensor(next_tensor_++, random_.one_in(2) ? onefold_s32 : onefold_s64, 1, sizes.data(),
                                     strides.data(), onefold_layout_strided, 0, onefold_property_undef);
}

impl::logical_tensor graph_builder::add_reduction(const impl::logical_tensor &src) {
    const auto rank = static_cast<int64_t>(src.dims.size());
    std::vector<int64_t> axes;
    const bool all = random_.one_in(6);
    for (int64_t i = 0; i < rank; ++i)
        if (all || random_.one_in(2)) axes.push_back(random_.one_in(2) ? i : i - rank);
    random_.shuffle(axes);
    impl::attribute_map attributes;
    if (random_.one_in(4)) attributes[onefold_op_attr_noop_with_empty_axes] = random_.one_in(2);
    const bool none_are_all = axes.empty() && attributes.contains(onefold_op_attr_noop_with_empty_axes) &&
                              !std::get<bool>(attributes.at(onefold_op_attr_noop_with_empty_axes));
    std::vector<bool> reduced(src.dims.size(), none_are_all);
    for (const int64_t axis : axes)
        reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
    const bool keep_dims = random_.one_in(2);
    impl::dims sizes;
    for (size_t i = 0; i < src.dims.size(); ++i)
        if (!reduced[i] || keep_dims) sizes.push_back(reduced[i] ? 1 : src.dims[i]);
    if (keep_dims || random_.one_in(2)) attributes[onefold_op_attr_keep_dims] = keep_dims;
    std::vector<impl::logical_tensor> srcs = {src};
    const bool may_have_neither = axes.empty() && attributes.contains(onefold_op_attr_noop_with_empty_axes);
    if (random_.one_in(3))
        srcs.push_back(add_axes(axes.size()));
    else if (!may_have_neither || random_.one_in(2))
        attributes[onefold_op_attr_axes] = axes;
    return add(random_reduction(random_, src.type), std::move(srcs), sizes, src.type, attributes);
}

impl::logical_tensor graph_builder::add_binary(const impl::logical_tensor &src) {
    const impl::op_kind kind = random_.pick(binaries);
    const bool is_product = kind == onefold_op_multiply || kind == onefold_op_divide;
    const bool mixes = is_product && is_small_float(src.type);
    const impl::data_type type = mixes && random_.one_in(4) ? random_small_float(random_) : src.type;
    const impl::logical_tensor other = add_input(random_broadcast(random_, src.dims), type);
    const impl::data_type result = mixes && random_.one_in(4) ? random_small_float(random_) : src.type;
    // What has been computed may be 0; of floats it is clamped.
    const bool is_dividend = kind == onefold_op_divide && !impl::is_floating(src.type);
    if (is_dividend || !random_.one_in(3)) return add(kind, {src, other}, src.dims, result);
    if (kind != onefold_op_divide) return add(kind, {other, src}, src.dims, result);
    const impl::logical_tensor divisor = add(onefold_op_clamp, {src}, src.dims, src.type, positive);
    return add(kind, {other, divisor}, src.dims, result);
}

impl::logical_tensor graph_builder::add_binary(const impl::logical_tensor &src_0, const impl::logical_tensor &src_1) {
    const impl::op_kind kind = random_.pick(binaries);
    impl::logical_tensor second = src_1;
    if (kind == onefold_op_divide && impl::is_floating(src_1.type))
        second = add(onefold_op_clamp, {src_1}, src_1.dims, src_1.type, positive);
    return add(kind, {src_0, second}, *impl::broadcast(src_0.dims, src_1.dims), src_0.type);
}

impl::logical_tensor graph_builder::add_nary(std::vector<impl::logical_tensor> srcs) {
    const impl::data_type type = srcs[0].type;
    impl::dims sizes = srcs[0].dims;
    for (const impl::logical_tensor &src : srcs)
        sizes = *impl::broadcast(sizes, src.dims);
    const bool grows = random_.one_in(4) && sizes.size() < 20 && impl::element_count(sizes) < 3000;
    if (grows) sizes.insert(sizes.begin(), random_.between(2, 3));
    const int64_t others = random_.between(grows ? 1 : 0, 9 - static_cast<int64_t>(srcs.size()));
    for (int64_t i = 0; i < others; ++i)
        srcs.push_back(add_input(grows && i == 0 ? sizes : random_broadcast(random_, sizes), type));
    random_.shuffle(srcs);
    const size_t kinds = std::size(naries) - (impl::is_floating(type) ? 0 : 1); // Mean is the last
    return add(naries[random_.below(kinds)], std::move(srcs), sizes, type);
}

impl::logical_tensor graph_builder::add_unary(const impl::logical_tensor &src) {
    if (!draws_extensions && !is_small_float(src.type)) return add_binary(src);
    if (!impl::is_floating(src.type)) {
        const bool has_sign = impl::contains(impl::signed_integers, src.type);
        const auto &choice = integer_unaries[random_.below(std::size(integer_unaries) - (has_sign ? 0 : 1))];
        return add(choice.kind, {src}, src.dims, src.type, choice.attributes);
    }
    const unary_choice &choice = random_.pick(unaries);
    impl::logical_tensor x = src;
    if (choice.needs_positive) x = add(onefold_op_clamp, {x}, x.dims, x.type, positive);
    x = add(choice.kind, {x}, x.dims, x.type, choice.attributes);
    if (choice.grows && random_.one_in(2)) x = add(onefold_op_clamp, {x}, x.dims, x.type, moderate);
    return x;
}

impl::logical_tensor graph_builder::add_conversion(const impl::logical_tensor &src) {
    if (random_.one_in(3)) return add(onefold_op_reorder, {src}, src.dims, src.type);
    if (draws_extensions && random_.one_in(2)) return add_cast(src);
    if (!is_small_float(src.type)) return add_binary(src);
    const impl::data_type half = random_.one_in(2) ? onefold_bf16 : onefold_f16;
    return add(onefold_op_type_cast, {src}, src.dims, src.type == onefold_f32 ? half : onefold_f32);
}

impl::logical_tensor graph_builder::add_cast(const impl::logical_tensor &src) {
    if (!random_.one_in(6)) {
        const impl::data_type type = random_.pick(all_types);
        return add(type == src.type ? onefold_op_reorder : onefold_op_type_cast, {src}, src.dims, type);
    }
    impl::logical_tensor truth = add(onefold_op_type_cast, {src}, src.dims, onefold_boolean);
    if (!truth.dims.empty() && random_.one_in(2)) {
        const impl::op_kind kind = random_.one_in(2) ? onefold_op_reduce_max : onefold_op_reduce_min;
        const impl::dims kept(truth.dims.begin() + 1, truth.dims.end());
        truth = add(kind, {truth}, kept, onefold_boolean, {{onefold_op_attr_axes, std::vector<int64_t>{0}}});
    }
    return add(onefold_op_type_cast, {truth}, truth.dims, src.type);
}

std::vector<impl::logical_tensor> graph_builder::add_foreign(std::vector<impl::logical_tensor> srcs) {
    const bool product = srcs.size() == 2 && srcs[0].dims.size() == 2 && srcs[0].dims == srcs[1].dims &&
                         srcs[0].dims[0] == srcs[0].dims[1] && srcs[0].type == srcs[1].type && is_small_float(srcs[0].type);
    const impl::logical_tensor first = srcs.front();
    std::vector<impl::logical_tensor> results = {
        add(product ? onefold_op_matmul : onefold_op_wildcard, std::move(srcs), first.dims, first.type)};
    while (!product && random_.one_in(3)) {
        results.push_back(known(next_tensor_++, first.type, first.dims));
        file_.ops.back().outputs.push_back(results.back());
    }
    return results;
}

void graph_builder::add_end(const impl::logical_tensor &src) {
    add(onefold_op_end, {src}, {}, src.type);
    file_.ops.back().outputs.clear();
}

void graph_builder::lay_out_last() {
    impl::logical_tensor &dst = file_.ops.back().outputs.front();
    if (random_.one_in(3)) return;
    if (random_.one_in(3) && !impl::has_axes_input(file_.ops.back())) {
        dst = impl::make_logical_tensor(dst.id, dst.type, impl::unknown_ndims, nullptr, nullptr, onefold_layout_undef, 0,
                                        onefold_property_undef);
        return;
    }
    const impl::dims strides = random_strides(random_, dst.dims, false);
    dst = impl::make_logical_tensor(dst.id, dst.type, static_cast<int64_t>(dst.dims.size()), dst.dims.data(), strides.data(),
                                    onefold_layout_strided, 0, onefold_property_undef);
}

impl::io::graph_file graph_builder::finish(bool shuffled) {
    file_.version = "3.7.0";
    if (shuffled) random_.shuffle(file_.ops);
    return std::move(file_);
}

std::string text_of(const impl::io::graph_file &file) {
    std::string text;
    for (const impl::op &o : file.ops) {
        text += "  " + impl::to_string(o);
        for (const auto &[name, value] : o.raw_attributes)
            text += " " + std::string(impl::name_of(name)) + "=" + impl::to_string(value);
        for (const impl::logical_tensor &input : o.inputs)
            text += " " + std::to_string(input.id) + ":" + impl::to_string(input);
        text += " ->";
        for (const impl::logical_tensor &output : o.outputs)
            text += " " + std::to_string(output.id) + ":" + impl::to_string(output);
        text += "\n";
    }
    return text;
}

random_chain make_chain(random_source &random) {
    graph_builder builder(random, random_type(random));
    impl::logical_tensor x = builder.add_input(random_dims(random));
    const uint64_t start = random.below(8);
    bool has_nary = draws_nary(random);
    if (has_nary)
        x = builder.add_nary({x});
    else if (start < 4)
        x = builder.add_reduction(x);
    else if (start < 5)
        x = builder.add_binary(x);
    else if (start < 7)
        x = builder.add_unary(x);
    else
        x = builder.add_conversion(x);
    const int64_t length = random.one_in(3) ? random.between(1, 20) : random.between(0, 3);
    while (builder.op_count() < static_cast<size_t>(length) + 1) {
        const bool is_nary = draws_nary(random) && random.one_in(4);
        has_nary = has_nary || is_nary;
        if (is_nary)
            x = builder.add_nary({x});
        else
            x = random.one_in(2) ? builder.add_unary(x) : builder.add_binary(x);
    }
    const bool fits = builder.op_count() <= 21; // an op may have come with clamps
    builder.lay_out_last();
    return {builder.finish(random.one_in(4)), fits && start < 7 && !has_nary};
}

} // namespace onefold_test
