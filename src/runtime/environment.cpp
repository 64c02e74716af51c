#include "runtime/environment.hpp"

#include <cstdlib>

namespace onefold::impl {

namespace {

bool dump_asks_for(const std::string &what) {
    const std::string list = "," + environment("ONEFOLD_GRAPH_DUMP") + ",";
    return list.find("," + what + ",") != std::string::npos;
}

} // namespace

std::string environment(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

int verbose_level() {
    // Read once: an execution must not pay for it.
    static const int level = std::atoi(environment("ONEFOLD_VERBOSE").c_str());
    return level;
}

bool dumps_graphs() { return dump_asks_for("graph"); }
bool dumps_subgraphs() { return dump_asks_for("subgraph"); }

} // namespace onefold::impl
