#pragma once

#include "io/graph_file.hpp"
#include "tests/property/random_source.hpp"

// Random ops and tensors. Everything is within what the ops are defined on, so that the library must take all of it.
namespace onefold_test {

namespace impl = onefold::impl;

/// Whether op kinds, types and casts that are an extension are drawn.
inline constexpr bool draws_extensions = true;

/// Sizes of rank 0 to 6, sometimes 20; some of them 1, few 0; now and then enough elements for several threads.
impl::dims random_dims(random_source &random);

/// Strides of a tensor that lies densely in any order of its dims, or with gaps; for a source also with strides of 0.
impl::dims random_strides(random_source &random, const impl::dims &sizes, bool is_source);

/// A tensor that can be broadcast to those sizes.
impl::dims random_broadcast(random_source &random, const impl::dims &sizes);

impl::data_type random_small_float(random_source &random);
/// What most tensors of a graph have: a small float, or with the extensions also f64 or an integer.
impl::data_type random_type(random_source &random);

/// Whether the next element-wise op is to be an n-ary one.
bool draws_nary(random_source &random);

/// Builds the ops of a graph one by one.
class graph_builder {
public:
    explicit graph_builder(random_source &random, impl::data_type type) : random_(random), type_(type) {}

    /// A tensor from outside, laid out in any way.
    impl::logical_tensor add_input(const impl::dims &sizes, impl::data_type type);
    impl::logical_tensor add_input(const impl::dims &sizes) { return add_input(sizes, type_); }

    /// A tensor from outside for so many axes.
    impl::logical_tensor add_axes(size_t count);

    // Each adds an op that reads `src` and returns what it produces, dims known, layout open.
    /// The axes are an attribute or come from outside, or there are none.
    impl::logical_tensor add_reduction(const impl::logical_tensor &src);
    /// The second operand comes from outside, broadcast or not, and may be either one.
    impl::logical_tensor add_binary(const impl::logical_tensor &src);
    impl::logical_tensor add_binary(const impl::logical_tensor &src_0, const impl::logical_tensor &src_1);
    /// Reads also up to 8 tensors from outside, in any order; they and the sources are broadcast to each other. The sources go
    /// together and have one type.
    impl::logical_tensor add_nary(std::vector<impl::logical_tensor> srcs);
    // Without extensions these take small floats: a source of another type gets a binary op instead.
    impl::logical_tensor add_unary(const impl::logical_tensor &src);
    impl::logical_tensor add_conversion(const impl::logical_tensor &src);
    /// An op that is not compiled, with any number of inputs and outputs.
    std::vector<impl::logical_tensor> add_foreign(std::vector<impl::logical_tensor> srcs);
    void add_end(const impl::logical_tensor &src);

    /// Any op; its output has those dims and that type.
    impl::logical_tensor add(impl::op_kind kind, std::vector<impl::logical_tensor> srcs, const impl::dims &sizes,
                             impl::data_type type, impl::attribute_map attributes = {});

    /// Gives the last op's output a layout, known dims or nothing.
    void lay_out_last();

    impl::io::graph_file finish(bool shuffled);
    size_t op_count() const { return file_.ops.size(); }

private:
    /// To any type, or to boolean and back.
    impl::logical_tensor add_cast(const impl::logical_tensor &src);

    random_source &random_;
    impl::data_type type_;
    impl::io::graph_file file_;
    size_t next_tensor_ = 0;
};

/// A line an op.
std::string text_of(const impl::io::graph_file &file);

/// A start op and up to 20 ops behind it, each reading the one before: one partition, where the start is no conversion and
/// none is n-ary.
struct random_chain {
    impl::io::graph_file file;
    bool is_one_partition;
};
random_chain make_chain(random_source &random);

} // namespace onefold_test
