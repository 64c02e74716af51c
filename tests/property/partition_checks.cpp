#include "tests/property/partition_checks.hpp"

#include <map>
#include <set>

namespace onefold_test {

namespace driver = onefold::driver;

namespace {

bool is_compiled(const impl::op &o) { return impl::is_compiled(o.schema().family); }

} // namespace

std::string check_ops(const driver::session &s, onefold::graph::partition::policy how) {
    std::map<size_t, size_t> seen;
    for (const driver::stage &part : s.stages()) {
        if (how == onefold::graph::partition::policy::debug && part.ops.size() != 1)
            return "policy debug: " + std::to_string(part.ops.size()) + " ops in a partition";
        for (const size_t id : part.ops) {
            ++seen[id];
            if (is_compiled(s.op(id)) != part.partition.is_supported())
                return impl::to_string(s.op(id)) + ": wrongly supported or not";
        }
        if (!part.partition.is_supported() && part.ops.size() != 1) return "ops that are not supported share a partition";
    }
    for (const impl::op &o : s.file().ops)
        if (seen[o.id] != 1) return impl::to_string(o) + " is in " + std::to_string(seen[o.id]) + " partitions";
    return "";
}

std::string check_ports(const driver::session &s) {
    std::map<size_t, size_t> partition_of_op;
    for (size_t i = 0; i < s.stages().size(); ++i)
        for (const size_t id : s.stages()[i].ops)
            partition_of_op[id] = i;
    std::map<size_t, size_t> produced_in;
    std::map<size_t, std::set<size_t>> consumed_in;
    for (const impl::op &o : s.file().ops) {
        for (const impl::logical_tensor &t : o.outputs)
            produced_in[t.id] = partition_of_op[o.id];
        for (const impl::logical_tensor &t : o.inputs)
            consumed_in[t.id].insert(partition_of_op[o.id]);
    }
    for (size_t i = 0; i < s.stages().size(); ++i) {
        const driver::stage &part = s.stages()[i];
        const std::set<size_t> inputs(part.inputs.begin(), part.inputs.end());
        const std::set<size_t> outputs(part.outputs.begin(), part.outputs.end());
        if (inputs.size() != part.inputs.size() || outputs.size() != part.outputs.size()) return "a port is listed twice";
        for (const auto &[id, consumers] : consumed_in) {
            const auto producer = produced_in.find(id);
            const bool needed = consumers.contains(i) && (producer == produced_in.end() || producer->second != i);
            if (needed != inputs.contains(id)) return "tensor " + std::to_string(id) + ": an input port is wrong";
            if (needed && producer != produced_in.end() && producer->second >= i)
                return "tensor " + std::to_string(id) + " is read too early";
        }
        for (const auto &[id, producer] : produced_in) {
            const std::set<size_t> &consumers = consumed_in[id];
            const bool inside_only = consumers.size() == 1 && consumers.contains(i);
            if ((producer == i && !inside_only) != outputs.contains(id))
                return "tensor " + std::to_string(id) + ": an output port is wrong";
        }
    }
    return "";
}

} // namespace onefold_test
