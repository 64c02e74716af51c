// execute() takes no heap memory once it has run on a thread: everything that operator new hands out is counted.
#include <cstdlib>
#include <new>

#include "api/helpers.hpp"

namespace {
thread_local size_t allocation_count = 0;
} // namespace

// Not inlined: g++ would see free() meet a plain operator new, and warn.
[[gnu::noinline]] void *operator new(size_t size) {
    ++allocation_count;
    if (void *memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void *operator new(size_t size, const std::nothrow_t &) noexcept {
    ++allocation_count;
    return std::malloc(size > 0 ? size : 1);
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace onefold_test {
namespace {

/// The allocations of this thread in one execution, after a first one.
size_t allocations_of(const compiled_partition &compiled, const std::vector<tensor> &inputs,
                      const std::vector<tensor> &outputs) {
    stream s(engine(engine::kind::cpu, 0), 1);
    compiled.execute(s, inputs, outputs);
    const size_t before = allocation_count;
    compiled.execute(s, inputs, outputs);
    return allocation_count - before;
}

TEST(allocation, is_counted) {
    const size_t before = allocation_count;
    const tensor t(f32(0, {2, 3}), engine(engine::kind::cpu, 0));
    EXPECT_GT(allocation_count, before);
}

TEST(allocation, never_happens_in_the_second_execution) {
    const engine cpu(engine::kind::cpu, 0);
    const logical_tensor src = f32(0, {16, 64, 5});
    const logical_tensor dst(1, data_type::f32);
    for (const std::vector<int64_t> &axes : {std::vector<int64_t>{2}, {0}, {1}, {0, 2}, {0, 1, 2}}) {
        const auto compiled = partition_of(reduce_mean(0, src, dst, axes)).compile({src}, {dst}, cpu);
        const tensor x(src, cpu), y(compiled.query_logical_tensor(1), cpu);
        EXPECT_EQ(allocations_of(compiled, {x}, {y}), 0U) << "first axis " << axes[0] << ", " << compiled.get_info();
    }
}

} // namespace
} // namespace onefold_test
