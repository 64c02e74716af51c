// Normalizations read and write no byte beside their tensors, which lie against pages that nothing may touch.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "onefold/graph.hpp"

using namespace onefold;
using namespace onefold::graph;
using data_type = logical_tensor::data_type;
using dims = logical_tensor::dims;

namespace {

/// Memory that begins behind a forbidden page, or ends before one.
class fenced_memory {
public:
    fenced_memory(size_t bytes, bool at_end) : mapped_(round_up(bytes) + 2 * page()) {
        pages_ = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages_ == MAP_FAILED) throw std::bad_alloc();
        std::byte *first = static_cast<std::byte *>(pages_) + page();
        if (mprotect(first, mapped_ - 2 * page(), PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        data_ = first + (at_end ? round_up(bytes) - bytes : 0);
        std::memset(data_, 0x3C, bytes); // ordinary numbers in f32, bf16 and f16
    }
    ~fenced_memory() { munmap(pages_, mapped_); }
    fenced_memory(const fenced_memory &) = delete;
    fenced_memory &operator=(const fenced_memory &) = delete;
    void *data() const { return data_; }

private:
    static size_t page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
    static size_t round_up(size_t bytes) { return (bytes + page() - 1) / page() * page(); }

    size_t mapped_;
    void *pages_ = nullptr;
    std::byte *data_ = nullptr;
};

void execute_at_both_ends(op o, data_type type, const std::vector<dims> &src_dims) {
    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    std::vector<logical_tensor> srcs;
    for (const dims &d : src_dims)
        srcs.emplace_back(srcs.size(), type, d, logical_tensor::layout_type::strided);
    const logical_tensor dst(100, type, src_dims.front(), logical_tensor::layout_type::strided);
    o.add_inputs(srcs);
    o.add_output(dst);
    const compiled_partition compiled = partition(o, engine::kind::cpu).compile(srcs, {dst}, cpu);
    for (const bool at_end : {false, true}) {
        std::vector<std::unique_ptr<fenced_memory>> memory;
        const auto bind = [&](const logical_tensor &t) {
            memory.push_back(std::make_unique<fenced_memory>(t.get_mem_size(), at_end));
            return tensor(t, cpu, memory.back()->data());
        };
        std::vector<tensor> bound;
        for (const logical_tensor &src : srcs)
            bound.push_back(bind(src));
        const tensor result = bind(dst);
        compiled.execute(s, bound, {result});
    }
}

class fused_bounds : public testing::TestWithParam<data_type> {
protected:
    /// Sizes around those of vectors, groups of them and of rows.
    template <typename Body>
    static void for_each_size(const Body &body) {
        for (const int64_t rows : {1, 2, 3, 7, 8, 9, 19})
            for (int64_t columns = 1; columns < 300; columns += columns < 140 ? 1 : 37)
                body(rows, columns);
    }
};

TEST_P(fused_bounds, of_rows_are_kept) {
    for_each_size([](int64_t rows, int64_t columns) {
        op norm(0, op::kind::LayerNorm, "");
        norm.set_attr<bool>(op::attr::keep_stats, false);
        execute_at_both_ends(norm, GetParam(), {{rows, columns}, {columns}, {columns}});
        op softmax(0, op::kind::SoftMax, "");
        softmax.set_attr<int64_t>(op::attr::axis, -1);
        execute_at_both_ends(softmax, GetParam(), {{rows, columns}});
    });
}

TEST_P(fused_bounds, of_columns_are_kept) {
    for_each_size([](int64_t rows, int64_t columns) {
        op softmax(0, op::kind::LogSoftmax, "");
        softmax.set_attr<int64_t>(op::attr::axis, 0);
        execute_at_both_ends(softmax, GetParam(), {{rows, columns}});
    });
}

INSTANTIATE_TEST_SUITE_P(all, fused_bounds, testing::Values(data_type::f32, data_type::bf16, data_type::f16));

} // namespace
