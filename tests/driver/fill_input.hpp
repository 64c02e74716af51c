#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/driver/random_source.hpp"
#include "tests/driver/session.hpp"

namespace onefold::driver {

/// Draws, of all the sets of `count` axes that lead a reduction from src to dst, one, in any order, counted from either end;
/// nullopt where there is none. No axes lead anywhere: what they mean is the op's own.
std::optional<std::vector<int64_t>> draw_axes(random_source &random, const impl::dims &src, const impl::dims &dst,
                                              bool keep_dims, size_t count);

/// True for a tensor that holds a reduction's axes.
bool is_axes(const session &s, size_t tensor_id);

/// Fills the buffer of a graph's input, once the graph is compiled: as fill() does for what reads
/// it, behind casts from float to float; a tensor of axes by draw_axes(), an epsilon by fill_with_epsilons(). Throws bad_input
/// where no axes fit what reads them, or the dims of that are not known.
void fill_input(session &s, const graph_input &input, uint64_t seed);

} // namespace onefold::driver
