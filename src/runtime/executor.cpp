#include "runtime/executor.hpp"

#include <atomic>
#include <exception>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

/// So many pieces a thread even out what threads are late by.
constexpr int64_t pieces_a_thread = 4;

/// The work that one call of a host's parallel_for has to do, as its tasks see it.
class host_work {
public:
    using piece_function = void (*)(const void *body, int64_t begin, int64_t end);

    host_work(int64_t units, size_t tasks, piece_function call, const void *body)
        : units_(units), tasks_(tasks), call_(call), body_(body) {}

    /// What the host calls, which is not prepared for exceptions.
    static void run_task(void *argument, size_t index) noexcept { static_cast<host_work *>(argument)->run(index); }

    /// To be called when the host says that all is done.
    void check() const {
        if (failure_) std::rethrow_exception(failure_);
        if (const size_t done = done_.load(std::memory_order_relaxed); done != tasks_)
            fail(onefold_runtime_error, "the stream's parallel_for returned when {} of {} tasks had been run", done, tasks_);
    }

private:
    void run(size_t index) noexcept {
        if (index >= tasks_) return; // a task that there is none of: check() cannot but find that another is missing
        const auto i = static_cast<int64_t>(index), tasks = static_cast<int64_t>(tasks_);
        const int64_t size = units_ / tasks, larger = units_ % tasks; // the first pieces have a unit more
        const int64_t begin = i * size + std::min(i, larger);
        try {
            call_(body_, begin, begin + size + (i < larger ? 1 : 0));
        } catch (...) {
            if (!has_failed_.test_and_set()) failure_ = std::current_exception();
        }
        done_.fetch_add(1, std::memory_order_relaxed);
    }

    int64_t units_;
    size_t tasks_;
    piece_function call_;
    const void *body_;
    std::atomic<size_t> done_{0};
    std::atomic_flag has_failed_ = ATOMIC_FLAG_INIT;
    std::exception_ptr failure_; // the first
};

} // namespace

void executor::run_on_host(int64_t units, int64_t grain, piece_function call, const void *body) const {
    const int64_t tasks = std::min(units / grain, pieces_a_thread * threads_);
    if (threads_ == 1 || tasks <= 1) return call(body, 0, units);
    host_work work(units, static_cast<size_t>(tasks), call, body);
    parallel_for_(context_, static_cast<size_t>(tasks), host_work::run_task, &work);
    work.check();
}

} // namespace onefold::impl
