#include "tests/property/row_graph.hpp"

#include <algorithm>
#include <set>

#include "graph/shape_inference.hpp"

namespace onefold_test {

namespace {

constexpr impl::op_kind reductions[] = {onefold_op_reduce_sum, onefold_op_reduce_mean,       onefold_op_reduce_max,
                                        onefold_op_reduce_min, onefold_op_reduce_sum_square, onefold_op_reduce_l2,
                                        onefold_op_reduce_l1,  onefold_op_reduce_mean,       onefold_op_reduce_max};

constexpr impl::data_type border_types[] = {onefold_boolean, onefold_s8,  onefold_u8,  onefold_s32,
                                            onefold_s32,     onefold_s64, onefold_s64, onefold_u64};

/// Builds a graph whose largest tensors have the dims of the loop space.
class row_builder {
public:
    row_builder(random_source &random, const row_graph_options &options)
        : random_(random),
          options_(options),
          builder_(random, onefold_f32),
          sizes_(options.has_long_rows ? draw_long_rows() : draw_sizes()),
          is_reduced_(options.has_long_rows ? draw_long_axes() : draw_axes()) {
        for (int64_t i = random_.between(1, 2); i > 0; --i)
            values_.push_back(builder_.add_input(sizes_, random_small_float(random_)));
    }

    impl::io::graph_file build() {
        const auto ops = static_cast<size_t>(random_.between(1, options_.most_ops));
        while (builder_.op_count() < ops)
            add_op();
        for (size_t i = 0; i < values_.size(); ++i)
            if (is_computed(i) && random_.one_in(6)) builder_.add_end(values_[i]);
        return builder_.finish(random_.one_in(2));
    }

private:
    impl::dims draw_sizes() {
        static const std::vector<int64_t> usual = {1, 2, 3, 4, 5, 7, 17, 33, 49, 257, 1000};
        impl::dims sizes(static_cast<size_t>(random_.between(1, 4)));
        int64_t room = random_.one_in(20) ? 100000 : 4000;
        for (int64_t &size : sizes) {
            size = std::min(random_.pick(usual), std::max<int64_t>(room, 1));
            if (random_.one_in(100)) size = 0;
            room /= std::max<int64_t>(size, 1);
        }
        random_.shuffle(sizes);
        return sizes;
    }

    /// One dim is long, or two are long together.
    impl::dims draw_long_rows() {
        const int64_t length = random_.between(140000, 200000);
        impl::dims sizes = {length};
        if (random_.one_in(3)) {
            sizes.push_back(random_.between(2, 500));
            sizes[0] = length / sizes[1];
        }
        if (random_.one_in(2)) sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(random_.below(sizes.size() + 1)), 1);
        return sizes;
    }
    std::vector<bool> draw_long_axes() {
        std::vector<bool> reduced(sizes_.size(), true);
        // A second row, where there is a dim of 1.
        for (size_t i = 0; i < sizes_.size(); ++i)
            if (sizes_[i] == 1 && random_.one_in(2)) {
                sizes_[i] = 2;
                reduced[i] = false;
            }
        return reduced;
    }

    /// Mostly a run of dims at one of the ends, or in the middle.
    std::vector<bool> draw_axes() {
        const size_t rank = sizes_.size();
        std::vector<bool> reduced(rank, false);
        const size_t first = random_.below(rank);
        const size_t last = random_.one_in(2) ? rank : first + 1 + random_.below(rank - first);
        for (size_t i = first; i < last; ++i)
            reduced[i] = true;
        if (random_.one_in(5)) reduced[random_.below(rank)] = true;
        return reduced;
    }

    bool is_computed(size_t i) const {
        return i >= 2 || values_[i].layout != onefold_layout_strided; // sources come first, laid out
    }

    /// Mostly a late one, so that graphs become deep.
    const impl::logical_tensor &pick() {
        if (random_.one_in(2)) return values_[values_.size() - 1 - random_.below(std::min<size_t>(values_.size(), 3))];
        return values_[random_.below(values_.size())];
    }

    impl::logical_tensor in_type(const impl::logical_tensor &src, impl::data_type type) {
        return src.type == type ? src : builder_.add(onefold_op_type_cast, {src}, src.dims, type);
    }

    /// An operand from outside: full, of the kept dims, of the reduced ones, or of one element.
    impl::logical_tensor add_operand(impl::data_type type) {
        const uint64_t choice = random_.below(5);
        if (choice == 0) return builder_.add_input(random_.one_in(2) ? impl::dims() : impl::dims(1, 1), type);
        impl::dims dims = sizes_;
        for (size_t i = 0; choice > 1 && i < dims.size(); ++i)
            if (is_reduced_[i] == (choice < 4)) dims[i] = 1;
        while (!dims.empty() && dims.front() == 1 && random_.one_in(2))
            dims.erase(dims.begin());
        return random_.one_in(4) ? add_cast_input(dims, type) : builder_.add_input(dims, type);
    }

    /// What few integers go beyond the range of.
    impl::logical_tensor add_cast_input(const impl::dims &dims, impl::data_type type) {
        const auto outside = border_types[random_.below(type == onefold_f16 ? 3 : std::size(border_types))];
        const impl::logical_tensor src = builder_.add_input(dims, outside);
        if (random_.one_in(3)) values_.push_back(builder_.add(onefold_op_type_cast, {src}, dims, random_small_float(random_)));
        return builder_.add(onefold_op_type_cast, {src}, dims, type);
    }

    /// A result that is no float, and now and then a float again: that is another partition.
    void add_truncated(const impl::logical_tensor &src) {
        const auto dst = builder_.add(onefold_op_type_cast, {src}, src.dims, random_.pick(border_types));
        if (random_.one_in(4)) values_.push_back(builder_.add(onefold_op_type_cast, {dst}, src.dims, src.type));
    }

    impl::logical_tensor reduce(impl::op_kind kind, const impl::logical_tensor &src) {
        impl::dims dims = src.dims;
        std::vector<int64_t> axes;
        for (size_t i = 0; i < dims.size(); ++i)
            if (is_reduced_[i]) {
                axes.push_back(static_cast<int64_t>(i));
                dims[i] = 1;
            }
        return builder_.add(kind, {src}, dims, src.type, {{onefold_op_attr_axes, axes}, {onefold_op_attr_keep_dims, true}});
    }

    /// Around a mean or a maximum: their squares or exponentials are reduced again.
    void add_centred(const impl::logical_tensor &src) {
        if (src.dims != sizes_) return;
        const bool is_maximum = random_.one_in(2);
        const impl::logical_tensor centre = reduce(is_maximum ? onefold_op_reduce_max : onefold_op_reduce_mean, src);
        const bool is_negated = random_.one_in(4);
        const auto centred = builder_.add(onefold_op_subtract, is_negated ? std::vector{centre, src} : std::vector{src, centre},
                                          sizes_, src.type);
        const auto lifted = builder_.add(is_maximum ? onefold_op_exp : onefold_op_square, {centred}, sizes_, src.type);
        values_.push_back(random_.one_in(2) ? centred : lifted);
        values_.push_back(reduce(random_.one_in(2) ? onefold_op_reduce_sum : onefold_op_reduce_mean, lifted));
    }

    void add_reduction(const impl::logical_tensor &src) {
        const bool mixes_axes = random_.one_in(12) || src.dims.size() != sizes_.size();
        std::vector<int64_t> axes;
        const auto rank = static_cast<int64_t>(src.dims.size());
        for (int64_t i = 0; i < rank; ++i)
            if (mixes_axes ? random_.one_in(2) : is_reduced_[static_cast<size_t>(i)])
                axes.push_back(random_.one_in(2) ? i : i - rank);
        random_.shuffle(axes);
        const bool keep_dims = !random_.one_in(4);
        impl::dims dims;
        for (int64_t i = 0; i < rank; ++i) {
            const bool is_reduced =
                std::any_of(axes.begin(), axes.end(), [&](int64_t axis) { return axis == i || axis + rank == i; });
            if (!is_reduced || keep_dims) dims.push_back(is_reduced ? 1 : src.dims[static_cast<size_t>(i)]);
        }
        values_.push_back(builder_.add(random_.pick(reductions), {src}, dims, src.type,
                                       {{onefold_op_attr_axes, axes}, {onefold_op_attr_keep_dims, keep_dims}}));
    }

    void add_meeting(const impl::logical_tensor &x, const impl::logical_tensor &other) {
        if (const auto dims = impl::broadcast(x.dims, other.dims); !dims || impl::element_count(*dims) > 200000) return;
        const impl::logical_tensor y = in_type(other, x.type);
        if (random_.one_in(6))
            values_.push_back(builder_.add_nary(random_.one_in(2) ? std::vector{x, y} : std::vector{y, x}));
        else
            values_.push_back(random_.one_in(2) ? builder_.add_binary(x, y) : builder_.add_binary(y, x));
    }

    void add_op() {
        const impl::logical_tensor x = pick();
        if (options_.has_long_rows && random_.one_in(4)) return add_centred(x);
        const uint64_t choice = random_.below(17);
        if (choice < 4)
            values_.push_back(builder_.add_unary(x));
        else if (choice < 8)
            add_meeting(x, pick());
        else if (choice < 10)
            add_meeting(x, add_operand(x.type));
        else if (choice < 12)
            values_.push_back(in_type(x, random_small_float(random_)));
        else if (choice < 13)
            add_truncated(x);
        else if (choice < 16 || !options_.has_foreign_ops)
            add_reduction(x);
        else
            for (const impl::logical_tensor &result : builder_.add_foreign({x}))
                values_.push_back(result);
    }

    random_source &random_;
    row_graph_options options_;
    graph_builder builder_;
    impl::dims sizes_;
    std::vector<bool> is_reduced_;
    std::vector<impl::logical_tensor> values_;
};

} // namespace

impl::io::graph_file make_row_graph(random_source &random, const row_graph_options &options) {
    return row_builder(random, options).build();
}

open_graph forget_dims(impl::io::graph_file file) {
    std::set<size_t> produced;
    for (const impl::op &o : file.ops)
        for (const impl::logical_tensor &output : o.outputs)
            produced.insert(output.id);
    open_graph result;
    for (impl::op &o : file.ops)
        for (auto *ports : {&o.inputs, &o.outputs})
            for (impl::logical_tensor &t : *ports) {
                const bool is_source = !produced.contains(t.id);
                if (is_source) result.dims_of_sources[t.id] = t.dims;
                const impl::dims open(t.dims.size(), impl::unknown_dim);
                t = impl::make_logical_tensor(t.id, t.type, is_source ? t.ndims : impl::unknown_ndims,
                                              is_source ? open.data() : nullptr, nullptr, onefold_layout_any, 0, t.property);
            }
    result.file = std::move(file);
    return result;
}

} // namespace onefold_test
