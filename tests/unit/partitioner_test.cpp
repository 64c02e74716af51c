#include <gtest/gtest.h>

#include "graph/partition.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::impl {
namespace {

/// Builds graphs of tensors of one shape; ids count up.
class partitioner : public testing::Test {
protected:
    void add(op_kind kind, const std::vector<size_t> &inputs, const std::vector<size_t> &outputs) {
        op o;
        o.id = next_op_++;
        o.kind = kind;
        for (const size_t id : inputs)
            o.inputs.push_back(make_dense(id, onefold_f32, {4, 4}));
        for (const size_t id : outputs)
            o.outputs.push_back(make_dense(id, onefold_f32, {4, 4}));
        if (o.schema().family == op_family::reduction) {
            o.raw_attributes[onefold_op_attr_axes] = std::vector<int64_t>{};
        }
        graph_.add_op(std::move(o));
    }

    /// "0+1 | 2! | 3": the ops of each partition in order; ! marks one that is not supported.
    std::string partitions(partition_policy policy = onefold_policy_fusion) {
        graph_.finalize();
        std::string text;
        for (const auto &p : make_partitions(graph_, partition_kinds(policy))) {
            text += text.empty() ? "" : " | ";
            for (size_t i = 0; i < p->ops.size(); ++i)
                text += (i == 0 ? "" : "+") + std::to_string(p->ops[i].id);
            if (!p->is_supported()) text += "!";
        }
        return text;
    }

    /// "in 0 1 out 5" of a partition.
    std::string ports(size_t index) {
        const auto all = make_partitions(graph_, partition_kinds(onefold_policy_fusion));
        std::string text = "in";
        for (const logical_tensor &t : all.at(index)->inputs)
            text += " " + std::to_string(t.id);
        text += " out";
        for (const logical_tensor &t : all.at(index)->outputs)
            text += " " + std::to_string(t.id);
        return text;
    }

private:
    graph graph_{onefold_cpu};
    size_t next_op_ = 0;
};

TEST_F(partitioner, a_reduction_takes_the_chain_behind_it) {
    add(onefold_op_reduce_sum, {0}, {1});
    add(onefold_op_relu, {1}, {2});
    add(onefold_op_add, {2, 10}, {3});
    add(onefold_op_subtract, {11, 3}, {4});
    EXPECT_EQ(partitions(), "0+1+2+3");
    EXPECT_EQ(ports(0), "in 0 10 11 out 4");
}

TEST_F(partitioner, policy_debug_gives_one_op_a_partition) {
    add(onefold_op_reduce_sum, {0}, {1});
    add(onefold_op_relu, {1}, {2});
    add(onefold_op_matmul, {2, 9}, {3});
    EXPECT_EQ(partitions(onefold_policy_debug), "0 | 1 | 2!");
}

TEST_F(partitioner, a_chain_has_up_to_20_ops_behind_the_first) {
    for (size_t i = 0; i < 45; ++i)
        add(onefold_op_abs, {i}, {i + 1});
    std::string expected;
    for (size_t i = 0; i < 45; ++i)
        expected += (i == 0 ? "" : i % 21 == 0 ? " | " : "+") + std::to_string(i);
    EXPECT_EQ(partitions(), expected);
}

TEST_F(partitioner, a_value_may_have_several_consumers) {
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_exp, {1}, {2});
    add(onefold_op_relu, {2}, {3});
    add(onefold_op_square, {2}, {4});
    EXPECT_EQ(partitions(), "0+1+2+3");
    EXPECT_EQ(ports(0), "in 0 out 3 4");
}

TEST_F(partitioner, a_value_may_be_read_twice_by_one_op) {
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_multiply, {1, 1}, {2});
    EXPECT_EQ(partitions(), "0+1");
    EXPECT_EQ(ports(0), "in 0 out 2");
}

TEST_F(partitioner, end_makes_its_tensor_leave) {
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_exp, {1}, {2});
    add(onefold_op_end, {1}, {});
    EXPECT_EQ(partitions(), "0+1 | 2!");
    EXPECT_EQ(ports(0), "in 0 out 1 2");
}

TEST_F(partitioner, what_comes_back_by_way_of_a_foreign_op_is_left_out) {
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_exp, {1}, {2});
    add(onefold_op_matmul, {1, 9}, {3});
    add(onefold_op_add, {2, 3}, {4});
    EXPECT_EQ(partitions(), "0+1 | 2! | 3");
}

TEST_F(partitioner, foreign_ops_are_partitions_of_their_own) {
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_matmul, {1, 9}, {2});
    add(onefold_op_wildcard, {2}, {3, 4});
    add(onefold_op_exp, {3}, {5});
    add(onefold_op_add, {5, 4}, {6});
    EXPECT_EQ(partitions(), "0 | 1! | 2! | 3+4");
    EXPECT_EQ(ports(3), "in 3 4 out 6");
}

TEST_F(partitioner, a_chain_waits_for_an_operand_that_a_foreign_op_makes) {
    // 0 -> Abs -> Add(MatMul's) : the chain begins before the MatMul, and must run behind it.
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_matmul, {8, 9}, {2});
    add(onefold_op_add, {1, 2}, {3});
    EXPECT_EQ(partitions(), "1! | 0+2");
}

TEST_F(partitioner, makes_no_cycle_around_a_foreign_op) {
    // The skip connection: x -> MatMul -> Add(x). Abs feeds both, so it cannot fuse with the Add.
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_matmul, {1, 9}, {2});
    add(onefold_op_add, {1, 2}, {3});
    EXPECT_EQ(partitions(), "0 | 1! | 2");
}

TEST_F(partitioner, two_chains_that_meet) {
    add(onefold_op_abs, {0}, {1});
    add(onefold_op_exp, {10}, {11});
    add(onefold_op_add, {1, 11}, {2});
    add(onefold_op_relu, {2}, {3});
    EXPECT_EQ(partitions(), "1 | 0+2+3");
    EXPECT_EQ(ports(1), "in 0 11 out 3");
}

TEST_F(partitioner, does_not_depend_on_the_order_in_which_ops_were_added) {
    add(onefold_op_relu, {2}, {3});
    add(onefold_op_matmul, {3, 9}, {4});
    add(onefold_op_reduce_max, {0}, {2});
    EXPECT_EQ(partitions(), "2+0 | 1!");
}

TEST_F(partitioner, an_empty_graph_has_no_partitions) { EXPECT_EQ(partitions(), ""); }

} // namespace
} // namespace onefold::impl
