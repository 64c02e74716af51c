#pragma once

#include <random>

#include "support/run_op.hpp"

namespace onefold_test {

/// A compiled partition with sources of its own, for tests that execute it many times. Sources have the ids 0, 1, ...
struct ready_partition {
    compiled_partition compiled;
    std::vector<array> srcs;
    dims dst_shape;
    data_type dst_type;

    array make_dst() const { return array(dst_type, dst_shape); }

    /// Tensors are made here: keep what it returns to execute without making them again.
    struct binding {
        std::vector<tensor> inputs;
        std::vector<tensor> outputs;
    };
    binding bind(array &dst, const engine &e = cpu()) {
        binding b;
        for (size_t i = 0; i < srcs.size(); ++i)
            b.inputs.emplace_back(srcs[i].describe(i), e, srcs[i].data());
        b.outputs.emplace_back(dst.describe(dst_id), e, dst.data());
        return b;
    }
};

/// An op with what stands behind it: each `chain` op reads the value before it and, if binary, a source of that shape.
struct chain_op {
    op::kind kind;
    attributes attrs;
    bool is_binary = false;
    dims other = {};
};

/// What a test names a partition by, and how to compile it: op over the first source's shape, then the chain.
struct recipe {
    std::string name;
    data_type type;
    op::kind kind;
    attributes attrs;
    std::vector<dims> srcs;
    std::vector<chain_op> chain = {};
};

inline ready_partition compile_recipe(const recipe &r, const engine &e = cpu()) {
    ready_partition ready;
    std::mt19937 random(17);
    const auto add_source = [&](const dims &shape) {
        std::vector<double> values(count_of(shape));
        for (double &value : values)
            value = 0.25 + static_cast<double>(random() % 1024) / 512;
        ready.srcs.emplace_back(r.type, shape, values);
        return ready.srcs.back().describe(ready.srcs.size() - 1);
    };
    std::vector<logical_tensor> inputs;
    for (const dims &shape : r.srcs)
        inputs.push_back(add_source(shape));
    size_t next = 50;
    const auto result_of = [&](size_t i) { return open_tensor(i == r.chain.size() ? dst_id : next + i, r.type); };
    graph g(engine::kind::cpu);
    g.add_op(make_op(0, r.kind, r.attrs, inputs, result_of(0)));
    for (size_t i = 0; i < r.chain.size(); ++i) {
        std::vector<logical_tensor> srcs = {result_of(i)};
        if (r.chain[i].is_binary) {
            inputs.push_back(add_source(r.chain[i].other));
            srcs.push_back(inputs.back());
        }
        g.add_op(make_op(i + 1, r.chain[i].kind, r.chain[i].attrs, srcs, result_of(i + 1)));
    }
    g.finalize();
    const auto partitions = g.get_partitions();
    EXPECT_EQ(partitions.size(), 1U) << r.name;
    ready.compiled = partitions.at(0).compile(inputs, {open_tensor(dst_id, r.type)}, e);
    ready.dst_type = r.type;
    ready.dst_shape = ready.compiled.query_logical_tensor(dst_id).get_dims();
    return ready;
}

/// Of every kind: short and long rows, columns, everything, broadcasts, chains, with scratch memory and without.
inline std::vector<recipe> all_recipes() {
    const std::vector<chain_op> chain = {
        {op::kind::Add, {}, true, {1}}, {op::kind::ReLU, {}}, {op::kind::Maximum, {}, true, {1}}};
    return {
        {"short_rows_f32", data_type::f32, op::kind::ReduceSum, over({1}), {{200, 64}}},
        {"rows_f32", data_type::f32, op::kind::ReduceMean, over({1}), {{40, 3000}}},
        {"long_row_f32", data_type::f32, op::kind::ReduceL2, over({0}), {{300000}}},
        {"columns_f32", data_type::f32, op::kind::ReduceSum, over({0}), {{3000, 40}}},
        {"tall_columns_f32", data_type::f32, op::kind::ReduceMean, over({0}), {{100000, 2}}},
        {"both_ends_bf16", data_type::bf16, op::kind::ReduceMean, over({0, 2}), {{30, 7, 500}}},
        {"max_f16", data_type::f16, op::kind::ReduceMax, over({1}), {{30, 1000}}},
        {"sum_and_chain_f32", data_type::f32, op::kind::ReduceSum, over({1}), {{300, 100}}, chain},
        {"max_and_chain_bf16", data_type::bf16, op::kind::ReduceMax, over({0}), {{300, 100}}, chain},
        {"add_f32", data_type::f32, op::kind::Add, {}, {{300, 300}, {300}}},
        {"minimum_f16", data_type::f16, op::kind::Minimum, {}, {{300, 300}, {300, 1}}},
        {"exp_f32", data_type::f32, op::kind::Exp, {}, {{70000}}},
        {"tanh_f16", data_type::f16, op::kind::Tanh, {}, {{7000}}},
        {"chain_f16", data_type::f16, op::kind::Multiply, {}, {{100, 100}, {100}}, chain},
    };
}

} // namespace onefold_test
