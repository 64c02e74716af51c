#pragma once

#include <string>
#include <vector>

#include "compile/ports.hpp"
#include "compile/program.hpp"

namespace onefold::impl {

/// A partition lowered for all that its steps depend on.
struct plan {
    program steps;
    std::vector<onefold_inplace_pair> inplace_pairs;
    std::string program_text; // what the steps compute that are programs
    std::string info;         // the steps' names, e.g. "onednn:reduction:jit:avx512_core"
};

/// Lowers a partition whose reductions all have their axes as attributes. Throws unimplemented where nothing computes it.
plan make_plan(const partition &p, const resolved_ports &ports);

} // namespace onefold::impl
