// Random graphs: shared intermediates, several outputs, ops that are not compiled in between, End and Wildcard.
#include <algorithm>
#include <array>

#include "tests/property/cases.hpp"
#include "tests/property/execution.hpp"
#include "tests/property/partition_checks.hpp"

using namespace onefold_test;
using policy = onefold::graph::partition::policy;

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

std::string run_graph(uint64_t seed, policy how) {
    random_source random(seed);
    const impl::io::graph_file file = make_graph(random);
    execution e(file, static_cast<unsigned>(random.below(3)), how, seed);
    std::string wrong = check_ops(e.session(), how);
    if (wrong.empty()) wrong = check_ports(e.session());
    if (wrong.empty()) wrong = e.check();
    if (wrong.empty()) wrong = e.check_in_place();
    if (wrong.empty() && seed % 4 == 0) wrong = e.check_on_host(std::array{1U, 2U, 7U}[seed / 4 % 3]);
    if (wrong.empty() && seed % 4 == 1) wrong = e.check_with_open_dims();
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
