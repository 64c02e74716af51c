// The C ABI itself: NULL arguments, enumerators that do not exist, outputs untouched on failure, references.
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "onefold/onefold.h"

namespace {

bool last_error_has(const char *word) { return std::strstr(onefold_last_error(), word) != nullptr; }

/// Everything a test needs, made through the C ABI.
struct c_abi : testing::Test {
    onefold_engine engine = nullptr;
    onefold_stream stream = nullptr;
    onefold_logical_tensor src = nullptr;
    onefold_logical_tensor dst = nullptr;
    onefold_op op = nullptr;
    onefold_graph graph = nullptr;

    void SetUp() override {
        const int64_t dims[] = {2, 3};
        const int64_t axes[] = {1};
        ASSERT_EQ(onefold_engine_create(&engine, onefold_cpu, 0, nullptr), onefold_success);
        ASSERT_EQ(onefold_stream_create(&stream, engine, 0), onefold_success);
        ASSERT_EQ(onefold_logical_tensor_create(&src, 0, onefold_f32, 2, dims, nullptr, onefold_layout_strided, 0,
                                                onefold_property_undef),
                  onefold_success);
        ASSERT_EQ(onefold_logical_tensor_create(&dst, 1, onefold_f32, ONEFOLD_UNKNOWN_NDIMS, nullptr, nullptr,
                                                onefold_layout_any, 0, onefold_property_undef),
                  onefold_success);
        ASSERT_EQ(onefold_op_create(&op, 0, onefold_op_reduce_mean, nullptr), onefold_success);
        ASSERT_EQ(onefold_op_add_input(op, src), onefold_success);
        ASSERT_EQ(onefold_op_add_output(op, dst), onefold_success);
        ASSERT_EQ(onefold_op_set_attr_s64s(op, onefold_op_attr_axes, axes, 1), onefold_success);
        ASSERT_EQ(onefold_graph_create(&graph, onefold_cpu, onefold_fpmath_strict), onefold_success);
        ASSERT_EQ(onefold_graph_add_op(graph, op), onefold_success);
        ASSERT_EQ(onefold_graph_finalize(graph), onefold_success);
    }

    void TearDown() override {
        EXPECT_EQ(onefold_graph_destroy(graph), onefold_success);
        EXPECT_EQ(onefold_op_destroy(op), onefold_success);
        EXPECT_EQ(onefold_logical_tensor_destroy(dst), onefold_success);
        EXPECT_EQ(onefold_logical_tensor_destroy(src), onefold_success);
        EXPECT_EQ(onefold_stream_destroy(stream), onefold_success);
        EXPECT_EQ(onefold_engine_destroy(engine), onefold_success);
    }
};

/// A call with a NULL where there must not be one.
#define EXPECT_NULL_REFUSED(argument, call)                                                                                    \
    do {                                                                                                                       \
        EXPECT_EQ(call, onefold_invalid_arguments);                                                                            \
        EXPECT_TRUE(last_error_has("'" argument "'") && last_error_has("NULL")) << onefold_last_error();                       \
    } while (false)

TEST_F(c_abi, null_engines_and_streams) {
    onefold_engine_kind kind;
    onefold_engine e;
    EXPECT_NULL_REFUSED("allocator", onefold_allocator_create(nullptr, nullptr, nullptr));
    EXPECT_NULL_REFUSED("engine", onefold_engine_create(nullptr, onefold_cpu, 0, nullptr));
    EXPECT_NULL_REFUSED("clone", onefold_engine_clone(nullptr, engine));
    EXPECT_NULL_REFUSED("engine", onefold_engine_clone(&e, nullptr));
    EXPECT_NULL_REFUSED("engine", onefold_engine_get_kind(nullptr, &kind));
    EXPECT_NULL_REFUSED("kind", onefold_engine_get_kind(engine, nullptr));
    EXPECT_NULL_REFUSED("stream", onefold_stream_create(nullptr, engine, 0));
    EXPECT_NULL_REFUSED("engine", onefold_stream_create(&stream, nullptr, 0));
    const auto parallel_for = [](void *, size_t, onefold_task_function, void *) {};
    EXPECT_NULL_REFUSED("stream", onefold_stream_create_with_parallel_for(nullptr, engine, parallel_for, nullptr, 2));
    EXPECT_NULL_REFUSED("engine", onefold_stream_create_with_parallel_for(&stream, nullptr, parallel_for, nullptr, 2));
    EXPECT_NULL_REFUSED("parallel_for", onefold_stream_create_with_parallel_for(&stream, engine, nullptr, nullptr, 2));
    EXPECT_NULL_REFUSED("stream", onefold_stream_get_engine(nullptr, &e));
    EXPECT_NULL_REFUSED("engine", onefold_stream_get_engine(stream, nullptr));
    EXPECT_NULL_REFUSED("stream", onefold_stream_wait(nullptr));
}

TEST_F(c_abi, null_tensors) {
    const int64_t dims[] = {2, 3};
    onefold_logical_tensor_view view;
    onefold_tensor tensor = nullptr;
    size_t size;
    int equal;
    void *data;
    EXPECT_NULL_REFUSED("tensor", onefold_logical_tensor_create(nullptr, 0, onefold_f32, 2, dims, nullptr,
                                                                onefold_layout_strided, 0, onefold_property_undef));
    EXPECT_NULL_REFUSED("clone", onefold_logical_tensor_clone(nullptr, src));
    EXPECT_NULL_REFUSED("tensor", onefold_logical_tensor_clone(&dst, nullptr));
    EXPECT_NULL_REFUSED("tensor", onefold_logical_tensor_get_view(nullptr, &view));
    EXPECT_NULL_REFUSED("view", onefold_logical_tensor_get_view(src, nullptr));
    EXPECT_NULL_REFUSED("tensor", onefold_logical_tensor_get_mem_size(nullptr, &size));
    EXPECT_NULL_REFUSED("size", onefold_logical_tensor_get_mem_size(src, nullptr));
    EXPECT_NULL_REFUSED("a", onefold_logical_tensor_is_equal(nullptr, src, &equal));
    EXPECT_NULL_REFUSED("b", onefold_logical_tensor_is_equal(src, nullptr, &equal));
    EXPECT_NULL_REFUSED("equal", onefold_logical_tensor_is_equal(src, src, nullptr));
    EXPECT_NULL_REFUSED("tensor", onefold_tensor_create(nullptr, src, engine, nullptr));
    EXPECT_NULL_REFUSED("logical_tensor", onefold_tensor_create(&tensor, nullptr, engine, nullptr));
    EXPECT_NULL_REFUSED("engine", onefold_tensor_create(&tensor, src, nullptr, nullptr));
    EXPECT_NULL_REFUSED("engine", onefold_tensor_create_allocated(&tensor, src, nullptr));
    EXPECT_NULL_REFUSED("tensor", onefold_tensor_get_data_handle(nullptr, &data));
    EXPECT_NULL_REFUSED("tensor", onefold_tensor_set_data_handle(nullptr, nullptr));
    EXPECT_NULL_REFUSED("tensor", onefold_tensor_get_engine(nullptr, &engine));
    EXPECT_NULL_REFUSED("tensor", onefold_tensor_get_logical_tensor(nullptr, &dst));
    EXPECT_EQ(tensor, nullptr) << "outputs stay untouched";
}

TEST_F(c_abi, null_ops_and_graphs) {
    onefold_fpmath_mode mode;
    int flag;
    size_t count;
    onefold_partition partition = nullptr;
    EXPECT_NULL_REFUSED("op", onefold_op_create(nullptr, 0, onefold_op_relu, "name"));
    EXPECT_NULL_REFUSED("op", onefold_op_add_input(nullptr, src));
    EXPECT_NULL_REFUSED("tensor", onefold_op_add_output(op, nullptr));
    EXPECT_NULL_REFUSED("op", onefold_op_set_attr_f32(nullptr, onefold_op_attr_alpha, 0));
    EXPECT_NULL_REFUSED("values", onefold_op_set_attr_f32s(op, onefold_op_attr_scales, nullptr, 1));
    EXPECT_NULL_REFUSED("values", onefold_op_set_attr_s64s(op, onefold_op_attr_axes, nullptr, 1));
    EXPECT_EQ(onefold_op_set_attr_s64s(op, onefold_op_attr_axes, nullptr, 0), onefold_success);
    EXPECT_NULL_REFUSED("value", onefold_op_set_attr_string(op, onefold_op_attr_mode, nullptr));
    EXPECT_NULL_REFUSED("graph", onefold_graph_create(nullptr, onefold_cpu, onefold_fpmath_strict));
    EXPECT_NULL_REFUSED("graph", onefold_graph_set_fpmath_mode(nullptr, onefold_fpmath_strict, 0));
    EXPECT_NULL_REFUSED("apply_to_int", onefold_graph_get_fpmath_mode(graph, &mode, nullptr));
    EXPECT_NULL_REFUSED("mode", onefold_graph_get_fpmath_mode(graph, nullptr, &flag));
    EXPECT_NULL_REFUSED("graph", onefold_graph_add_op(nullptr, op));
    EXPECT_NULL_REFUSED("op", onefold_graph_add_op(graph, nullptr));
    EXPECT_NULL_REFUSED("graph", onefold_graph_finalize(nullptr));
    EXPECT_NULL_REFUSED("finalized", onefold_graph_is_finalized(graph, nullptr));
    EXPECT_NULL_REFUSED("count", onefold_graph_get_partition_count(graph, onefold_policy_fusion, nullptr));
    EXPECT_NULL_REFUSED("graph", onefold_graph_get_partition_count(nullptr, onefold_policy_fusion, &count));
    EXPECT_NULL_REFUSED("partitions", onefold_graph_get_partitions(graph, nullptr, 1));
    EXPECT_NULL_REFUSED("op", onefold_partition_create_with_op(&partition, nullptr, onefold_cpu));
    EXPECT_NULL_REFUSED("partition", onefold_partition_create_with_op(nullptr, op, onefold_cpu));
    EXPECT_NULL_REFUSED("partition", onefold_partition_get_id(nullptr, &count));
    EXPECT_NULL_REFUSED("partition", onefold_partition_is_supported(nullptr, &flag));
    EXPECT_NULL_REFUSED("partition", onefold_partition_get_op_count(nullptr, &count));
    EXPECT_NULL_REFUSED("partition", onefold_partition_get_ops(nullptr, &count, 1));
    EXPECT_NULL_REFUSED("partition", onefold_partition_get_input(nullptr, 0, &dst));
    EXPECT_NULL_REFUSED("partition", onefold_partition_get_output(nullptr, 0, &dst));
}

TEST_F(c_abi, null_compiled_partitions) {
    onefold_partition partition = nullptr;
    onefold_compiled_partition compiled = nullptr;
    ASSERT_EQ(onefold_partition_create_with_op(&partition, op, onefold_cpu), onefold_success);
    EXPECT_NULL_REFUSED("partition", onefold_partition_compile(nullptr, &compiled, &src, 1, &dst, 1, engine));
    EXPECT_NULL_REFUSED("compiled", onefold_partition_compile(partition, nullptr, &src, 1, &dst, 1, engine));
    EXPECT_NULL_REFUSED("engine", onefold_partition_compile(partition, &compiled, &src, 1, &dst, 1, nullptr));
    EXPECT_NULL_REFUSED("inputs", onefold_partition_compile(partition, &compiled, nullptr, 1, &dst, 1, engine));
    const onefold_logical_tensor none = nullptr;
    EXPECT_NULL_REFUSED("outputs[0]", onefold_partition_compile(partition, &compiled, &src, 1, &none, 1, engine));
    EXPECT_EQ(compiled, nullptr);
    ASSERT_EQ(onefold_partition_compile(partition, &compiled, &src, 1, &dst, 1, engine), onefold_success)
        << onefold_last_error();

    size_t count;
    const char *info;
    const onefold_inplace_pair *pairs;
    EXPECT_NULL_REFUSED("compiled", onefold_compiled_partition_query_logical_tensor(nullptr, 0, &dst));
    EXPECT_NULL_REFUSED("tensor", onefold_compiled_partition_query_logical_tensor(compiled, 0, nullptr));
    EXPECT_NULL_REFUSED("pairs", onefold_compiled_partition_get_inplace_ports(compiled, &count, nullptr));
    EXPECT_NULL_REFUSED("compiled", onefold_compiled_partition_get_inplace_ports(nullptr, &count, &pairs));
    EXPECT_NULL_REFUSED("tensor", onefold_compiled_partition_get_scratchpad_logical_tensor(compiled, nullptr));
    EXPECT_NULL_REFUSED("compiled", onefold_compiled_partition_get_info(nullptr, &info));
    EXPECT_NULL_REFUSED("compiled", onefold_compiled_partition_execute(nullptr, stream, nullptr, 0, nullptr, 0, nullptr));
    EXPECT_NULL_REFUSED("stream", onefold_compiled_partition_execute(compiled, nullptr, nullptr, 0, nullptr, 0, nullptr));
    EXPECT_NULL_REFUSED("inputs", onefold_compiled_partition_execute(compiled, stream, nullptr, 1, nullptr, 0, nullptr));
    onefold_compiled_partition_destroy(compiled);
    onefold_partition_destroy(partition);
}

TEST(c_abi_handles, destroying_null_does_nothing) {
    EXPECT_EQ(onefold_allocator_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_engine_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_stream_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_logical_tensor_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_tensor_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_op_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_graph_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_partition_destroy(nullptr), onefold_success);
    EXPECT_EQ(onefold_compiled_partition_destroy(nullptr), onefold_success);
}

TEST_F(c_abi, clones_are_references_to_one_object) {
    onefold_engine engine_clone = nullptr;
    ASSERT_EQ(onefold_engine_clone(&engine_clone, engine), onefold_success);
    EXPECT_EQ(engine_clone, engine);
    onefold_engine_destroy(engine_clone);
    onefold_logical_tensor lt_clone = nullptr;
    ASSERT_EQ(onefold_logical_tensor_clone(&lt_clone, src), onefold_success);
    EXPECT_EQ(lt_clone, src);
    onefold_logical_tensor_destroy(lt_clone);

    onefold_logical_tensor_view view;
    ASSERT_EQ(onefold_logical_tensor_get_view(src, &view), onefold_success);
    EXPECT_EQ(view.dims[1], 3);
    EXPECT_EQ(view.strides[0], 3);
    ASSERT_EQ(onefold_logical_tensor_get_view(dst, &view), onefold_success);
    EXPECT_EQ(view.ndims, ONEFOLD_UNKNOWN_NDIMS);
    EXPECT_EQ(view.dims, nullptr);
    EXPECT_EQ(view.strides, nullptr);
}

TEST_F(c_abi, counts_must_be_those_told) {
    size_t count = 0;
    ASSERT_EQ(onefold_graph_get_partition_count(graph, onefold_policy_fusion, &count), onefold_success);
    ASSERT_EQ(count, 1U);
    onefold_partition partitions[2] = {};
    EXPECT_EQ(onefold_graph_get_partitions(graph, partitions, 2), onefold_invalid_arguments);
    EXPECT_TRUE(last_error_has("2 partitions")) << onefold_last_error();
    EXPECT_EQ(partitions[0], nullptr);
    ASSERT_EQ(onefold_graph_get_partitions(graph, partitions, 1), onefold_success);
    size_t ids[2] = {7, 7};
    EXPECT_EQ(onefold_partition_get_ops(partitions[0], ids, 2), onefold_invalid_arguments);
    EXPECT_EQ(ids[0], 7U);
    onefold_logical_tensor port = nullptr;
    EXPECT_EQ(onefold_partition_get_input(partitions[0], 1, &port), onefold_invalid_arguments);
    EXPECT_TRUE(last_error_has("no input 1")) << onefold_last_error();
    EXPECT_EQ(onefold_partition_get_output(partitions[0], SIZE_MAX, &port), onefold_invalid_arguments);
    EXPECT_EQ(port, nullptr);
    onefold_partition_destroy(partitions[0]);
}

TEST_F(c_abi, a_rank_needs_dims) {
    onefold_logical_tensor t = nullptr;
    EXPECT_EQ(onefold_logical_tensor_create(&t, 6, onefold_f32, 2, nullptr, nullptr, onefold_layout_strided, 0,
                                            onefold_property_undef),
              onefold_invalid_arguments);
    EXPECT_TRUE(last_error_has("logical tensor 6") && last_error_has("without dims")) << onefold_last_error();
    EXPECT_EQ(t, nullptr);
}

TEST(c_abi_names, of_what_does_not_exist_are_null) {
    EXPECT_EQ(onefold_op_kind_name(onefold_op_kind_count), nullptr);
    EXPECT_EQ(onefold_op_attr_name(onefold_op_attr_undef), nullptr);
    EXPECT_EQ(onefold_op_attr_name(onefold_op_attr_end), nullptr);
    EXPECT_EQ(onefold_data_type_name(static_cast<onefold_data_type>(31)), nullptr);
    EXPECT_EQ(onefold_status_name(static_cast<onefold_status>(15)), nullptr);
    EXPECT_STREQ(onefold_status_name(onefold_invalid_graph_op), "invalid_graph_op");
    EXPECT_STREQ(onefold_data_type_name(onefold_bf16), "bf16");
}

TEST(c_abi_names, version_has_three_numbers) {
    int major = -1, minor = -1, patch = -1;
    EXPECT_EQ(std::sscanf(onefold_version(), "%d.%d.%d", &major, &minor, &patch), 3) << onefold_version();
}

} // namespace
