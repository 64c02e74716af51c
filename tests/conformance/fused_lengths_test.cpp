// Fused normalizations of rows of any length and number: whole vectors, rests of them, groups of rows and what is left over.
#include "support/normalizations.hpp"

using namespace onefold_test;

namespace {

class fused_lengths : public testing::TestWithParam<normalization> {
protected:
    static void check(data_type type, int64_t rows, int64_t length) {
        const dims shape = {rows, length};
        const array src(type, shape, random_values(type, count_of(shape), static_cast<unsigned>(7 * rows + length)));
        one_partition p;
        compile_normalization(p, GetParam(), src);
        if (HasFatalFailure()) return;
        ASSERT_TRUE(are_within(p.run()[0], expect_along(GetParam(), src, 1)))
            << rows << " rows of " << length << " " << name_of(type);
    }
};

TEST_P(fused_lengths, rows_of_any_length_are_near_f64) {
    std::vector<int64_t> lengths = {767, 768, 769, 1023, 1024, 1025};
    for (int64_t length = 1; length <= 100; ++length)
        lengths.push_back(length);
    for (const data_type type : float_types)
        for (const int64_t length : lengths) {
            check(type, 1 + length * 7 % 20, length);
            if (HasFatalFailure()) return;
        }
}

TEST_P(fused_lengths, any_number_of_rows_is_near_f64) {
    for (const data_type type : float_types)
        for (const int64_t length : {15, 16, 33, 129, 768, 1025})
            for (int64_t rows = 1; rows <= 20; ++rows) {
                check(type, rows, length);
                if (HasFatalFailure()) return;
            }
}

INSTANTIATE_TEST_SUITE_P(all, fused_lengths, testing::ValuesIn(normalizations),
                         [](const auto &one) { return std::string(one.param.name); });

} // namespace
