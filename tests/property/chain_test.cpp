// Random ops with chains of ops behind them, over random shapes, axes, strides and types.
#include <array>

#include "tests/property/cases.hpp"
#include "tests/property/execution.hpp"

using namespace onefold_test;
using policy = onefold::graph::partition::policy;

namespace {

std::string run_chain(uint64_t seed, uint64_t &trusted) {
    random_source random(seed);
    const random_chain chain = make_chain(random);
    const auto threads = static_cast<unsigned>(random.below(4));
    execution fused(chain.file, threads, policy::fusion, seed);
    std::string wrong = fused.check();
    trusted += fused.is_trusted();
    if (wrong.empty() && chain.is_one_partition && fused.session().stages().size() != 1)
        wrong = std::to_string(fused.session().stages().size()) + " partitions";
    if (wrong.empty()) wrong = fused.check_in_place();
    if (wrong.empty() && seed % 4 == 0) {
        execution other(chain.file, threads == 1 ? 2 : 1, policy::fusion, seed);
        wrong = fused.check_same_bits(other);
    }
    if (wrong.empty() && seed % 4 == 1) wrong = fused.check_on_host(std::array{1U, 2U, 7U}[seed / 4 % 3]);
    if (wrong.empty() && seed % 4 == 2) wrong = fused.check_with_open_dims();
    for (uint64_t i = 1; i < 4 && wrong.empty(); ++i)
        wrong = fused.check_with_other_axes(seed + i);
    return show_if_wrong(wrong, chain.file);
}

TEST(chain, fused_is_within_the_bounds_of_the_reference) {
    uint64_t trusted = 0;
    uint64_t cases = 0;
    for_each_seed("chain.fused_is_within_the_bounds_of_the_reference", 6000, [&](uint64_t seed) {
        ++cases;
        return run_chain(seed, trusted);
    });
    // Of many chains nothing can be said: they overflow, or divide by what may be zero. Not of most.
    EXPECT_TRUE(cases < 1000 || trusted * 4 > cases * 3) << trusted << " of " << cases;
}

TEST(chain, one_op_a_partition_is_within_the_bounds_of_the_reference) {
    for_each_seed("chain.one_op_a_partition_is_within_the_bounds_of_the_reference", 2000, [](uint64_t seed) {
        random_source random(seed);
        const random_chain chain = make_chain(random);
        execution e(chain.file, 0, policy::debug, seed);
        std::string wrong = e.check();
        if (wrong.empty() && e.session().stages().size() != chain.file.ops.size()) wrong = "not one op a partition";
        if (wrong.empty()) wrong = e.check_in_place();
        return show_if_wrong(wrong, chain.file);
    });
}

} // namespace
