#pragma once

#include <string>

#include "tests/driver/session.hpp"
#include "tests/property/random_graph.hpp"

namespace onefold_test {

/// "", or which op is not in exactly one partition, or in one of the wrong kind.
std::string check_ops(const onefold::driver::session &s, onefold::graph::partition::policy how);

/// "", or which port a partition lacks or has without need, or reads before it is written where the partitions are executed in
/// the order given.
std::string check_ports(const onefold::driver::session &s);

} // namespace onefold_test
