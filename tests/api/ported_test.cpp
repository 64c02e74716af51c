// Code as one writes it to oneDNN Graph. The lines up to the first blank one after the alias are all that differs.
#include "onefold/graph.hpp"
namespace dnnl = onefold;
#define DNNL_GRAPH_UNKNOWN_NDIMS ONEFOLD_UNKNOWN_NDIMS
#define DNNL_GRAPH_UNKNOWN_DIM ONEFOLD_UNKNOWN_DIM
#define DNNL_MEMORY_ALLOCATE ONEFOLD_MEMORY_ALLOCATE
#define dnnl_invalid_graph_op onefold_invalid_graph_op

#include <cstdlib>
#include <iostream>
#include <unordered_map>

#include <gtest/gtest.h>

namespace {

using namespace dnnl::graph;
using data_type = logical_tensor::data_type;
using layout_type = logical_tensor::layout_type;
using property_type = logical_tensor::property_type;
using dims = logical_tensor::dims;

void *host_allocate(size_t size, size_t alignment) {
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void host_deallocate(void *p) { std::free(p); }

/// Compiles and runs what is supported; tensors that it meets first are filled with ones.
void run(const std::vector<partition> &partitions, engine &eng, dnnl::stream &strm,
         std::unordered_map<size_t, tensor> &tensors) {
    std::unordered_map<size_t, logical_tensor> id_to_queried;
    for (const auto &part : partitions) {
        ASSERT_TRUE(part.is_supported()) << "partition " << part.get_id();
        std::vector<logical_tensor> inputs = part.get_input_ports();
        std::vector<logical_tensor> outputs = part.get_output_ports();
        for (auto &input : inputs) {
            const auto iter = id_to_queried.find(input.get_id());
            if (iter != id_to_queried.end()) input = iter->second;
        }
        for (auto &output : outputs)
            output = logical_tensor{output.get_id(), output.get_data_type(), DNNL_GRAPH_UNKNOWN_NDIMS, layout_type::any};
        compiled_partition cp = part.compile(inputs, outputs, eng);
        std::vector<tensor> inputs_ts, outputs_ts;
        for (auto &output : outputs) {
            output = cp.query_logical_tensor(output.get_id());
            id_to_queried[output.get_id()] = output;
            tensors[output.get_id()] = tensor{output, eng, DNNL_MEMORY_ALLOCATE};
            outputs_ts.push_back(tensors[output.get_id()]);
        }
        for (const auto &input : inputs) {
            if (!tensors.count(input.get_id())) {
                tensor ones{input, eng};
                auto *data = static_cast<float *>(ones.get_data_handle());
                for (size_t i = 0; i < input.get_mem_size() / sizeof(float); ++i)
                    data[i] = 1.0f;
                tensors[input.get_id()] = ones;
            }
            inputs_ts.push_back(tensors.at(input.get_id()));
        }
        cp.execute(strm, inputs_ts, outputs_ts);
    }
    strm.wait();
}

TEST(ported, reduce_and_post_ops) {
    allocator alloc{host_allocate, host_deallocate};
    dnnl::engine eng = make_engine_with_allocator(dnnl::engine::kind::cpu, 0, alloc);
    dnnl::stream strm{eng};

    const dims src_dims{8, 16, 4};
    logical_tensor src_lt{0, data_type::f32, src_dims, layout_type::strided};
    logical_tensor sum_lt{1, data_type::f32, DNNL_GRAPH_UNKNOWN_NDIMS, layout_type::undef};
    logical_tensor bias_lt{2, data_type::f32, dims{8, 1, 4}, dims{4, 4, 1}, property_type::constant};
    logical_tensor add_lt{3, data_type::f32, {8, DNNL_GRAPH_UNKNOWN_DIM, 4}, layout_type::undef};
    logical_tensor dst_lt{4, data_type::f32};

    op sum{0, op::kind::ReduceSum, {src_lt}, {sum_lt}, "sum"};
    sum.set_attr<std::vector<int64_t>>(op::attr::axes, {-2});
    sum.set_attr<bool>(op::attr::keep_dims, true);
    op add{1, op::kind::Add, "add"};
    add.add_inputs({sum_lt, bias_lt});
    add.add_output(add_lt);
    add.set_attr<std::string>(op::attr::auto_broadcast, "numpy");
    op clamp{2, op::kind::Clamp, "clamp"};
    clamp.add_input(add_lt);
    clamp.add_outputs({dst_lt});
    clamp.set_attr<float>(op::attr::min, 0.0f).set_attr<float>(op::attr::max, 16.5f);

    graph g{dnnl::engine::kind::cpu, dnnl::fpmath_mode::strict};
    g.set_fpmath_mode(dnnl::fpmath_mode::strict, false);
    for (const auto &o : {sum, add, clamp})
        ASSERT_EQ(g.add_op(o), status::success);
    g.finalize();
    ASSERT_TRUE(g.is_finalized());

    for (const auto policy : {partition::policy::fusion, partition::policy::debug}) {
        std::unordered_map<size_t, tensor> tensors;
        run(g.get_partitions(policy), eng, strm, tensors);
        const auto dst = tensors.at(4);
        EXPECT_EQ(dst.get_logical_tensor().get_dims(), (dims{8, 1, 4}));
        EXPECT_EQ(dst.get_engine().get_kind(), dnnl::engine::kind::cpu);
        EXPECT_EQ(static_cast<float *>(dst.get_data_handle())[31], 16.5f);
    }
}

TEST(ported, single_op_partition) {
    dnnl::engine eng{dnnl::engine::kind::cpu, 0};
    dnnl::stream strm{eng, dnnl::stream::flags::default_flags};
    logical_tensor src{0, data_type::f32, {2, 2}, layout_type::strided};
    logical_tensor dst{1, data_type::f32, {2, 2}, layout_type::strided};
    op square(0, op::kind::Square, {src}, {dst}, "square");
    partition part{square, dnnl::engine::kind::cpu};
    ASSERT_EQ(part.get_ops_num(), 1U);
    ASSERT_EQ(part.get_ops().front(), 0U);
    compiled_partition cp = part.compile({src}, {dst}, eng);
    std::vector<float> x{1, 2, 3, 4}, y(4);
    tensor ts_src{src, eng, x.data()}, ts_dst{dst, eng, nullptr};
    ts_dst.set_data_handle(y.data());
    for (const std::pair<size_t, size_t> &ports : cp.get_inplace_ports()) {
        EXPECT_EQ(ports.first, 0U);
        EXPECT_EQ(ports.second, 1U);
    }
    cp.execute(strm, {ts_src}, {ts_dst});
    strm.wait();
    EXPECT_EQ(y, (std::vector<float>{1, 4, 9, 16}));
}

TEST(ported, errors) {
    graph g(dnnl::engine::kind::cpu);
    op incomplete(0, op::kind::MatMul);
    EXPECT_EQ(g.add_op(incomplete, false), status::invalid_graph_op);
    try {
        g.add_op(incomplete);
        FAIL() << "a MatMul without ports";
    } catch (const dnnl::error &e) {
        EXPECT_EQ(e.status, dnnl_invalid_graph_op);
        EXPECT_STREQ(e.message, e.what());
    } catch (const std::exception &) {
        FAIL() << "not an error of the library's";
    }
}

} // namespace
