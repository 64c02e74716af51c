#pragma once

#include <map>

#include "tests/property/random_graph.hpp"

namespace onefold_test {

/// What goes into a random graph over rows.
struct row_graph_options {
    bool has_foreign_ops = false;
    int64_t most_ops = 20;
    /// Few rows of more elements than a cache holds; some are taken less their mean or maximum, and reduced again.
    bool has_long_rows = false;
};

/// Up to that many ops that share one loop space: unary, binary and n-ary ops, casts among f32, bf16 and f16, from integers and
/// booleans and to them, and reductions over the same axes. Values are used several times and several come out; operands from
/// outside are full, reduced, broadcast along the kept or the reduced dims, or scalars. Now and then a reduction goes over
/// other axes.
impl::io::graph_file make_row_graph(random_source &random, const row_graph_options &options = {});

/// A graph that knows no dims but the ranks of its sources, and what they are.
struct open_graph {
    impl::io::graph_file file;
    std::map<size_t, impl::dims> dims_of_sources;
};
open_graph forget_dims(impl::io::graph_file file);

} // namespace onefold_test
