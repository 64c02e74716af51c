#pragma once

#include <vector>

#include "compile/row_program.hpp"

namespace onefold::impl::simd {

/// A sum that the second pass of a row program makes over deviations, which are an element less a centre, or a centre less an
/// element. The centre is a mean or a maximum over the same elements, from the first pass. A block of elements can have its sum
/// around its own centre, while it is still in cache: once the centre of all blocks is known, the sum is moved to that.
struct online_sum {
    enum class form { deviations, squares, exponentials };
    form what;
    size_t reduction;        // instruction
    size_t centre;           // instruction
    bool is_negated = false; // deviations are the centre less an element
    size_t deviations = 0;   // of squares: the reduction that sums the deviations themselves
};

/// The sums of the second pass, to which the program is given what they need: beside squares, deviations are added up. Empty,
/// and nothing is changed, where not all of that pass can be made block by block.
std::vector<online_sum> add_online_sums(row_program &p);

// Sums of a block as they are around the centre of all blocks. `count`: elements of the block. `shift`: what that change adds
// to each deviation. Sums that are not finite do not become so, but for exponentials.

double moved_deviations(double sum, double count, double shift);
double moved_squares(double squares, double deviations, double count, double shift);
/// Around maxima. A block of -inf alone, whose exponentials around its own maximum are NaN, has none beside other elements.
double moved_exponentials(double sum, double block_maximum, double maximum);

} // namespace onefold::impl::simd
