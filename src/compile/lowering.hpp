#pragma once

#include <memory>

#include "compile/program_builder.hpp"
#include "compile/row_program.hpp"

namespace onefold::impl {

/// One way to compute. The list of all is in lowering.cpp.
struct lowering {
    std::string_view name; // as ONEFOLD_LOWERING has it
    /// The estimated time in nanoseconds; infinity where the computation is not supported. Must be cheap.
    double (*cost)(const computation &c);
    /// The step; nullptr where it turns out that it cannot be made.
    std::unique_ptr<step> (*make)(const computation &c);
};

/// Adds the steps that compute `c`: the cheapest lowering that takes it whole; else one for a part of the post-ops and the
/// rest behind it; else with operands brought into dense f32 first. Throws unimplemented where nothing computes it.
void lower(computation c, program_builder &builder);

/// Adds the step that computes a row program, if it has results at all; false where there is none.
bool try_lower(const row_program &p, program_builder &builder);

} // namespace onefold::impl
