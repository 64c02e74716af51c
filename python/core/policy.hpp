#pragma once

#include <string>

#include "graph/error.hpp"
#include "io/json.hpp"
#include "onefold/graph.hpp"

namespace onefold::python {

/// "fusion" or "debug"; throws impl::error for anything else.
inline graph::partition::policy policy_of(const std::string &name) {
    if (name == "fusion") return graph::partition::policy::fusion;
    if (name == "debug") return graph::partition::policy::debug;
    impl::fail(onefold_invalid_arguments, "policy: \"{}\" is neither \"fusion\" nor \"debug\"", impl::io::printable(name));
}

} // namespace onefold::python
