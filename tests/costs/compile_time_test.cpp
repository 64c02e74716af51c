// compile() of one op takes less than 5 ms.
#include <chrono>

#include "support/partitions.hpp"

using namespace onefold_test;

namespace {

double best_milliseconds(const std::function<void()> &call) {
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
        const auto start = std::chrono::steady_clock::now();
        call();
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
        best = std::min(best, elapsed.count());
    }
    return best;
}

/// The best of several compilations, each for other dims, so that nothing that was compiled before can be used again.
double compile_milliseconds(op::kind kind, const attributes &attrs, data_type type, size_t srcs) {
    int64_t n = 100;
    return best_milliseconds([&] {
        ++n;
        std::vector<logical_tensor> inputs;
        for (size_t i = 0; i < srcs; ++i)
            inputs.push_back(dense(i, type, {n, 33, n + 1}));
        compile_op(kind, attrs, inputs, open_tensor(dst_id, type));
    });
}

TEST(compile_time, of_one_op_is_under_5_ms) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
    GTEST_SKIP() << "only an optimized build counts";
#endif
    for (const data_type type : float_types) {
        for (const op::kind kind : reductions)
            for (const axes_list &axes : {axes_list{0}, axes_list{1}, axes_list{2}, axes_list{0, 2}, axes_list{0, 1, 2}})
                EXPECT_LT(compile_milliseconds(kind, over(axes), type, 1), 5) << name_of(kind) << " of " << name_of(type);
        for (const op::kind kind : {op::kind::Add, op::kind::Divide, op::kind::Maximum, op::kind::SquaredDifference})
            EXPECT_LT(compile_milliseconds(kind, {}, type, 2), 5) << name_of(kind) << " of " << name_of(type);
        for (const op::kind kind : {op::kind::Abs, op::kind::Exp, op::kind::GELU, op::kind::Tanh, op::kind::Reorder})
            EXPECT_LT(compile_milliseconds(kind, {}, type, 1), 5) << name_of(kind) << " of " << name_of(type);
    }
}

} // namespace
