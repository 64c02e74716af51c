// Streams whose work a host's parallel_for shares out: what it is called with, what happens where it does not keep its
// contract.
#include <filesystem>
#include <new>
#include <stdexcept>

#include "api/helpers.hpp"

namespace onefold_test {
namespace {

/// A host without threads, that does what a test wants it to.
struct host {
    void (*parallel_for)(host &self, size_t tasks, onefold_task_function task, void *argument) = run_all;
    size_t calls = 0;
    size_t most_tasks = 0;

    static void run_all(host &, size_t tasks, onefold_task_function task, void *argument) {
        for (size_t i = tasks; i-- > 0;)
            task(argument, i);
    }

    stream make_stream(const engine &e, unsigned threads) {
        const auto hook = [](void *context, size_t tasks, onefold_task_function task, void *argument) {
            host &self = *static_cast<host *>(context);
            ++self.calls;
            self.most_tasks = std::max(self.most_tasks, tasks);
            self.parallel_for(self, tasks, task, argument);
        };
        return {e, hook, this, threads};
    }
};

/// The row means of a matrix that is worth some threads' while.
class means {
public:
    means() {
        const partition p(reduce_mean(0, f32(0, {rows, columns}), f32(1, {rows})), engine::kind::cpu);
        compiled_ = p.compile({f32(0, {rows, columns})}, {f32(1, {rows})}, cpu);
    }

    void execute(stream &s) {
        compiled_.execute(s, {tensor(f32(0, {rows, columns}), cpu, src_.data())}, {tensor(f32(1, {rows}), cpu, dst_.data())});
    }
    /// Whether each row's mean was written; forgets them.
    bool are_right() {
        const bool right = dst_ == std::vector<float>(rows, 3);
        dst_.assign(rows, 0);
        return right;
    }
    std::string info() const { return compiled_.get_info(); }

    const engine cpu{engine::kind::cpu, 0};

private:
    static constexpr int64_t rows = 400, columns = 3000;

    compiled_partition compiled_;
    std::vector<float> src_ = std::vector<float>(rows * columns, 3);
    std::vector<float> dst_ = std::vector<float>(rows, 0);
};

size_t count_threads() {
    const std::filesystem::directory_iterator threads("/proc/self/task"), end;
    return static_cast<size_t>(std::distance(threads, end));
}

TEST(parallel_for, gets_all_the_work) {
    means m;
    ASSERT_EQ(m.info().find("onednn:"), std::string::npos) << m.info();
    for (const unsigned threads : {2U, 3U, 64U, 1000000U}) {
        host h;
        stream s = h.make_stream(m.cpu, threads);
        m.execute(s);
        EXPECT_TRUE(m.are_right()) << threads;
        EXPECT_EQ(h.calls, 1U) << threads;
        EXPECT_GT(h.most_tasks, 1U) << threads;
        EXPECT_LE(h.most_tasks, std::min(4 * size_t{threads}, size_t{400})) << threads;
    }
}

TEST(parallel_for, is_not_called_for_one_thread_nor_for_little_work) {
    means m;
    host h;
    stream one = h.make_stream(m.cpu, 1), many = h.make_stream(m.cpu, 8);
    m.execute(one);
    EXPECT_TRUE(m.are_right());

    const partition p(reduce_mean(0, f32(0, {2, 3}), f32(1, {2})), engine::kind::cpu);
    std::vector<float> src = {1, 2, 3, 4, 5, 6}, dst(2);
    p.compile({f32(0, {2, 3})}, {f32(1, {2})}, m.cpu)
        .execute(many, {tensor(f32(0, {2, 3}), m.cpu, src.data())}, {tensor(f32(1, {2}), m.cpu, dst.data())});
    EXPECT_EQ(dst, (std::vector<float>{2, 5}));
    EXPECT_EQ(h.calls, 0U);
}

TEST(parallel_for, starts_no_thread_whatever_computes_the_steps) {
    const engine cpu(engine::kind::cpu, 0);
    host h;
    stream s = h.make_stream(cpu, 8);
    const size_t before = count_threads();
    means m;
    m.execute(s);
    // Add is oneDNN's.
    const logical_tensor large = f32(0, {1000, 1000});
    const partition add(op(0, op::kind::Add, {large, f32(1, {1000})}, {f32(2, {1000, 1000})}), engine::kind::cpu);
    const compiled_partition sum = add.compile({large, f32(1, {1000})}, {f32(2, {1000, 1000})}, cpu);
    ASSERT_NE(sum.get_info().find("onednn:"), std::string::npos) << sum.get_info();
    std::vector<float> a(1000000, 2), b(1000, 5), c(1000000);
    for (int i = 0; i < 3; ++i)
        sum.execute(s, {tensor(large, cpu, a.data()), tensor(f32(1, {1000}), cpu, b.data())},
                    {tensor(f32(2, {1000, 1000}), cpu, c.data())});
    EXPECT_EQ(c, std::vector<float>(1000000, 7));
    EXPECT_LE(count_threads(), before);
}

TEST(parallel_for, that_throws_makes_execute_fail_and_can_be_called_again) {
    means m;
    host h;
    stream s = h.make_stream(m.cpu, 4);
    h.parallel_for = [](host &, size_t, onefold_task_function, void *) { throw std::runtime_error("the pool is closed"); };
    EXPECT_TRUE(fails(onefold_runtime_error, {"the pool is closed"}, [&] { m.execute(s); }));
    h.parallel_for = [](host &, size_t, onefold_task_function, void *) { throw std::bad_alloc(); };
    EXPECT_TRUE(fails(onefold_out_of_memory, {"memory"}, [&] { m.execute(s); }));
    h.parallel_for = [](host &, size_t, onefold_task_function, void *) { throw 7; };
    EXPECT_TRUE(fails(onefold_runtime_error, {"unknown type"}, [&] { m.execute(s); }));
    h.parallel_for = host::run_all;
    m.execute(s);
    EXPECT_TRUE(m.are_right());
}

TEST(parallel_for, that_leaves_tasks_out_makes_execute_fail) {
    means m;
    host h;
    stream s = h.make_stream(m.cpu, 4);
    h.parallel_for = [](host &, size_t, onefold_task_function, void *) {};
    EXPECT_TRUE(fails(onefold_runtime_error, {"parallel_for", "0 of 16 tasks"}, [&] { m.execute(s); }));
    h.parallel_for = [](host &, size_t tasks, onefold_task_function task, void *argument) {
        for (size_t i = 1; i <= tasks; ++i) // one that there is none of, in place of the first
            task(argument, i);
    };
    EXPECT_TRUE(fails(onefold_runtime_error, {"parallel_for", "15 of 16 tasks"}, [&] { m.execute(s); }));
}

TEST(parallel_for, may_execute_something_else_while_it_waits) {
    means m;
    static means *other = nullptr;
    means inner;
    other = &inner;
    host h;
    h.parallel_for = [](host &self, size_t tasks, onefold_task_function task, void *argument) {
        host nested;
        stream s = nested.make_stream(other->cpu, 3);
        task(argument, 0);
        other->execute(s);
        self.most_tasks += nested.most_tasks;
        for (size_t i = 1; i < tasks; ++i)
            task(argument, i);
    };
    stream s = h.make_stream(m.cpu, 4);
    m.execute(s);
    EXPECT_TRUE(m.are_right());
    EXPECT_TRUE(inner.are_right());
    EXPECT_EQ(h.most_tasks, 16U + 12U);
}

TEST(parallel_for, and_its_threads_must_be_given) {
    const engine cpu(engine::kind::cpu, 0);
    host h;
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"stream", "0 threads"}, [&] { h.make_stream(cpu, 0); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"'parallel_for'", "NULL"}, [&] { stream(cpu, nullptr, &h, 2); }));
    const auto hook = [](void *, size_t, onefold_task_function, void *) {};
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"engine", "empty"}, [&] { stream(engine(), hook, nullptr, 2); }));
    EXPECT_NO_THROW(stream(cpu, hook, nullptr, 2));
}

} // namespace
} // namespace onefold_test
