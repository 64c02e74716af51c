// What fused partitions read beside the elements, and where they write: broadcasts, one value a row, gaps, several outputs.
#include "support/expected.hpp"
#include "support/one_partition.hpp"

using namespace onefold_test;

namespace {

/// (x - mean) * scale + shift, of which the operands broadcast.
struct operand_case {
    const char *name;
    dims shape;
    axes_list axes;
    dims scale;
    dims shift;
    dims src_strides = {};
    dims scale_strides = {};
    dims dst_strides = {};
    bool may_be_parts = false; // which go over memory in its order
};
void PrintTo(const operand_case &c, std::ostream *out) { *out << c.name; }

const operand_case cases[] = {
    {"one_for_each_element_of_a_row", {19, 100}, {-1}, {100}, {100}},
    {"one_for_each_element_of_whole_vectors", {20, 128}, {-1}, {1, 128}, {128}},
    {"one_for_each_element_of_a_short_row", {37, 5}, {-1}, {5}, {5}},
    {"one_for_each_element_of_a_long_row", {5, 3001}, {-1}, {3001}, {3001}},
    {"one_a_row", {19, 100}, {-1}, {19, 1}, {19, 1}},
    {"one_a_row_and_one_for_all", {19, 100}, {-1}, {19, 1}, {1}},
    {"one_for_all", {19, 100}, {-1}, {1}, {1, 1}},
    {"as_many_as_elements", {19, 100}, {-1}, {19, 100}, {19, 100}},
    {"of_each_kind", {3, 7, 50}, {-1}, {50}, {3, 7, 1}},
    {"one_for_each_outer_row", {3, 7, 50}, {-1}, {3, 1, 1}, {7, 1}},
    {"one_for_some_elements", {3, 7, 50}, {-1}, {3, 1, 50}, {7, 50}},
    {"over_two_axes", {9, 6, 50}, {-2, -1}, {6, 50}, {9, 1, 1}},
    {"over_two_axes_one_for_each_of_one", {9, 6, 50}, {-2, -1}, {6, 1}, {50}},
    {"one_a_column", {23, 70}, {0}, {70}, {70}},
    {"one_for_each_row_of_columns", {23, 70}, {0}, {23, 1}, {23, 1}},
    {"one_for_each_row_of_columns_and_one_a_column", {23, 70}, {0}, {23, 1}, {70}},
    {"one_for_all_columns", {23, 70}, {0}, {1}, {1, 1}},
    {"one_for_each_row_of_middle_columns", {4, 23, 70}, {1}, {23, 1}, {4, 1, 1}},
    {"of_middle_columns", {4, 23, 70}, {1}, {70}, {4, 1, 70}},
    {"rows_with_gaps", {19, 100}, {-1}, {100}, {19, 1}, {107, 1}, {}, {103, 1}},
    {"blocks_with_gaps", {3, 7, 50}, {-1}, {50}, {3, 1, 1}, {400, 56, 1}, {}, {371, 53, 1}},
    {"elements_with_gaps", {19, 100}, {-1}, {100}, {19, 1}, {201, 2}, {3}, {302, 3}},
    {"rows_with_elements_apart", {19, 100}, {-1}, {19, 1}, {100}, {1, 19}, {}, {1, 19}, true},
    {"columns_with_gaps", {23, 70}, {0}, {70}, {23, 1}, {77, 1}, {}, {72, 1}},
    {"columns_with_elements_apart", {23, 70}, {0}, {23, 1}, {70}, {1, 23}, {2, 1}, {1, 23}, true},
};

class fused_operands : public testing::TestWithParam<operand_case> {
protected:
    static array random(data_type type, const dims &shape, const dims &strides, unsigned seed) {
        return {type, shape, random_values(type, count_of(shape), seed), strides.empty() ? row_major(shape) : strides};
    }

    struct sources {
        array x, scale, shift;
    };
    static sources make_sources(data_type type, data_type of_operands) {
        const operand_case &c = GetParam();
        return {random(type, c.shape, c.src_strides, 1), random(of_operands, c.scale, c.scale_strides, 2),
                random(of_operands, c.shift, {}, 3)};
    }

    static expected_tensor expect(const sources &s) {
        const auto x = s.x.values();
        const expected_tensor means = expect_reduction(op::kind::ReduceMean, x, s.x.shape(), GetParam().axes, true);
        const array as_array(data_type::f64, means.shape, means.value);
        const auto mean = spread(as_array, s.x.shape());
        const auto error = spread({data_type::f64, means.shape, means.error}, s.x.shape());
        const auto scale = spread(s.scale, s.x.shape());
        const auto shift = spread(s.shift, s.x.shape());
        expected_tensor y{s.x.shape(), {}, {}};
        for (size_t i = 0; i < x.size(); ++i) {
            const double product = (x[i] - mean[i]) * scale[i];
            y.value.push_back(product + shift[i]);
            y.error.push_back((error[i] + f32_unit * std::abs(mean[i])) * std::abs(scale[i]) +
                              3 * f32_unit * (std::abs(product) + std::abs(shift[i])));
        }
        return y;
    }

    static one_partition make_partition() {
        one_partition p(GetParam().axes);
        if (GetParam().may_be_parts) p.allow_parts();
        return p;
    }
    static dims dst_strides() { return GetParam().dst_strides.empty() ? row_major(GetParam().shape) : GetParam().dst_strides; }
    static expected_tensor largest_of(const array &y) {
        return expect_reduction(op::kind::ReduceMax, y.values(), y.shape(), GetParam().axes, true);
    }

    struct ports {
        logical_tensor x, mean, y;
    };
    static ports add(one_partition &p, const sources &s) {
        const auto in_f32 = [&](const array &a) { return p.cast(p.add_source(a), data_type::f32); };
        const auto x = in_f32(s.x);
        const auto mean = p.add(op::kind::ReduceMean, {x});
        const auto product = p.add(op::kind::Multiply, {p.add(op::kind::Subtract, {x, mean}), in_f32(s.scale)});
        return {x, mean, p.add(op::kind::Add, {product, in_f32(s.shift)})};
    }
};

TEST_P(fused_operands, of_any_types_are_spread) {
    for (const data_type type : float_types)
        for (const data_type of_operands : float_types) {
            SCOPED_TRACE(testing::Message() << name_of(type) << ", operands " << name_of(of_operands));
            const sources s = make_sources(type, of_operands);
            one_partition p = make_partition();
            const auto y = add(p, s).y;
            p.compile({p.cast(y, type), p.add(op::kind::Subtract, {y, p.add(op::kind::ReduceMax, {y})})}, {dst_strides()});
            if (HasFatalFailure()) return;
            const auto got = p.run();
            ASSERT_TRUE(are_within(got[0], expect(s)));
            if (type != data_type::f32) continue;
            const auto values = got[0].values();
            const auto below = got[1].values();
            const expected_tensor largest = largest_of(got[0]);
            const auto most = spread({data_type::f32, largest.shape, largest.value}, GetParam().shape);
            for (size_t i = 0; i < values.size(); ++i)
                ASSERT_EQ(below[i], round_to(type, values[i] - most[i])) << "element " << i;
        }
}

TEST_P(fused_operands, results_of_rows_are_outputs_beside_elements) {
    for (const data_type type : float_types)
        for (const data_type of_results : float_types) {
            const sources s = make_sources(type, data_type::f32);
            one_partition p = make_partition();
            const ports v = add(p, s);
            const auto most = p.add(op::kind::ReduceMax, {v.y});
            const auto below = p.add(op::kind::Subtract, {v.x, v.mean});
            p.compile({p.cast(v.y, type), p.cast(below, of_results), p.cast(v.mean, of_results), most}, {dst_strides()});
            if (HasFatalFailure()) return;
            const auto got = p.run();
            SCOPED_TRACE(testing::Message() << name_of(type) << ", results " << name_of(of_results));
            ASSERT_TRUE(are_within(got[0], expect(s)));
            const auto means = expect_reduction(op::kind::ReduceMean, s.x.values(), s.x.shape(), GetParam().axes, true);
            ASSERT_TRUE(are_within(got[2], means));
            sources plain = s;
            plain.scale = array(data_type::f32, {1}, {1});
            plain.shift = array(data_type::f32, {1}, {0});
            ASSERT_TRUE(are_within(got[1], expect(plain)));
            if (type != data_type::f32) continue;
            ASSERT_TRUE(are_identical(got[3].values(), largest_of(got[0]).value));
        }
}

INSTANTIATE_TEST_SUITE_P(all, fused_operands, testing::ValuesIn(cases),
                         [](const auto &one) { return std::string(one.param.name); });

} // namespace
