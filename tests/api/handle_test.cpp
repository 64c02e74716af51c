// Handles and their lifetimes, errors, engines, streams, allocators.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>

#include "api/helpers.hpp"

namespace onefold_test {
namespace {

// An allocator of the user's, counting.
std::atomic<int> allocations{0};
std::atomic<int> live_buffers{0};
std::atomic<size_t> smallest_alignment{SIZE_MAX};
std::atomic<bool> no_memory{false};

void *counting_allocate(size_t size, size_t alignment) {
    if (no_memory) return nullptr;
    ++allocations;
    ++live_buffers;
    if (alignment < smallest_alignment) smallest_alignment = alignment;
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void counting_deallocate(void *pointer) {
    --live_buffers;
    std::free(pointer);
}

struct allocator_test : testing::Test {
    allocator_test() {
        allocations = 0;
        live_buffers = 0;
        smallest_alignment = SIZE_MAX;
        no_memory = false;
    }
};

TEST(error, says_what_is_wrong_and_keeps_its_text) {
    error copy(onefold_success, "");
    try {
        engine(engine::kind::gpu, 0);
        FAIL() << "there is no GPU engine";
    } catch (const error &e) {
        copy = e;
    }
    // Another failure replaces the library's own message, not the error's.
    EXPECT_THROW(engine(engine::kind::cpu, 7), error);
    EXPECT_EQ(copy.status, onefold_invalid_arguments);
    EXPECT_STREQ(copy.what(), copy.message);
    EXPECT_NE(std::string(copy.what()).find("not the CPU"), std::string::npos) << copy.what();
}

TEST(error, wraps_the_c_api_with_a_message_of_the_callers_or_the_librarys) {
    EXPECT_NO_THROW(error::wrap_c_api(onefold_success, "no"));
    EXPECT_TRUE(fails(onefold_unimplemented, {"mine"}, [] { error::wrap_c_api(onefold_unimplemented, "mine"); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"'kind'"}, [] {
        const engine cpu(engine::kind::cpu, 0);
        error::wrap_c_api(onefold_engine_get_kind(cpu.get(), nullptr));
    }));
}

TEST(error, messages_are_the_threads_own) {
    EXPECT_THROW(engine(engine::kind::cpu, 7), error);
    const std::string mine = onefold_last_error();
    std::string first_of_other = "?";
    std::thread([&] {
        first_of_other = onefold_last_error();
        EXPECT_THROW(engine(engine::kind::gpu, 0), error);
    }).join();
    EXPECT_EQ(first_of_other, "");
    EXPECT_EQ(mine, onefold_last_error());
    EXPECT_NE(mine.find("index 7"), std::string::npos) << mine;
}

TEST(handle, copies_share_the_object_and_an_empty_one_is_empty) {
    const engine first(engine::kind::cpu, 0);
    const engine copy = first;
    const engine second(engine::kind::cpu, 0);
    EXPECT_TRUE(first == copy);
    EXPECT_TRUE(first != second);
    EXPECT_EQ(first.get(), copy.get());
    EXPECT_EQ(first.get(), static_cast<onefold_engine>(copy));
    EXPECT_TRUE(static_cast<bool>(first));
    EXPECT_FALSE(static_cast<bool>(engine()));
    EXPECT_TRUE(engine() == engine());
    EXPECT_EQ(engine().get(true), nullptr);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"engine", "empty"}, [] { engine().get(); }));
}

TEST(handle, takes_over_c_handles_unless_it_is_weak) {
    onefold_engine c_engine = nullptr;
    ASSERT_EQ(onefold_engine_create(&c_engine, onefold_cpu, 0, nullptr), onefold_success);
    { const engine weak(c_engine, true); }
    engine owner(c_engine);
    EXPECT_EQ(owner.get_kind(), engine::kind::cpu);
    owner.reset(nullptr);
    EXPECT_FALSE(static_cast<bool>(owner));
}

TEST(handle, every_function_of_an_empty_one_throws) {
    const auto refused = [](auto &&call) { return fails(onefold_invalid_arguments, {"empty"}, call); };
    const engine cpu(engine::kind::cpu, 0);
    const logical_tensor lt = f32(0, {2, 3});
    stream s(cpu);
    op o(0, op::kind::ReLU);
    graph g(engine::kind::cpu);

    EXPECT_TRUE(refused([] { engine().get_kind(); }));
    EXPECT_TRUE(refused([] { stream().wait(); }));
    EXPECT_TRUE(refused([] { stream().get_engine(); }));
    EXPECT_TRUE(refused([] { stream{engine()}; }));
    EXPECT_TRUE(refused([] { make_engine_with_allocator(engine::kind::cpu, 0, allocator(onefold_allocator())); }));
    EXPECT_TRUE(refused([] { logical_tensor().get_id(); }));
    EXPECT_TRUE(refused([] { logical_tensor().get_dims(); }));
    EXPECT_TRUE(refused([] { logical_tensor().get_mem_size(); }));
    EXPECT_TRUE(refused([&] { lt.is_equal(logical_tensor()); }));
    EXPECT_TRUE(refused([&] { tensor(logical_tensor(), cpu, nullptr); }));
    EXPECT_TRUE(refused([&] { tensor(lt, engine(), nullptr); }));
    EXPECT_TRUE(refused([] { tensor().get_data_handle(); }));
    EXPECT_TRUE(refused([] { tensor().set_data_handle(nullptr); }));
    EXPECT_TRUE(refused([] { tensor().get_engine(); }));
    EXPECT_TRUE(refused([] { tensor().get_logical_tensor(); }));
    EXPECT_TRUE(refused([&] { op().add_input(lt); }));
    EXPECT_TRUE(refused([&] { o.add_outputs({lt, logical_tensor()}); }));
    EXPECT_TRUE(refused([] { op().set_attr<bool>(op::attr::keep_dims, true); }));
    EXPECT_TRUE(refused([] { partition(op(), engine::kind::cpu); }));
    EXPECT_TRUE(refused([] { partition().get_ops(); }));
    EXPECT_TRUE(refused([] { partition().get_id(); }));
    EXPECT_TRUE(refused([] { partition().is_supported(); }));
    EXPECT_TRUE(refused([] { partition().get_input_ports(); }));
    EXPECT_TRUE(refused([] { partition().get_output_ports(); }));
    EXPECT_TRUE(refused([] { partition().get_engine_kind(); }));
    EXPECT_TRUE(refused([&] { partition().compile({}, {}, cpu); }));
    EXPECT_TRUE(refused([] { compiled_partition().query_logical_tensor(0); }));
    EXPECT_TRUE(refused([] { compiled_partition().get_inplace_ports(); }));
    EXPECT_TRUE(refused([] { compiled_partition().get_scratchpad_logical_tensor(); }));
    EXPECT_TRUE(refused([] { compiled_partition().get_info(); }));
    EXPECT_TRUE(refused([&] { compiled_partition().execute(s, {}, {}); }));
    EXPECT_TRUE(refused([] { graph().finalize(); }));
    EXPECT_TRUE(refused([] { graph().is_finalized(); }));
    EXPECT_TRUE(refused([] { graph().get_partitions(); }));
    EXPECT_TRUE(refused([] { graph().set_fpmath_mode(fpmath_mode::any); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"'op'"}, [&] { g.add_op(op()); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"'graph'"}, [&] { graph().add_op(o); }));
}

TEST(engine, is_the_one_cpu) {
    EXPECT_EQ(engine::get_count(engine::kind::cpu), 1U);
    EXPECT_EQ(engine::get_count(engine::kind::gpu), 0U);
    EXPECT_EQ(engine::get_count(engine::kind::any), 0U);
    EXPECT_EQ(engine(engine::kind::cpu, 0).get_kind(), engine::kind::cpu);
    EXPECT_EQ(engine(engine::kind::any, 0).get_kind(), engine::kind::cpu);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"kind 2"}, [] { engine(engine::kind::gpu, 0); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"index 1"}, [] { engine(engine::kind::cpu, 1); }));
}

TEST(stream, knows_its_engine_and_outlives_its_handle) {
    engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    EXPECT_TRUE(s.get_engine() == cpu);
    cpu = engine();
    EXPECT_EQ(s.get_engine().get_kind(), engine::kind::cpu);
    EXPECT_EQ(&s.wait(), &s);
}

TEST(stream, takes_flags_or_a_number_of_threads) {
    const engine cpu(engine::kind::cpu, 0);
    EXPECT_NO_THROW(stream(cpu, stream::flags::in_order | stream::flags::out_of_order));
    EXPECT_NO_THROW(stream(cpu, 0));
    EXPECT_NO_THROW(stream(cpu, 1));
    testing::internal::CaptureStderr();
    EXPECT_NO_THROW(stream(cpu, UINT32_MAX)) << "no more than the machine has";
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the library never prints";
}

TEST(stream, flags_are_a_bit_mask) {
    using flags = stream::flags;
    flags f = flags::in_order;
    f |= flags::out_of_order;
    EXPECT_EQ(f & flags::in_order, flags::default_flags);
    f &= ~flags::in_order;
    EXPECT_EQ(f, flags::out_of_order);
    f ^= flags::out_of_order;
    EXPECT_EQ(f, flags{});
    EXPECT_EQ(flags::in_order ^ flags::out_of_order, flags::in_order | flags::out_of_order);
}

TEST_F(allocator_test, wants_both_functions_or_neither) {
    EXPECT_NO_THROW(allocator());
    EXPECT_NO_THROW(allocator(nullptr, nullptr));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"'deallocate' is NULL"}, [] { allocator(counting_allocate, nullptr); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"'allocate' is NULL"}, [] { allocator(nullptr, counting_deallocate); }));
}

TEST_F(allocator_test, gives_the_engine_its_memory_and_gets_all_of_it_back) {
    {
        engine cpu;
        {
            const allocator counting(counting_allocate, counting_deallocate);
            cpu = make_engine_with_allocator(engine::kind::cpu, 0, counting);
        } // the engine keeps what it needs of it
        const logical_tensor src = f32(0, {8, 64, 33});
        const logical_tensor dst(1, data_type::f32, layout_type::any);
        tensor x(src, cpu);
        EXPECT_EQ(allocations, 1);
        const auto compiled = partition_of(reduce_mean(0, src, dst, {0, 2})).compile({src}, {dst}, cpu);
        tensor y(compiled.query_logical_tensor(1), cpu);
        std::fill_n(static_cast<float *>(x.get_data_handle()), 8 * 64 * 33, 1.0F);
        stream s(cpu);
        compiled.execute(s, {x}, {y});
        EXPECT_EQ(static_cast<float *>(y.get_data_handle())[63], 1.0F);
        EXPECT_GE(live_buffers, 2);
    }
    EXPECT_EQ(live_buffers, 0);
    EXPECT_GE(smallest_alignment, 64U);
}

TEST_F(allocator_test, that_has_no_memory_gives_out_of_memory) {
    const engine cpu = make_engine_with_allocator(engine::kind::cpu, 0, allocator(counting_allocate, counting_deallocate));
    no_memory = true;
    EXPECT_TRUE(fails(onefold_out_of_memory, {"24 bytes"}, [&] { tensor(f32(0, {2, 3}), cpu); }));
    EXPECT_EQ(live_buffers, 0);
}

TEST_F(allocator_test, that_is_the_default_one_does_not_have_everything_either) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers may abort instead";
#endif
    const engine plain(engine::kind::cpu, 0);
    EXPECT_TRUE(fails(onefold_out_of_memory, {"bytes"}, [&] { tensor(f32(0, {int64_t{1} << 30, int64_t{1} << 27}), plain); }));
}

TEST_F(allocator_test, works_with_the_default_functions) {
    const engine cpu = make_engine_with_allocator(engine::kind::cpu, 0, allocator());
    const tensor t(f32(0, {2, 3}), cpu);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.get_data_handle()) % 64, 0U);
    EXPECT_EQ(allocations, 0);
}

} // namespace
} // namespace onefold_test
