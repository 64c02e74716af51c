// The same inputs give the same bits whatever the number of threads, and whoever's they are.
#include <map>

#include <tbb/global_control.h>

#include "support/expected.hpp"
#include "support/host_pool.hpp"

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

constexpr data_type every_type[] = {data_type::f32, data_type::bf16, data_type::f16, data_type::f64,
                                    data_type::s8,  data_type::u8,   data_type::s16, data_type::u16,
                                    data_type::s32, data_type::u32,  data_type::s64, data_type::u64};

bool is_integer(data_type type) {
    return std::find(std::begin(integer_types), std::end(integer_types), type) != std::end(integer_types);
}

/// Made once for each type and shape: they are the slow part.
const array &source_of(data_type type, const dims &shape) {
    static std::map<std::pair<data_type, dims>, array> made;
    const auto known = made.find({type, shape});
    if (known != made.end()) return known->second;
    std::vector<double> values = random_values(type, count_of(shape), 61);
    if (is_integer(type))
        for (double &value : values)
            value = std::abs(std::nearbyint(15 * value));
    return made.emplace(std::pair{type, shape}, array(type, shape, values)).first->second;
}

/// Executes with 1, 2, 3 and 8 threads, with 8 again, as pieces of work go to different ones then, and with a host's.
void check_threads(op::kind kind, const attributes &attrs, std::vector<array> srcs) {
    const data_type type = srcs[0].type();
    const auto compiled = compile_op(kind, attrs, describe(srcs), open_tensor(dst_id, type));
    std::vector<std::byte> first;
    for (const unsigned threads : {1U, 2U, 3U, 8U, 8U}) {
        array dst(type, compiled.query_logical_tensor(dst_id).get_dims());
        execute(compiled, srcs, dst, threads);
        if (first.empty()) first = dst.memory();
        ASSERT_EQ(dst.memory() == first, true) << name_of(kind) << " of " << name_of(type)
                                               << testing::PrintToString(srcs[0].shape()) << " with " << threads << " threads";
    }
    for (const unsigned threads : {1U, 2U, 7U}) {
        array dst(type, compiled.query_logical_tensor(dst_id).get_dims());
        host_pool pool(threads);
        stream s = pool.make_stream(cpu());
        execute(compiled, srcs, dst, s);
        ASSERT_EQ(dst.memory() == first, true)
            << name_of(kind) << " of " << name_of(type) << testing::PrintToString(srcs[0].shape()) << " with " << threads
            << " threads of a host";
    }
}

class same_bits : public testing::TestWithParam<op::kind> {
protected:
    void SetUp() override {
#if defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "the sanitizer cannot see how oneTBB hands work to other threads";
#endif
    }

private:
    // More than the machine may have: threads take turns then.
    tbb::global_control allow_{tbb::global_control::max_allowed_parallelism, 8};
};

class same_bits_of_reductions : public same_bits {};

TEST_P(same_bits_of_reductions, with_1_2_3_and_8_threads) {
    for (const data_type type : every_type)
        for (const auto &[shape, lists] : shapes)
            for (const axes_list &axes : lists)
                check_threads(GetParam(), over(axes), {source_of(type, shape)});
}

INSTANTIATE_TEST_SUITE_P(all, same_bits_of_reductions,
                         testing::Values(op::kind::ReduceSum, op::kind::ReduceMean, op::kind::ReduceMax, op::kind::ReduceMin,
                                         op::kind::ReduceProd, op::kind::ReduceL1, op::kind::ReduceL2,
                                         op::kind::ReduceSumSquare),
                         [](const auto &one) { return name_of(one.param); });

class same_bits_of_sources : public same_bits {};

TEST_P(same_bits_of_sources, with_1_2_3_and_8_threads) {
    for (const data_type type : every_type) {
        if (GetParam() == op::kind::Mean && is_integer(type)) continue; // not defined for them
        const array &dense = source_of(type, {200, 700});
        const array &rows = source_of(type, {200, 1});
        for (const size_t number : {2U, 3U, 8U, 9U}) {
            std::vector<array> srcs(number, dense);
            check_threads(GetParam(), {}, srcs);
            srcs[number - 1] = rows;
            check_threads(GetParam(), {}, srcs);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(all, same_bits_of_sources,
                         testing::Values(op::kind::Sum, op::kind::Mean, op::kind::Max, op::kind::Min),
                         [](const auto &one) { return name_of(one.param); });

} // namespace
