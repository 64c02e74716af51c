#include "compile/axes_input.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "compile/compiled_partition.hpp"
#include "graph/error.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::impl {
namespace {

using axes_list = std::vector<int64_t>;

op reduction(bool keep_dims, empty_axes if_empty = empty_axes::identity) {
    op o;
    o.id = 7;
    o.kind = onefold_op_reduce_sum;
    o.attributes = reduction_attributes{{}, keep_dims, if_empty};
    o.inputs = {make_dense(0, onefold_f32, {}), make_dense(1, onefold_s64, {1})};
    o.outputs = {make_dense(2, onefold_f32, {})};
    return o;
}

axes_input input_of(const dims &src, const dims &dst, size_t count) { return {0, 1, count, src, dst}; }

/// All sets of axes of that number that lead from src to dst, by trying each.
std::vector<axes_list> sets_that_lead(const dims &src, const dims &dst, size_t count, bool keep_dims) {
    std::vector<axes_list> sets;
    for (uint64_t bits = 0; bits < uint64_t{1} << src.size(); ++bits) {
        axes_list axes;
        dims result;
        for (size_t i = 0; i < src.size(); ++i) {
            const bool reduced = (bits >> i & 1) != 0;
            if (reduced) axes.push_back(static_cast<int64_t>(i));
            if (!reduced || keep_dims) result.push_back(reduced ? 1 : src[i]);
        }
        if (axes.size() == count && result == dst) sets.push_back(axes);
    }
    return sets;
}

/// What is left of axes without those of dims of 1.
axes_list without_ones(const dims &src, const axes_list &axes) {
    axes_list result;
    for (const int64_t axis : axes)
        if (src[static_cast<size_t>(axis)] != 1) result.push_back(axis);
    return result;
}

void check_all_dsts(const dims &src, bool keep_dims) {
    for (uint64_t bits = 0; bits < uint64_t{1} << src.size(); ++bits) {
        dims dst;
        size_t count = 0;
        for (size_t i = 0; i < src.size(); ++i) {
            const bool reduced = (bits >> i & 1) != 0;
            if (reduced) ++count;
            if (!reduced || keep_dims) dst.push_back(reduced ? 1 : src[i]);
        }
        if (count == 0) continue;
        SCOPED_TRACE(to_string(src) + " to " + to_string(dst));
        const auto sets = sets_that_lead(src, dst, count, keep_dims);
        const possible_axes found = find_possible_axes(reduction(keep_dims), input_of(src, dst, count));
        EXPECT_NE(std::find(sets.begin(), sets.end(), found.axes), sets.end());
        const axes_list what_counts = without_ones(src, sets[0]);
        const bool is_only_way =
            std::all_of(sets.begin(), sets.end(), [&](const auto &set) { return without_ones(src, set) == what_counts; });
        EXPECT_EQ(found.is_only_way, is_only_way);
    }
}

TEST(axes_input, finds_the_axes_and_whether_there_are_others) {
    for (const dims &src : {dims{2},
                            {2, 3},
                            {3, 3},
                            {1, 3},
                            {3, 1, 3},
                            {1, 1, 1},
                            {2, 2, 2, 2},
                            {1, 2, 1, 2, 1},
                            {2, 1, 3, 2, 1, 3},
                            {4, 3, 4, 1, 1, 4, 3},
                            {0, 2, 0},
                            {0, 0, 1}})
        for (const bool keep_dims : {false, true})
            check_all_dsts(src, keep_dims);
}

TEST(axes_input, leads_to_dst_and_nowhere_else) {
    const axes_input input = input_of({2, 3, 2}, {2, 3}, 1);
    EXPECT_TRUE(leads_to_dst(input, false, axes_list{2}));
    EXPECT_FALSE(leads_to_dst(input, false, axes_list{0}));
    EXPECT_FALSE(leads_to_dst(input, false, axes_list{1}));
    EXPECT_FALSE(leads_to_dst(input, true, axes_list{2}));
    EXPECT_FALSE(leads_to_dst(input, false, axes_list{}));
    EXPECT_TRUE(leads_to_dst(input_of({2, 3, 2}, {1, 3, 2}, 1), true, axes_list{0}));
    EXPECT_TRUE(leads_to_dst(input_of({}, {}, 0), false, axes_list{}));
}

TEST(axes_input, no_axes_mean_what_the_attributes_say) {
    const auto leads = [](empty_axes meaning, bool keep_dims, const dims &dst) {
        try {
            return find_possible_axes(reduction(keep_dims, meaning), input_of({2, 3}, dst, 0)).is_only_way;
        } catch (const error &e) {
            EXPECT_EQ(e.code(), onefold_invalid_shape);
            return false;
        }
    };
    for (const bool keep_dims : {false, true}) {
        for (const empty_axes meaning : {empty_axes::identity, empty_axes::reduce_none}) {
            EXPECT_TRUE(leads(meaning, keep_dims, {2, 3}));
            EXPECT_FALSE(leads(meaning, keep_dims, {}));
            EXPECT_FALSE(leads(meaning, keep_dims, {1, 1}));
        }
        EXPECT_FALSE(leads(empty_axes::reduce_all, keep_dims, {2, 3}));
    }
    EXPECT_TRUE(leads(empty_axes::reduce_all, false, {}));
    EXPECT_TRUE(leads(empty_axes::reduce_all, true, {1, 1}));
}

/// Two reductions in one partition, as no pattern makes them yet: the first removes an axis of src, the second one of that.
partition two_reductions() {
    graph g(onefold_cpu);
    const auto add = [&](size_t id, size_t src, const dims &src_dims, size_t axes, size_t dst, const dims &dst_dims) {
        op o;
        o.id = id;
        o.kind = onefold_op_reduce_sum;
        o.inputs = {make_dense(src, onefold_f32, src_dims), make_dense(axes, onefold_s32, {1})};
        o.outputs = {make_dense(dst, onefold_f32, dst_dims)};
        g.add_op(std::move(o));
    };
    add(0, 0, {2, 2, 2}, 1, 10, {2, 2});
    add(1, 10, {2, 2}, 2, 11, {2});
    g.finalize();
    partition p;
    p.pattern = partition_kinds(onefold_policy_debug)[0];
    p.ops = g.ops();
    p.inputs = {p.ops[0].inputs[0], p.ops[0].inputs[1], p.ops[1].inputs[1]};
    p.outputs = {p.ops[1].outputs[0]};
    return p;
}

TEST(axes_input, two_in_one_partition) {
    const partition p = two_reductions();
    const auto e = std::make_shared<engine>(onefold_cpu, 0, allocator{});
    const auto compiled = compile(p, p.inputs, p.outputs, *e);
    stream s(e, 1);
    std::vector<float> src = {1, 2, 4, 8, 16, 32, 64, 128};
    const auto run = [&](int32_t first, int32_t second) {
        std::vector<float> dst(2, -1);
        const bound_tensor inputs[] = {{&p.inputs[0], src.data()}, {&p.inputs[1], &first}, {&p.inputs[2], &second}};
        const bound_tensor outputs[] = {{&p.outputs[0], dst.data()}};
        compiled->execute(s, inputs, outputs, nullptr, 0);
        return dst;
    };
    for (int round = 0; round < 2; ++round) {
        // What is left is the axis that neither removes.
        EXPECT_EQ(run(1, 1), (std::vector<float>{15, 240}));
        EXPECT_EQ(run(-1, -1), (std::vector<float>{15, 240}));
        EXPECT_EQ(run(0, 1), (std::vector<float>{51, 204}));
        EXPECT_EQ(run(2, 0), (std::vector<float>{51, 204}));
        EXPECT_EQ(run(0, 0), (std::vector<float>{85, 170}));
        EXPECT_EQ(run(1, 0), (std::vector<float>{85, 170}));
    }
    try {
        run(0, 2);
        ADD_FAILURE() << "nothing was thrown";
    } catch (const error &failure) {
        EXPECT_EQ(failure.code(), onefold_invalid_arguments);
        EXPECT_STREQ(failure.what(), "op 1 (ReduceSum): axis 2 is not in [-2, 1], the range for a src of rank 2");
    }
}

} // namespace
} // namespace onefold::impl
