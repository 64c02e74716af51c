#pragma once

#include <memory>

#include "compile/program_builder.hpp"
#include "compile/row_program.hpp"

namespace onefold::impl {

/// How a lowering does one kind of work: a computation or a row program.
template <typename Work>
struct way {
    /// The estimated time in nanoseconds; infinity where the work is not supported. Must be cheap.
    double (*cost)(const Work &work);
    /// The step; nullptr where it turns out that it cannot be made.
    std::unique_ptr<step> (*make)(const Work &work);
};

/// One way to compute. The list of all is in lowering.cpp.
struct lowering {
    std::string_view name; // as ONEFOLD_LOWERING has it
    way<computation> computations;
    way<row_program> row_programs;
    /// Pairs of an input's and an output's buffer that its step of a row program lets be the same memory.
    std::vector<std::pair<size_t, size_t>> (*find_overwrites)(const row_program &p);
};

/// Adds the steps that compute `c`: the cheapest lowering that takes it whole; else one for a part of the post-ops and the
/// rest behind it; else with operands brought into dense f32 first. Throws unimplemented where nothing computes it.
void lower(computation c, program_builder &builder);

/// Adds the step that computes a row program, the cheapest lowering's, if it has results at all; false where there is none.
bool try_lower(const row_program &p, program_builder &builder);

/// Likewise for the program of one op, which cannot be taken apart: where the lowering that ONEFOLD_LOWERING asks for has no
/// step, any other's will do.
bool try_lower_op(const row_program &p, program_builder &builder);

} // namespace onefold::impl
