#include "compile/loop_space.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace onefold::impl {
namespace {

/// A reduction over the dims marked R in `kinds`, K being kept; dst is dense.
computation reduction(const dims &sizes, const std::string &kinds, const dims &src_strides) {
    computation c;
    c.kind = computation_kind::reduce;
    c.op = onefold_op_reduce_sum;
    c.space.sizes = sizes;
    for (const char kind : kinds)
        c.space.reduced.push_back(kind == 'R');
    c.src = {{0, onefold_f32, src_strides}};
    c.dst = {1, onefold_f32, dense_kept_strides(c.space)};
    return c;
}

computation reduction(const dims &sizes, const std::string &kinds) { return reduction(sizes, kinds, row_major_strides(sizes)); }

computation binary(const dims &sizes, const dims &src_0, const dims &src_1, const dims &dst) {
    computation c;
    c.kind = computation_kind::binary;
    c.op = onefold_op_add;
    c.space = {sizes, std::vector<bool>(sizes.size(), false)};
    c.src = {{0, onefold_f32, src_0}, {1, onefold_f32, src_1}};
    c.dst = {2, onefold_f32, dst};
    return c;
}

/// "K7 R35": kind and size of each dim.
std::string text_of(const loop_space &space) {
    std::string text;
    for (size_t i = 0; i < space.rank(); ++i)
        text += (text.empty() ? "" : " ") + std::string(space.reduced[i] ? "R" : "K") + std::to_string(space.sizes[i]);
    return text;
}

std::string canonical(computation c) {
    canonicalise(c);
    return text_of(c.space);
}

/// Each element's offsets in all operands.
std::vector<dims> visited(const computation &c) {
    std::vector<const dims *> strides;
    for (const operand &src : c.src)
        strides.push_back(&src.strides);
    strides.push_back(&c.dst.strides);
    for (const post_op &p : c.post_ops)
        strides.push_back(&p.other.strides);
    std::vector<dims> all;
    const int64_t count = kept_count(c.space) * reduced_count(c.space);
    for (int64_t i = 0; i < count; ++i) {
        dims offsets(strides.size(), 0);
        int64_t rest = i;
        for (size_t d = c.space.rank(); d-- > 0;) {
            for (size_t k = 0; k < strides.size(); ++k)
                offsets[k] += rest % c.space.sizes[d] * (*strides[k])[d];
            rest /= c.space.sizes[d];
        }
        all.push_back(offsets);
    }
    std::sort(all.begin(), all.end());
    return all;
}

TEST(loop_space, every_kind_of_axes_of_a_dense_tensor) {
    EXPECT_EQ(canonical(reduction({2, 3, 4, 5}, "KKRR")), "K6 R20");
    EXPECT_EQ(canonical(reduction({2, 3, 4, 5}, "RRKK")), "R6 K20");
    EXPECT_EQ(canonical(reduction({2, 3, 4, 5}, "KRRK")), "K2 R12 K5");
    EXPECT_EQ(canonical(reduction({2, 3, 4, 5}, "RRRR")), "R120");
    EXPECT_EQ(canonical(reduction({2, 3, 4, 5}, "RKRR")), "R2 K3 R20");
    EXPECT_EQ(canonical(reduction({2, 3, 4, 5}, "RKRK")), "R2 K3 R4 K5");
}

TEST(loop_space, ones_are_dropped) {
    EXPECT_EQ(canonical(reduction({1, 2, 1, 3, 1}, "RKRKK")), "R1 K6");
    EXPECT_EQ(canonical(reduction({1, 2, 1, 3, 1}, "KKKRK")), "K2 R3");
    EXPECT_EQ(canonical(reduction({1, 1, 1}, "RKR")), "R1");
    EXPECT_EQ(canonical(reduction({1, 1, 1}, "KKK")), "K1");
    EXPECT_EQ(canonical(reduction({}, "")), "K1");
    EXPECT_EQ(canonical(reduction({4, 1, 5}, "KRK")), "R1 K20");
}

TEST(loop_space, a_large_rank_collapses) {
    EXPECT_EQ(canonical(reduction(dims(40, 1), std::string(40, 'R'))), "R1");
    dims sizes(65, 1);
    sizes[64] = 3;
    EXPECT_EQ(canonical(reduction(sizes, std::string(64, 'K') + "R")), "R3");
    EXPECT_EQ(canonical(reduction(dims(20, 2), std::string(10, 'K') + std::string(10, 'R'))), "K1024 R1024");
    std::string alternating;
    for (int i = 0; i < 10; ++i)
        alternating += "RK";
    computation c = reduction(dims(20, 2), alternating);
    canonicalise(c);
    EXPECT_EQ(c.space.rank(), 20U);
}

TEST(loop_space, permuted_dims_are_ordered_by_stride) {
    // nchw dims in nhwc memory: the mean over h and w, over c, over n.
    const dims nhwc = {60, 1, 20, 5};
    EXPECT_EQ(canonical(reduction({2, 5, 3, 4}, "KKRR", nhwc)), "K2 R12 K5");
    EXPECT_EQ(canonical(reduction({2, 5, 3, 4}, "KRKK", nhwc)), "K24 R5");
}

TEST(loop_space, gaps_keep_dims_apart) {
    EXPECT_EQ(canonical(reduction({3, 4, 5}, "KRR", {40, 10, 1})), "K3 R4 R5");
    EXPECT_EQ(canonical(reduction({3, 4, 5}, "KRR", {40, 10, 2})), "K3 R20");
    EXPECT_EQ(canonical(reduction({3, 4}, "RR", {0, 0})), "R12");
}

TEST(loop_space, a_broadcast_operand_keeps_dims_apart) {
    EXPECT_EQ(canonical(binary({3, 4}, {4, 1}, {4, 1}, {4, 1})), "K12");
    EXPECT_EQ(canonical(binary({3, 4}, {4, 1}, {0, 1}, {4, 1})), "K3 K4");
    EXPECT_EQ(canonical(binary({3, 4}, {4, 1}, {0, 0}, {4, 1})), "K12");
    EXPECT_EQ(canonical(binary({2, 3, 4}, {12, 4, 1}, {0, 4, 1}, {12, 4, 1})), "K2 K12");
    EXPECT_EQ(canonical(binary({3, 4}, {1, 3}, {1, 3}, {1, 3})), "K12");
    EXPECT_EQ(canonical(binary({3, 4}, {1, 3}, {1, 3}, {4, 1})), "K3 K4");
}

TEST(loop_space, a_post_op_keeps_dims_apart) {
    computation c = reduction({3, 4, 5}, "KKR");
    c.post_ops.push_back({onefold_op_add, true, {}, {2, onefold_f32, {0, 1, 0}}, false});
    canonicalise(c);
    EXPECT_EQ(text_of(c.space), "K3 K4 R5");
    EXPECT_EQ(c.post_ops[0].other.strides, (dims{0, 1, 0}));
}

/// A random computation over a space of up to 7 dims, with strides of any kind.
computation random_computation(std::mt19937 &random) {
    const size_t rank = random() % 8;
    dims sizes(rank);
    std::string kinds(rank, 'K');
    for (size_t i = 0; i < rank; ++i) {
        sizes[i] = random() % 3 == 0 ? 1 : 1 + static_cast<int64_t>(random() % 4);
        kinds[i] = random() % 2 == 0 ? 'R' : 'K';
    }
    const auto random_strides = [&](bool repeats) {
        std::vector<size_t> order(rank);
        for (size_t i = 0; i < rank; ++i)
            order[i] = i;
        if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
        dims strides(rank, 0);
        int64_t next = 1 + static_cast<int64_t>(random() % 2);
        for (const size_t d : order) {
            if (repeats && random() % 4 == 0) continue;
            strides[d] = next;
            next = next * sizes[d] + (random() % 3 == 0 ? 2 : 0);
        }
        return strides;
    };
    computation c = reduction(sizes, kinds, random_strides(true));
    if (random() % 2 == 0) {
        dims other = random_strides(true);
        for (size_t i = 0; i < rank; ++i)
            if (c.space.reduced[i]) other[i] = 0;
        c.post_ops.push_back({onefold_op_add, true, {}, {2, onefold_f32, other}, false});
    }
    return c;
}

TEST(loop_space, canonicalising_visits_the_same_elements) {
    std::mt19937 random(7);
    for (int i = 0; i < 500; ++i) {
        const computation before = random_computation(random);
        computation after = before;
        canonicalise(after);
        ASSERT_EQ(visited(before), visited(after)) << text_of(before.space) << " became " << text_of(after.space);
        ASSERT_EQ(kept_count(before.space), kept_count(after.space));
        ASSERT_EQ(reduced_count(before.space), reduced_count(after.space));
        ASSERT_GE(after.space.rank(), 1U);
        const bool reduces =
            std::find(before.space.reduced.begin(), before.space.reduced.end(), true) != before.space.reduced.end();
        EXPECT_EQ(std::find(after.space.reduced.begin(), after.space.reduced.end(), true) != after.space.reduced.end(),
                  reduces);
        computation again = after;
        canonicalise(again);
        EXPECT_EQ(text_of(again.space), text_of(after.space)) << "canonicalising twice is not canonicalising once";
    }
}

TEST(loop_space, broadcast_strides_align_at_the_right) {
    EXPECT_EQ(broadcast_strides({4}, {1}, {2, 3, 4}), (dims{0, 0, 1}));
    EXPECT_EQ(broadcast_strides({3, 1}, {1, 1}, {2, 3, 4}), (dims{0, 1, 0}));
    EXPECT_EQ(broadcast_strides({}, {}, {2, 3}), (dims{0, 0}));
    EXPECT_EQ(broadcast_strides({2, 3}, {9, 3}, {2, 3}), (dims{9, 3}));
    EXPECT_EQ(broadcast_strides({1}, {1}, {1}), (dims{0}));
}

TEST(loop_space, counts_and_kept_strides) {
    const computation c = reduction({2, 3, 4, 5}, "KRKR");
    EXPECT_EQ(kept_count(c.space), 8);
    EXPECT_EQ(reduced_count(c.space), 15);
    EXPECT_EQ(dense_kept_strides(c.space), (dims{4, 0, 1, 0}));
}

} // namespace
} // namespace onefold::impl
