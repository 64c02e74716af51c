// Building graphs: what is refused and how the message says so; partitions and what they tell.
#include <algorithm>

#include "api/helpers.hpp"

namespace onefold_test {
namespace {

logical_tensor open_f32(size_t id) { return {id, data_type::f32}; }

op relu(size_t id, size_t src, size_t dst) { return {id, op::kind::ReLU, {open_f32(src)}, {open_f32(dst)}}; }

graph finalized(const std::vector<op> &ops) {
    graph g(engine::kind::cpu);
    for (const op &o : ops)
        g.add_op(o);
    g.finalize();
    return g;
}

TEST(graph, wants_the_cpu) {
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"engine kind 2"}, [] { graph(engine::kind::gpu); }));
    EXPECT_TRUE(
        fails(onefold_invalid_arguments, {"math mode 77"}, [] { graph(engine::kind::cpu, static_cast<fpmath_mode>(77)); }));
}

TEST(graph, keeps_the_fpmath_mode) {
    graph g(engine::kind::cpu, fpmath_mode::bf16);
    fpmath_mode mode = fpmath_mode::any;
    bool apply_to_int = true;
    g.get_fpmath_mode(mode, apply_to_int);
    EXPECT_EQ(mode, fpmath_mode::bf16);
    EXPECT_FALSE(apply_to_int);
    g.set_fpmath_mode(fpmath_mode::tf32, true);
    g.get_fpmath_mode(mode, apply_to_int);
    EXPECT_EQ(mode, fpmath_mode::tf32);
    EXPECT_TRUE(apply_to_int);
    g.set_fpmath_mode(fpmath_mode::strict);
    g.get_fpmath_mode(mode, apply_to_int);
    EXPECT_FALSE(apply_to_int);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"math mode 77"}, [&] { g.set_fpmath_mode(static_cast<fpmath_mode>(77)); }));
}

TEST(graph, refuses_a_second_op_of_an_id) {
    graph g(engine::kind::cpu);
    EXPECT_EQ(g.add_op(relu(4, 0, 1)), status::success);
    EXPECT_TRUE(fails(onefold_invalid_graph, {"op 4 (ReLU)", "already"}, [&] { g.add_op(relu(4, 1, 2)); }));
}

TEST(graph, refuses_ops_after_finalize) {
    graph g = finalized({relu(0, 0, 1)});
    EXPECT_TRUE(g.is_finalized());
    EXPECT_TRUE(fails(onefold_invalid_graph, {"op 1 (ReLU)", "finalized"}, [&] { g.add_op(relu(1, 1, 2)); }));
    EXPECT_NO_THROW(g.finalize()) << "a second time changes nothing";
}

TEST(graph, cannot_be_partitioned_before_finalize) {
    graph g(engine::kind::cpu);
    g.add_op(relu(0, 0, 1));
    EXPECT_FALSE(g.is_finalized());
    EXPECT_TRUE(fails(onefold_invalid_graph, {"not finalized"}, [&] { g.get_partitions(); }));
}

TEST(graph, add_op_without_exceptions_returns_the_status) {
    graph g(engine::kind::cpu);
    EXPECT_EQ(g.add_op(op(3, op::kind::ReLU), false), status::invalid_graph_op);
    EXPECT_NE(std::string(onefold_last_error()).find("op 3 (ReLU)"), std::string::npos) << onefold_last_error();
    EXPECT_EQ(g.add_op(op(), false), status::invalid_arguments);
    EXPECT_EQ(graph().add_op(relu(0, 0, 1), false), status::invalid_arguments);
    EXPECT_EQ(g.add_op(relu(3, 0, 1), false), status::success) << "what was refused is not in the graph";
}

TEST(graph, refuses_wrong_ports) {
    graph g(engine::kind::cpu);
    const logical_tensor t = open_f32(0);
    const auto refused = [&](const op &o, std::initializer_list<const char *> words) {
        return fails(onefold_invalid_graph_op, words, [&] { g.add_op(o); });
    };
    EXPECT_TRUE(refused(op(3, op::kind::ReLU), {"op 3 (ReLU)", "input", "missing"}));
    EXPECT_TRUE(refused(op(3, op::kind::ReLU, {t}, {}), {"op 3 (ReLU)", "output", "missing"}));
    EXPECT_TRUE(refused(op(3, op::kind::ReLU, {t, open_f32(1)}, {open_f32(2)}), {"op 3 (ReLU)", "2 inputs", "at most 1"}));
    EXPECT_TRUE(refused(op(3, op::kind::Add, {t}, {open_f32(2)}), {"op 3 (Add)", "input src_1", "missing"}));
    EXPECT_TRUE(
        refused(op(3, op::kind::Add, {t, {1, data_type::bf16}}, {open_f32(2)}), {"op 3 (Add)", "src_1", "bf16", "f32"}));
    EXPECT_TRUE(refused(op(3, op::kind::ReLU, {{0, data_type::boolean}}, {{1, data_type::boolean}}),
                        {"op 3 (ReLU)", "src", "boolean", "allowed"}));
}

TEST(graph, refuses_wrong_attributes) {
    graph g(engine::kind::cpu);
    const auto refused = [&](const op &o, std::initializer_list<const char *> words) {
        return fails(onefold_invalid_graph_op, words, [&] { g.add_op(o); });
    };
    EXPECT_TRUE(refused(op(3, op::kind::ReduceMean, {open_f32(0)}, {open_f32(1)}), {"op 3 (ReduceMean)", "axes"}));
    EXPECT_TRUE(refused(op(3, op::kind::LeakyReLU, {open_f32(0)}, {open_f32(1)}), {"op 3 (LeakyReLU)", "alpha", "missing"}));
    EXPECT_TRUE(refused(relu(3, 0, 1).set_attr<float>(op::attr::alpha, 1), {"op 3 (ReLU)", "alpha"}));
    op add(3, op::kind::Add, {open_f32(0), open_f32(1)}, {open_f32(2)});
    EXPECT_TRUE(refused(add.set_attr<std::string>(op::attr::auto_broadcast, "sideways"),
                        {"op 3 (Add)", "auto_broadcast", "sideways", "numpy"}));
}

TEST(graph, refuses_a_cycle) {
    EXPECT_TRUE(fails(onefold_invalid_graph, {"cycle"}, [] { finalized({relu(0, 0, 1), relu(1, 1, 0)}); }));
    EXPECT_TRUE(fails(onefold_invalid_graph, {"cycle"}, [] { finalized({relu(0, 0, 0)}); }));
}

TEST(graph, refuses_a_tensor_produced_twice) {
    EXPECT_TRUE(fails(onefold_invalid_graph, {"tensor 5", "op 0 (ReLU)", "op 1 (ReLU)"}, [] {
        finalized({relu(0, 0, 5), relu(1, 1, 5)});
    }));
}

TEST(graph, refuses_an_id_that_stands_for_two_tensors) {
    const op first(0, op::kind::ReLU, {f32(0, {2, 3})}, {f32(1, {2, 3})});
    const op other_dims(1, op::kind::ReLU, {f32(1, {3, 2})}, {open_f32(2)});
    EXPECT_TRUE(fails(onefold_invalid_graph, {"tensor 1", "op 0 (ReLU)", "op 1 (ReLU)", "2x3", "3x2"}, [&] {
        finalized({first, other_dims});
    }));
    const op other_type(1, op::kind::ReLU, {{1, data_type::bf16}}, {{2, data_type::bf16}});
    EXPECT_TRUE(fails(onefold_invalid_graph, {"tensor 1", "bf16", "f32"}, [&] { finalized({first, other_type}); }));
    EXPECT_NO_THROW(finalized({first, relu(1, 1, 2)})) << "what one leaves open, the other may say";
}

TEST(graph, without_ops_has_no_partitions) { EXPECT_TRUE(finalized({}).get_partitions().empty()); }

TEST(graph, fuses_unless_told_not_to) {
    const logical_tensor src = f32(0, {2, 3});
    graph g = finalized({reduce_mean(10, src, open_f32(1)), relu(11, 1, 2)});
    const auto fused = g.get_partitions();
    ASSERT_EQ(fused.size(), 1U);
    EXPECT_EQ(fused[0].get_ops_num(), 2U);
    EXPECT_EQ(fused[0].get_ops(), (std::vector<size_t>{10, 11}));
    const auto single = g.get_partitions(partition::policy::debug);
    ASSERT_EQ(single.size(), 2U);
    EXPECT_EQ(single[0].get_ops(), std::vector<size_t>{10});
    EXPECT_EQ(single[1].get_ops(), std::vector<size_t>{11});
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"policy 9"}, [&] { g.get_partitions(static_cast<partition::policy>(9)); }));
}

TEST(graph, gives_foreign_ops_back_as_unsupported_partitions_in_an_order_to_execute) {
    const op foreign(1, op::kind::PReLU, {open_f32(1), f32(9, {3})}, {open_f32(2)});
    graph g = finalized({relu(2, 2, 3), foreign, relu(0, 0, 1)});
    const auto partitions = g.get_partitions();
    ASSERT_EQ(partitions.size(), 3U);
    for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(partitions[i].get_ops(), std::vector<size_t>{i});
        EXPECT_EQ(partitions[i].is_supported(), i != 1);
    }
    const engine cpu(engine::kind::cpu, 0);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 1 (PReLU)", "not supported"}, [&] {
        partitions[1].compile({f32(1, {2, 3})}, {f32(2, {2, 3})}, cpu);
    }));
}

TEST(partition, tells_its_ports_and_outlives_its_graph) {
    std::vector<partition> partitions;
    {
        const op add(1, op::kind::Add, {open_f32(1), f32(2, {2, 1})}, {open_f32(3)});
        graph g = finalized({relu(0, 0, 1), add});
        partitions = g.get_partitions(partition::policy::debug);
    }
    ASSERT_EQ(partitions.size(), 2U);
    const auto inputs = partitions[1].get_input_ports();
    ASSERT_EQ(inputs.size(), 2U);
    EXPECT_TRUE(inputs[0].is_equal(open_f32(1)));
    EXPECT_TRUE(inputs[1].is_equal(f32(2, {2, 1})));
    const auto outputs = partitions[1].get_output_ports();
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(outputs[0].get_id(), 3U);
    EXPECT_EQ(partitions[1].get_engine_kind(), engine::kind::cpu);
    EXPECT_NE(partitions[0].get_id(), partitions[1].get_id());
}

TEST(partition, of_a_single_op) {
    const logical_tensor src = f32(0, {2, 3});
    const partition p(reduce_mean(9, src, open_f32(1)), engine::kind::cpu);
    EXPECT_TRUE(p.is_supported());
    EXPECT_EQ(p.get_ops(), std::vector<size_t>{9});
    EXPECT_FALSE(
        partition(op(0, op::kind::PReLU, {open_f32(0), f32(9, {3})}, {open_f32(1)}), engine::kind::cpu).is_supported());
    EXPECT_TRUE(fails(onefold_invalid_graph_op, {"op 9 (ReLU)"}, [] { partition(op(9, op::kind::ReLU), engine::kind::cpu); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"engine kind 2"}, [&] { partition(relu(0, 0, 1), engine::kind::gpu); }));
}

} // namespace
} // namespace onefold_test
