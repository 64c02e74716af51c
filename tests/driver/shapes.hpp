#pragma once

#include "io/graph_file.hpp"
#include "tests/driver/knobs.hpp"

namespace onefold::driver {

/// Rewrites a graph file as the knobs say. Where shapes, attributes or kinds change, the dims of all tensors that ops
/// produce become unknown: the library infers them when it compiles. Throws bad_input where the knobs do not fit the file.
void rewrite(impl::io::graph_file &file, const graph_rewrite &knobs);

/// Strides that make `d` dense with its dims in the order of the tag's letters, outermost first: "acdb" is nhwc.
impl::dims strides_of_tag(const impl::dims &d, const std::string &tag);

/// The tag by which dense strides lie in memory; row-major where the strides do not tell.
std::string tag_of_strides(const impl::dims &d, const impl::dims &strides);

} // namespace onefold::driver
