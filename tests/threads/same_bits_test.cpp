// The same inputs give the same bits whatever the number of threads.
#include <tbb/global_control.h>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

const std::pair<dims, std::vector<axes_list>> shapes[] = {
    {{70000}, {{0}}},
    {{1000003}, {{0}}},
    {{200, 700}, {{0}, {1}, {0, 1}}},
    {{3, 100003}, {{0}, {1}, {0, 1}}},
    {{100003, 3}, {{0}, {1}, {0, 1}}},
    {{17, 60, 130}, {{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}}},
};

std::vector<double> values_of(data_type type, size_t count) {
    std::vector<double> values = random_values(type, count, 61);
    const bool is_float = std::find(std::begin(float_types), std::end(float_types), type) != std::end(float_types);
    if (!is_float && type != data_type::f64)
        for (double &value : values)
            value = std::abs(std::nearbyint(15 * value));
    return values;
}

class same_bits : public testing::TestWithParam<op::kind> {
    // More than the machine may have: threads take turns then, and pieces of work go to different ones.
    tbb::global_control allow_{tbb::global_control::max_allowed_parallelism, 8};
};

TEST_P(same_bits, with_1_2_3_and_8_threads) {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer cannot see how oneTBB hands work to other threads";
#endif
    for (const data_type type : {data_type::f32, data_type::bf16, data_type::f16, data_type::f64, data_type::s8, data_type::u8,
                                 data_type::s32, data_type::s64})
        for (const auto &[shape, lists] : shapes) {
            const array src(type, shape, values_of(type, count_of(shape)));
            for (const axes_list &axes : lists) {
                const auto compiled = compile_op(GetParam(), over(axes), {src.describe(0)}, open_tensor(dst_id, type));
                std::vector<array> srcs = {src};
                std::vector<std::byte> first;
                for (const unsigned threads : {1U, 2U, 3U, 8U, 8U}) {
                    array dst(type, compiled.query_logical_tensor(dst_id).get_dims());
                    execute(compiled, srcs, dst, threads);
                    if (first.empty()) first = dst.memory();
                    ASSERT_EQ(dst.memory(), first) << name_of(type) << testing::PrintToString(shape) << " over "
                                                   << testing::PrintToString(axes) << " with " << threads << " threads";
                }
            }
        }
}

INSTANTIATE_TEST_SUITE_P(all, same_bits, testing::ValuesIn(reductions), [](const auto &one) { return name_of(one.param); });

} // namespace
