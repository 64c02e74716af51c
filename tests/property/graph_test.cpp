// Random graphs: shared intermediates, several outputs, ops that are not compiled in between, End and Wildcard.
#include <algorithm>
#include <array>
#include <map>

#include "tests/property/cases.hpp"
#include "tests/property/execution.hpp"

using namespace onefold_test;
using policy = onefold::graph::partition::policy;
namespace driver = onefold::driver;

namespace {

impl::dims square_dims(random_source &random) {
    // Few shapes, so that many tensors can meet in one op.
    static const std::vector<impl::dims> shapes = {{4, 4}, {4, 4}, {4, 4}, {4}, {1, 4}, {4, 1}, {3, 4, 4}, {}, {2, 3, 1, 4}};
    return random.pick(shapes);
}

bool go_together(const impl::logical_tensor &a, const impl::logical_tensor &b) {
    for (size_t i = 1; i <= std::min(a.dims.size(), b.dims.size()); ++i) {
        const int64_t x = a.dims[a.dims.size() - i];
        const int64_t y = b.dims[b.dims.size() - i];
        if (x != y && x != 1 && y != 1) return false;
    }
    return a.type == b.type;
}

/// Adds one op that reads tensors out of `known` and adds what it produces to them.
void add_random_op(random_source &random, graph_builder &builder, std::vector<impl::logical_tensor> &known) {
    // Mostly the latest tensors, so that chains come about.
    const auto pick = [&]() -> const impl::logical_tensor & {
        return random.one_in(2) ? known.back() : known[random.below(known.size())];
    };
    const impl::logical_tensor x = pick();
    const impl::logical_tensor y = pick();
    const uint64_t choice = random.below(16);
    if (choice < 4)
        known.push_back(builder.add_unary(x));
    else if (choice < 7)
        known.push_back(draws_nary(random) ? builder.add_nary({x}) : builder.add_binary(x));
    else if (choice < 10 && go_together(x, y))
        known.push_back(draws_nary(random) ? builder.add_nary({x, y}) : builder.add_binary(x, y));
    else if (choice < 12)
        known.push_back(builder.add_reduction(x));
    else if (choice < 13)
        known.push_back(builder.add_conversion(x));
    else if (choice < 15) {
        const auto results = builder.add_foreign(random.one_in(2) ? std::vector{x} : std::vector{x, y});
        known.insert(known.end(), results.begin(), results.end());
    } else
        builder.add_end(x);
}

impl::io::graph_file make_graph(random_source &random) {
    graph_builder builder(random, random_type(random));
    std::vector<impl::logical_tensor> known;
    for (int64_t i = random.between(1, 3); i > 0; --i)
        known.push_back(builder.add_input(square_dims(random)));
    const auto ops = static_cast<size_t>(random.between(1, 25));
    while (builder.op_count() < ops)
        add_random_op(random, builder, known);
    return builder.finish(random.one_in(2));
}

bool is_compiled(const impl::op &o) { return impl::is_compiled(o.schema().family); }

/// "", or which op is not in exactly one partition, or in one of the wrong kind.
std::string check_ops(const driver::session &s, policy how) {
    std::map<size_t, size_t> seen;
    for (const driver::stage &part : s.stages()) {
        if (how == policy::debug && part.ops.size() != 1)
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

/// "", or which port a partition lacks or has without need, or reads before it is written.
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

std::string run_graph(uint64_t seed, policy how) {
    random_source random(seed);
    const impl::io::graph_file file = make_graph(random);
    execution e(file, static_cast<unsigned>(random.below(3)), how, seed);
    std::string wrong = check_ops(e.session(), how);
    if (wrong.empty()) wrong = check_ports(e.session());
    if (wrong.empty()) wrong = e.check();
    if (wrong.empty()) wrong = e.check_in_place();
    if (wrong.empty() && seed % 4 == 0) wrong = e.check_on_host(std::array{1U, 2U, 7U}[seed / 4 % 3]);
    if (wrong.empty()) wrong = e.check_with_other_axes(seed + 1);
    return show_if_wrong(wrong, file);
}

TEST(graph, partitions_are_complete_and_in_order_and_right) {
    for_each_seed("graph.partitions_are_complete_and_in_order_and_right", 3000,
                  [](uint64_t seed) { return run_graph(seed, policy::fusion); });
}

TEST(graph, one_op_a_partition_is_right) {
    for_each_seed("graph.one_op_a_partition_is_right", 1000, [](uint64_t seed) { return run_graph(seed, policy::debug); });
}

} // namespace
