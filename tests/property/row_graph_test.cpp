// Random graphs of ops that share a loop space: what may be fused into one partition, and what may not although it looks alike.
#include "tests/property/cases.hpp"
#include "tests/property/execution.hpp"
#include "tests/property/partition_checks.hpp"
#include "tests/property/row_graph.hpp"

using namespace onefold_test;
using policy = onefold::graph::partition::policy;

namespace {

std::string check(execution &e, policy how) {
    std::string wrong = check_ops(e.session(), how);
    if (wrong.empty()) wrong = check_ports(e.session());
    if (wrong.empty()) wrong = e.check();
    if (wrong.empty()) wrong = e.check_in_place();
    return wrong;
}

std::string run_rows(uint64_t seed, policy how, uint64_t *trusted = nullptr) {
    random_source random(seed);
    const impl::io::graph_file file = make_row_graph(random);
    execution e(file, static_cast<unsigned>(random.below(4)), how, seed);
    const std::string wrong = check(e, how);
    if (trusted) *trusted += e.is_trusted();
    return show_if_wrong(wrong, file);
}

TEST(row_graph, fused_is_within_the_bounds_of_the_reference) {
    uint64_t trusted = 0;
    uint64_t cases = 0;
    for_each_seed("row_graph.fused_is_within_the_bounds_of_the_reference", 4000, [&](uint64_t seed) {
        ++cases;
        return run_rows(seed, policy::fusion, &trusted);
    });
    // Some overflow, or divide by what may be zero.
    EXPECT_TRUE(cases < 500 || trusted * 3 > cases * 2) << trusted << " of " << cases;
}

TEST(row_graph, one_op_a_partition_is_within_the_bounds_of_the_reference) {
    for_each_seed("row_graph.one_op_a_partition_is_within_the_bounds_of_the_reference", 1500,
                  [](uint64_t seed) { return run_rows(seed, policy::debug); });
}

TEST(row_graph, gives_the_same_bits_with_1_2_and_3_threads) {
    for_each_seed("row_graph.gives_the_same_bits_with_1_2_and_3_threads", 1500, [](uint64_t seed) {
        random_source random(seed);
        const impl::io::graph_file file = make_row_graph(random);
        execution one(file, 1, policy::fusion, seed);
        std::string wrong;
        for (const unsigned threads : {2U, 3U}) {
            execution other(file, threads, policy::fusion, seed);
            if (wrong.empty()) wrong = one.check_same_bits(other);
        }
        return show_if_wrong(wrong, file);
    });
}

TEST(row_graph, of_rows_that_no_cache_holds_is_within_the_bounds_of_the_reference) {
    for_each_seed("row_graph.of_rows_that_no_cache_holds_is_within_the_bounds_of_the_reference", 300, [](uint64_t seed) {
        random_source random(seed);
        const impl::io::graph_file file = make_row_graph(random, {false, 8, true});
        execution e(file, 1, policy::fusion, seed);
        execution other(file, 3, policy::fusion, seed);
        std::string wrong = check(e, policy::fusion);
        if (wrong.empty()) wrong = e.check_same_bits(other);
        return show_if_wrong(wrong, file);
    });
}

TEST(row_graph, is_right_where_dims_are_told_at_compile_only) {
    for_each_seed("row_graph.is_right_where_dims_are_told_at_compile_only", 1500, [](uint64_t seed) {
        random_source random(seed);
        const open_graph open = forget_dims(make_row_graph(random));
        const policy how = random.one_in(4) ? policy::debug : policy::fusion;
        execution e(open.file, 1, how, seed, open.dims_of_sources);
        return show_if_wrong(check(e, how), open.file);
    });
}

TEST(row_graph, can_be_executed_in_the_order_of_its_partitions_with_foreign_ops_between) {
    for_each_seed("row_graph.can_be_executed_in_the_order_of_its_partitions_with_foreign_ops_between", 4000, [](uint64_t seed) {
        random_source random(seed);
        const impl::io::graph_file file = make_row_graph(random, {true, 60});
        const onefold::driver::session s(file, 1, policy::fusion);
        std::string wrong = check_ops(s, policy::fusion);
        if (wrong.empty()) wrong = check_ports(s);
        return show_if_wrong(wrong, file);
    });
}

TEST(row_graph, with_foreign_ops_between_is_within_the_bounds_of_the_reference) {
    for_each_seed("row_graph.with_foreign_ops_between_is_within_the_bounds_of_the_reference", 1500, [](uint64_t seed) {
        random_source random(seed);
        const impl::io::graph_file file = make_row_graph(random, {true, 20});
        execution e(file, static_cast<unsigned>(random.below(4)), policy::fusion, seed);
        return show_if_wrong(check(e, policy::fusion), file);
    });
}

} // namespace
