#include "tests/driver/fill_input.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/commands.hpp"

namespace {

using namespace onefold;
using namespace onefold::driver;
using testing::HasSubstr;

using axes_list = std::vector<int64_t>;

/// All sets that come in many draws, normalised.
std::set<axes_list> sets_drawn(const impl::dims &src, const impl::dims &dst, bool keep_dims, size_t count) {
    random_source random(7);
    std::set<axes_list> sets;
    for (int i = 0; i < 400; ++i) {
        auto axes = draw_axes(random, src, dst, keep_dims, count);
        if (!axes) return {};
        for (int64_t &axis : *axes)
            if (axis < 0) axis += static_cast<int64_t>(src.size());
        std::sort(axes->begin(), axes->end());
        sets.insert(*axes);
    }
    return sets;
}

TEST(driver_fill_input, draws_every_set_of_axes_that_leads_to_dst) {
    using sets = std::set<axes_list>;
    EXPECT_EQ(sets_drawn({2, 3, 4}, {2, 4}, false, 1), (sets{{1}}));
    EXPECT_EQ(sets_drawn({3, 3, 3}, impl::dims(1, 3), false, 2), (sets{{0, 1}, {0, 2}, {1, 2}}));
    EXPECT_EQ(sets_drawn({2, 3, 2, 3}, {2, 3}, false, 2), (sets{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(sets_drawn({1, 4, 1}, {4, 1}, false, 1), (sets{{0}}));
    EXPECT_EQ(sets_drawn({1, 4, 1}, {1, 1, 1}, true, 2), (sets{{0, 1}, {1, 2}}));
    EXPECT_EQ(sets_drawn({1, 4, 1}, {1, 4, 1}, true, 1), (sets{{0}, {2}}));
    EXPECT_EQ(sets_drawn({5}, {}, false, 1), (sets{{0}}));
    EXPECT_EQ(sets_drawn({2, 3}, {2, 3}, false, 0), (sets{{}}));
}

TEST(driver_fill_input, draws_nothing_where_no_axes_lead_to_dst) {
    EXPECT_TRUE(sets_drawn({2, 3, 4}, {4, 2}, false, 1).empty());
    EXPECT_TRUE(sets_drawn({2, 3, 4}, {2, 4}, false, 2).empty());
    EXPECT_TRUE(sets_drawn({2, 3}, {2, 3}, true, 1).empty());
    EXPECT_TRUE(sets_drawn({2, 3}, {2, 2}, true, 1).empty());
    EXPECT_TRUE(sets_drawn({2, 3}, {1}, true, 2).empty());
}

std::string tensor(size_t id, const std::string &shape, const std::string &type = "f32") {
    return fmt::format(R"({{"id": {}, "dtype": "{}", "shape": {}, "layout_type": "any"}})", id, type, shape);
}

/// Two reductions over one tensor of axes.
session make_session(const std::string &second_src, const std::string &second_dst) {
    const auto op = [](size_t id, const std::string &src, const std::string &dst) {
        return fmt::format(R"({{"id": {}, "kind": "ReduceSum", "attrs": {{}}, "inputs": [{}, {}], "outputs": [{}]}})", id, src,
                           tensor(1, "[1]", "s64"), dst);
    };
    return session(impl::io::parse_graph(fmt::format(
        R"({{"graph": [{}, {}]}})", op(0, tensor(0, "[3, 3, 3]"), tensor(10, "[3, 3]")), op(1, second_src, second_dst))));
}

TEST(driver_fill_input, fits_all_that_read_the_axes) {
    session s = make_session(tensor(2, "[2, 3, 4]"), tensor(11, "[2, 4]"));
    s.compile();
    s.allocate();
    for (uint64_t seed = 0; seed < 20; ++seed) {
        for (const graph_input &input : s.inputs())
            fill_input(s, input, seed);
        const double axis = s.buffer_of(1).load(0);
        EXPECT_TRUE(axis == 1 || axis == -2) << axis;
        s.execute();
    }
}

/// How far from 1/16 values of an input come that meets the square of another in an op, whose result the next op reads.
double farthest_from_epsilon(const std::string &kind, const std::string &next, const std::string &shape) {
    const auto op = [](size_t id, const std::string &name, const std::string &srcs, size_t dst) {
        return fmt::format(R"({{"id": {}, "kind": "{}", "attrs": {{}}, "inputs": [{}], "outputs": [{}]}})", id, name, srcs,
                           tensor(dst, "[2, 2]"));
    };
    session s(impl::io::parse_graph(fmt::format(R"({{"graph": [{}, {}, {}]}})", op(0, "Square", tensor(0, "[2, 2]"), 2),
                                                op(1, kind, tensor(2, "[2, 2]") + "," + tensor(1, shape), 3),
                                                op(2, next, tensor(3, "[2, 2]"), 4))));
    s.compile();
    s.allocate();
    double largest = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        for (const graph_input &input : s.inputs())
            fill_input(s, input, seed);
        largest = std::max(largest, std::abs(s.buffer_of(1).load(0) - 0.0625));
    }
    return largest;
}

TEST(driver_fill_input, makes_epsilons_small_and_positive) {
    for (const std::string kind : {"Add", "Maximum"})
        for (const std::string next : {"Sqrt", "Log", "Reciprocal"})
            EXPECT_LE(farthest_from_epsilon(kind, next, "[1]"), 0.0625) << kind << " " << next;
    EXPECT_GT(farthest_from_epsilon("Add", "Exp", "[1]"), 0.0625);
    EXPECT_GT(farthest_from_epsilon("Subtract", "Sqrt", "[1]"), 0.0625);
    EXPECT_GT(farthest_from_epsilon("Add", "Sqrt", "[2]"), 0.0625);
}

TEST(driver_fill_input, says_so_where_nothing_fits_all) {
    // Only axis 0, or -4, leads the second to its dst; the first has no axis -4.
    session s = make_session(tensor(2, "[4, 3, 3, 3]"), tensor(11, "[3, 3, 3]"));
    s.compile();
    s.allocate();
    EXPECT_TRUE(is_axes(s, 1));
    EXPECT_FALSE(is_axes(s, 0));
    fill_input(s, {1, nullptr, 1}, 3);
    EXPECT_EQ(s.buffer_of(1).load(0), 0);
    // Axis 3, or -4: the first has neither.
    session impossible = make_session(tensor(2, "[2, 2, 2, 5, 6, 7, 8]"), tensor(11, "[2, 2, 2, 6, 7, 8]"));
    impossible.compile();
    impossible.allocate();
    try {
        fill_input(impossible, {1, nullptr, 1}, 3);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const bad_input &e) {
        EXPECT_THAT(e.what(), HasSubstr("op 0 (ReduceSum): no 1 axes"));
    }
}

} // namespace
