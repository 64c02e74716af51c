// The header in a second translation unit.
#include <onefold/graph.hpp>

std::size_t count_cpu_engines();

std::size_t count_cpu_engines() { return onefold::engine::get_count(onefold::engine::kind::cpu); }
