// What reductions refuse whose axes are a tensor, and when; what they say of themselves.
#include "support/axes_tensor.hpp"

using namespace onefold_test;

namespace {

/// Executes over axes that do not fit; dst must stay as it is.
testing::AssertionResult refuses(const compiled_partition &compiled, const dims &src_shape, const axes_list &axes,
                                 const dims &dst_shape, onefold_status status, std::initializer_list<std::string> words) {
    const std::vector<double> before(count_of(dst_shape), 17);
    std::vector<array> srcs = {array(data_type::f32, src_shape, std::vector<double>(count_of(src_shape), 1)),
                               axes_array(data_type::s64, axes)};
    array dst(data_type::f32, dst_shape, before);
    if (auto as_expected = fails(status, words, [&] { execute(compiled, srcs, dst); }); !as_expected) return as_expected;
    return are_identical(dst.values(), before);
}

TEST(axes_tensor_refused, out_of_range_or_twice_by_value) {
    for (const op::kind kind : reductions) {
        const auto compiled = compile_by_tensor(kind, {3, 3, 3}, dims(1, 3), 2);
        for (const int64_t axis : {int64_t{3}, int64_t{-4}, int64_t{1} << 40, int64_t{1} << 62, INT64_MIN}) {
            const std::string value = "axis " + std::to_string(axis);
            for (const axes_list &axes : {axes_list{axis, 0}, {0, axis}, {axis, axis}})
                EXPECT_TRUE(refuses(compiled, {3, 3, 3}, axes, dims(1, 3), onefold_invalid_arguments,
                                    {"op 0", name_of(kind), value, "[-3, 2]"}));
        }
        for (const axes_list &axes : {axes_list{1, 1}, {1, -2}, {-2, 1}})
            EXPECT_TRUE(refuses(compiled, {3, 3, 3}, axes, dims(1, 3), onefold_invalid_arguments,
                                {"op 0", name_of(kind), "axis " + std::to_string(axes[1]), "twice"}));
    }
}

TEST(axes_tensor_refused, that_do_not_lead_to_dst) {
    for (const op::kind kind : reductions) {
        const auto compiled = compile_by_tensor(kind, {2, 3, 4}, {2, 4}, 1);
        EXPECT_TRUE(refuses(compiled, {2, 3, 4}, {0}, {2, 4}, onefold_invalid_shape,
                            {"op 0", name_of(kind), "axes", "[0]", "2x3x4", "3x4", "2x4"}));
        EXPECT_TRUE(refuses(compiled, {2, 3, 4}, {-1}, {2, 4}, onefold_invalid_shape, {"[-1]", "2x3"}));
        const auto kept = compile_by_tensor(kind, {2, 3, 4}, {2, 1, 1}, 2, keeping(true));
        EXPECT_TRUE(refuses(kept, {2, 3, 4}, {0, 2}, {2, 1, 1}, onefold_invalid_shape, {"1x3x1", "2x1x1"}));
    }
}

TEST(axes_tensor_refused, even_where_they_differ_in_a_dim_of_1) {
    // The same elements are added either way, but only one of the two shapes is dst's.
    const auto compiled = compile_by_tensor(op::kind::ReduceSum, {1, 3, 1}, {3, 1}, 1);
    const array src(data_type::f32, {1, 3, 1}, {1, 2, 3});
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(execute_over(compiled, src, {0}, {3, 1}).values(), src.values());
        EXPECT_TRUE(refuses(compiled, {1, 3, 1}, {2}, {3, 1}, onefold_invalid_shape, {"[2]", "1x3", "3x1"}));
    }
    const auto either = compile_by_tensor(op::kind::ReduceSum, {1, 3, 1}, {1, 3, 1}, 1, keeping(true));
    for (const axes_list &axes : {axes_list{0}, {2}})
        EXPECT_EQ(execute_over(either, src, axes, {1, 3, 1}).values(), src.values());
    EXPECT_TRUE(refuses(either, {1, 3, 1}, {1}, {1, 3, 1}, onefold_invalid_shape, {"1x1x1"}));
}

TEST(axes_tensor_refused, and_taken_again_afterwards) {
    const auto compiled = compile_by_tensor(op::kind::ReduceSum, {2, 2}, dims(1, 2), 1);
    const array src(data_type::f32, {2, 2}, {1, 2, 3, 4});
    EXPECT_TRUE(refuses(compiled, {2, 2}, {2}, dims(1, 2), onefold_invalid_arguments, {"axis 2"}));
    EXPECT_EQ(execute_over(compiled, src, {1}, dims(1, 2)).values(), (std::vector<double>{3, 7}));
    EXPECT_TRUE(refuses(compiled, {2, 2}, {-3}, dims(1, 2), onefold_invalid_arguments, {"axis -3"}));
    EXPECT_EQ(execute_over(compiled, src, {-2}, dims(1, 2)).values(), (std::vector<double>{4, 6}));
}

TEST(axes_tensor_refused, without_a_buffer) {
    const auto compiled = compile_by_tensor(op::kind::ReduceSum, {2, 2}, dims(1, 2), 1);
    array src(data_type::f32, {2, 2}, {1, 2, 3, 4}), dst(data_type::f32, {2});
    stream s(cpu());
    const tensor no_axes(dense(1, data_type::s64, dims(1, 1)), cpu(), nullptr);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"tensor 1", "no buffer"}, [&] {
        compiled.execute(s, {tensor(src.describe(0), cpu(), src.data()), no_axes},
                         {tensor(dst.describe(dst_id), cpu(), dst.data())});
    }));
}

TEST(axes_tensor_refused, when_compiled) {
    for (const op::kind kind : reductions) {
        const auto compile = [&](const logical_tensor &axes, const logical_tensor &dst) {
            compile_op(kind, {}, {dense(0, data_type::f32, {2, 3, 4}), axes}, dst);
        };
        const auto axes = [](int64_t count) { return dense(1, data_type::s32, dims(1, count)); };
        const auto dst = [](const dims &shape) { return dense(dst_id, data_type::f32, shape); };
        // dst's dims
        EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 0", name_of(kind), "dst", "unknown dims", "axes"},
                          [&] { compile(axes(1), open_tensor(dst_id, data_type::f32)); }));
        EXPECT_TRUE(fails(onefold_invalid_shape, {"op 0", name_of(kind), "2x3x4", "3x3", "dst"}, [&] {
            compile(axes(1), dst({3, 3}));
        }));
        EXPECT_TRUE(fails(onefold_invalid_shape, {"1 axes", "2x3x4", "dst"}, [&] { compile(axes(1), dst({2})); }));
        EXPECT_TRUE(fails(onefold_invalid_shape, {"0 axes", "2x3x4", "dst"}, [&] { compile(axes(0), dst({2, 3})); }));
        // the axes
        EXPECT_TRUE(fails(onefold_invalid_arguments, {"op 0", name_of(kind), "axes", "4 elements", "rank 3"},
                          [&] { compile(axes(4), dst({})); }));
        EXPECT_TRUE(fails(onefold_invalid_shape, {"op 0", name_of(kind), "axes", "rank 0"}, [&] {
            compile(dense(1, data_type::s32, {}), dst({2, 3}));
        }));
        EXPECT_TRUE(fails(onefold_invalid_shape, {"axes", "rank 2"}, [&] {
            compile(dense(1, data_type::s32, {1, 1}), dst({2, 3}));
        }));
        EXPECT_TRUE(fails(onefold_invalid_arguments, {"tensor 1", "unknown rank"}, [&] {
            compile(open_tensor(1, data_type::s32), dst({2, 3}));
        }));
    }
}

TEST(axes_tensor_refused, of_another_type) {
    graph g(engine::kind::cpu);
    for (const data_type type : {data_type::f32, data_type::s8, data_type::u64})
        EXPECT_TRUE(fails(onefold_invalid_graph_op, {"op 0", "axes", name_of(type), "s32, s64"}, [&] {
            g.add_op(make_op(0, op::kind::ReduceSum, {}, {dense(0, data_type::f32, {2, 3}), dense(1, type, dims(1, 1))},
                             open_tensor(2, data_type::f32)));
        }));
}

TEST(axes_tensor_refused, beside_the_attribute_or_with_neither) {
    const logical_tensor src = dense(0, data_type::f32, {2, 3}), axes = dense(1, data_type::s64, dims(1, 1));
    const auto add = [&](const attributes &attrs, const std::vector<logical_tensor> &srcs) {
        graph g(engine::kind::cpu);
        g.add_op(make_op(0, op::kind::ReduceMean, attrs, srcs, open_tensor(2, data_type::f32)));
    };
    EXPECT_TRUE(fails(onefold_invalid_graph_op, {"op 0", "ReduceMean", "axes", "both"}, [&] { add(over({1}), {src, axes}); }));
    EXPECT_TRUE(fails(onefold_invalid_graph_op, {"op 0", "ReduceMean", "axes", "neither"}, [&] { add({}, {src}); }));
    for (const bool noop : {false, true}) {
        attributes attrs = {{op::attr::noop_with_empty_axes, noop}};
        EXPECT_NO_THROW(add(attrs, {src}));
        attrs.emplace_back(op::attr::axes, axes_list{1});
        EXPECT_NO_THROW(add(attrs, {src}));
        EXPECT_TRUE(fails(onefold_invalid_graph_op, {"both"}, [&] { add(attrs, {src, axes}); }));
    }
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"noop_with_empty_axes"}, [&] {
        add({{op::attr::noop_with_empty_axes, int64_t{1}}}, {src});
    }));
    EXPECT_TRUE(fails(onefold_invalid_graph_op, {"noop_with_empty_axes"}, [&] {
        graph g(engine::kind::cpu);
        g.add_op(make_op(0, op::kind::Abs, {{op::attr::noop_with_empty_axes, true}}, {src}, open_tensor(2, data_type::f32)));
    }));
}

TEST(axes_tensor_compiled, dims_of_dst_may_come_from_the_graph) {
    const logical_tensor src = dense(0, data_type::f32, {2, 3}), axes = dense(1, data_type::s64, dims(1, 1));
    const partition p(make_op(0, op::kind::ReduceSum, {}, {src, axes}, dense(dst_id, data_type::f32, dims(1, 3))),
                      engine::kind::cpu);
    const auto compiled = p.compile({src, axes}, {open_tensor(dst_id, data_type::f32)}, cpu());
    EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_dims(), dims(1, 3));
    EXPECT_EQ(execute_over(compiled, array(data_type::f32, {2, 3}, {1, 2, 3, 4, 5, 6}), {0}, dims(1, 3)).values(),
              (std::vector<double>{5, 7, 9}));
}

TEST(axes_tensor_compiled, whose_dst_the_graph_leaves_open_ends_a_partition) {
    const auto partitions_where = [](const logical_tensor &between) {
        graph g(engine::kind::cpu);
        g.add_op(make_op(0, op::kind::ReduceSum, {}, {dense(0, data_type::f32, {2, 3}), dense(1, data_type::s64, dims(1, 1))},
                         between));
        g.add_op(make_op(1, op::kind::Abs, {}, {between}, open_tensor(dst_id, data_type::f32)));
        g.finalize();
        return g.get_partitions().size();
    };
    EXPECT_EQ(partitions_where(open_tensor(2, data_type::f32)), 2U);
    EXPECT_EQ(partitions_where(dense(2, data_type::f32, dims(1, 2))), 1U);
}

TEST(axes_tensor_compiled, is_compiled_for_at_once_where_the_shapes_imply_the_axes) {
    const std::string open = "axes: each set";
    EXPECT_EQ(compile_by_tensor(op::kind::ReduceSum, {2, 3}, dims(1, 2), 1).get_info().find(open), std::string::npos);
    EXPECT_EQ(compile_by_tensor(op::kind::ReduceSum, {3, 1, 3}, {3, 1}, 1).get_info().find(open), std::string::npos);
    EXPECT_EQ(compile_by_tensor(op::kind::ReduceSum, {3, 3}, {1, 3}, 1, keeping(true)).get_info().find(open),
              std::string::npos);
    EXPECT_EQ(compile_by_tensor(op::kind::ReduceSum, {3, 3}, dims(1, 3), 1).get_info().find(open), 0U);
    EXPECT_EQ(compile_by_tensor(op::kind::ReduceSum, {3, 3}, {}, 2).get_info().find(open), std::string::npos);
}

TEST(axes_tensor_compiled, asks_for_scratch_memory_only_where_it_knows_how_much) {
    const dims shape = {100, 3000}; // rows and columns take some
    const auto compile = [](const dims &src, const dims &dst) { return compile_by_tensor(op::kind::ReduceSum, src, dst, 1); };
    const auto by_attribute = compile_op(op::kind::ReduceSum, over({0}), {dense(0, data_type::f32, {3000, 100})},
                                         open_tensor(dst_id, data_type::f32));
    const auto known = compile({3000, 100}, dims(1, 100));
    EXPECT_EQ(known.get_scratchpad_logical_tensor().get_dims(), by_attribute.get_scratchpad_logical_tensor().get_dims());
    const auto open = compile({700, 700}, dims(1, 700));
    EXPECT_EQ(open.get_scratchpad_logical_tensor().get_dims(), dims(1, 0));
    EXPECT_TRUE(open.get_inplace_ports().empty());

    const array src(data_type::f32, {700, 700}, std::vector<double>(490000, 1));
    array axes = axes_array(data_type::s64, {0}), dst(data_type::f32, dims(1, 700)), in = src;
    stream s(cpu());
    const tensor scratch(open.get_scratchpad_logical_tensor(), cpu());
    open.execute(s, {tensor(in.describe(0), cpu(), in.data()), tensor(axes.describe(1), cpu(), axes.data())},
                 {tensor(dst.describe(dst_id), cpu(), dst.data())}, scratch);
    EXPECT_EQ(dst.values(), std::vector<double>(700, 700));
}

TEST(axes_tensor_compiled, never_shares_its_buffer_with_dst) {
    // dst is an s64 vector like the axes.
    const auto compiled =
        compile_op(op::kind::ReduceSum, {}, {dense(0, data_type::s64, {1, 5}), dense(1, data_type::s64, dims(1, 1))},
                   dense(dst_id, data_type::s64, dims(1, 1)));
    for (const auto &[input, output] : compiled.get_inplace_ports())
        EXPECT_NE(input, 1U);
}

} // namespace
