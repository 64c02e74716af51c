// What fused partitions read and write in 16 bits: every pattern, subnormal numbers, ties, what overflows, NaNs of any payload.
#include "support/bits.hpp"
#include "support/one_partition.hpp"

using namespace onefold_test;

namespace {

constexpr data_type half_types[] = {data_type::bf16, data_type::f16};

/// Upper halves of all f32, or of every `step`th, with lower halves at and around the ties of both types.
std::vector<uint64_t> patterns_of_f32(uint32_t step) {
    std::vector<uint64_t> patterns;
    for (const uint32_t low : {0U, 1U, 0x0FFFU, 0x1000U, 0x1001U, 0x3000U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU})
        for (uint32_t high = 0; high < 0x10000U; high += step)
            patterns.push_back(high << 16 | low);
    return patterns;
}

array with_bits(data_type type, const dims &shape, const std::vector<uint64_t> &bits) {
    array a(type, shape);
    for (size_t i = 0; i < bits.size(); ++i)
        set_bits(a, i, bits[i]);
    return a;
}

/// Rows of that length, filled up with zeros.
array in_rows(data_type type, std::vector<uint64_t> bits, size_t length) {
    bits.resize((bits.size() + length - 1) / length * length, 0);
    return with_bits(type, {static_cast<int64_t>(bits.size() / length), static_cast<int64_t>(length)}, bits);
}

std::vector<double> negated(const array &src, data_type type) {
    std::vector<double> values = src.values();
    for (double &value : values)
        value = round_to(type, -value);
    return values;
}

/// A value that is an output, with a reduction behind it: steps of their own would not be cheaper.
array run_with_reduction(one_partition &p, const logical_tensor &value, const logical_tensor &output) {
    const auto below = p.add(op::kind::Subtract, {value, p.add(op::kind::ReduceMax, {value})});
    p.compile({output, p.add(op::kind::Subtract, {below, p.add(op::kind::ReduceMean, {below})})});
    return testing::Test::HasFatalFailure() ? array(data_type::f32, {0}) : p.run()[0];
}

TEST(fused_rounding, results_are_rounded_to_16_bits_once_and_to_even) {
    for (const data_type type : half_types)
        for (const auto &[length, axis] : {std::pair(1000U, -1), std::pair(77U, -1), std::pair(77U, 0)}) {
            const array src = in_rows(data_type::f32, patterns_of_f32(3), length);
            one_partition p({axis});
            const auto y = p.add(op::kind::Neg, {p.add_source(src)});
            const array got = run_with_reduction(p, y, p.cast(y, type));
            if (HasFatalFailure()) return;
            ASSERT_TRUE(are_identical(got.values(), negated(src, type)))
                << name_of(type) << " in rows of " << length << ", axis " << axis;
        }
}

TEST(fused_rounding, a_value_that_is_rounded_on_the_way_is_the_number_of_16_bits) {
    for (const data_type type : half_types) {
        const array src = in_rows(data_type::f32, patterns_of_f32(3), 77);
        one_partition p;
        const auto y = p.cast(p.cast(p.add(op::kind::Neg, {p.add_source(src)}), type), data_type::f32);
        const array got = run_with_reduction(p, y, y);
        if (HasFatalFailure()) return;
        ASSERT_TRUE(are_identical(got.values(), negated(src, type))) << name_of(type);
    }
}

TEST(fused_rounding, one_value_a_row_is_rounded_as_elements_are) {
    constexpr size_t length = 64;
    for (const data_type type : half_types) {
        const std::vector<uint64_t> patterns = patterns_of_f32(19);
        std::vector<uint64_t> spread;
        for (const uint64_t bits : patterns)
            spread.insert(spread.end(), length, bits);
        one_partition p;
        const auto x = p.add_source(in_rows(data_type::f32, spread, length));
        const auto most = p.add(op::kind::ReduceMax, {x});
        const auto below = p.add(op::kind::Subtract, {x, most});
        const auto y = p.add(op::kind::Subtract, {below, p.add(op::kind::ReduceMean, {below})});
        p.compile({p.cast(p.add(op::kind::Neg, {most}), type), y});
        if (HasFatalFailure()) return;
        const array once = with_bits(data_type::f32, {static_cast<int64_t>(patterns.size())}, patterns);
        ASSERT_TRUE(are_identical(p.run()[0].values(), negated(once, type))) << name_of(type);
    }
}

TEST(fused_rounding, every_number_of_16_bits_is_read_as_it_is) {
    for (const data_type type : half_types)
        for (const size_t length : {64U, 77U, 1000U})
            for (const int64_t axis : {-1, 0}) {
                std::vector<uint64_t> patterns(0x10000);
                for (size_t i = 0; i < patterns.size(); ++i)
                    patterns[i] = i;
                const array src = in_rows(type, patterns, length);
                one_partition p({axis});
                const auto x = p.cast(p.add_source(src), data_type::f32);
                const auto y = p.add(op::kind::Neg, {x});
                const array got = run_with_reduction(p, x, y);
                if (HasFatalFailure()) return;
                ASSERT_TRUE(are_identical(got.values(), negated(src, data_type::f32)))
                    << name_of(type) << " in rows of " << length << ", axis " << axis;
            }
}

/// Several vectors are stored at a time, and looked at together before; the last one may be a part.
TEST(fused_rounding, a_subnormal_number_is_kept_whatever_stands_beside_it) {
    constexpr uint64_t one = 0x3F800000;
    constexpr uint64_t subnormal = 0x00430000;
    std::vector<uint64_t> neighbours = nans_of(data_type::f32);
    neighbours.insert(neighbours.end(), {one, 0, 0x80000000, 0x7F800000, 0xFF800000, 0x80430000, 0x7F7FFFFF});
    for (const size_t length : {96U, 144U, 150U}) {
        std::vector<uint64_t> bits;
        for (const uint64_t neighbour : neighbours)
            for (size_t at = 0; at < length; at += 11)
                for (size_t lanes = 16; lanes < length; lanes += 16) {
                    std::vector<uint64_t> row(length, one);
                    row[at] = subnormal;
                    row[(at + lanes) % length] = neighbour;
                    bits.insert(bits.end(), row.begin(), row.end());
                }
        for (const data_type type : half_types) {
            const array src = in_rows(data_type::f32, bits, length);
            one_partition p;
            const auto y = p.add(op::kind::Neg, {p.add_source(src)});
            const array got = run_with_reduction(p, y, p.cast(y, type));
            if (HasFatalFailure()) return;
            ASSERT_TRUE(are_identical(got.values(), negated(src, type))) << name_of(type) << " in rows of " << length;
        }
    }
}

} // namespace
