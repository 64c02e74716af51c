// Any rank works: nothing is a mask of 64 bits or a table of 12 dims.
#include <numeric>

#include "support/expected.hpp"

using namespace onefold_test;

namespace {

/// Ones, but for a 2, 3, 2, 3, ... every `period` dims.
dims sparse_shape(size_t rank, size_t period) {
    dims shape(rank, 1);
    for (size_t i = 0, n = 0; i < rank; i += period, ++n)
        shape[i] = n > 10 ? 1 : n % 2 ? 3 : 2;
    return shape;
}

axes_list every(size_t rank, size_t period, size_t first = 0) {
    axes_list axes;
    for (size_t i = first; i < rank; i += period)
        axes.push_back(static_cast<int64_t>(i) - (i % 3 == 0 ? static_cast<int64_t>(rank) : 0));
    return axes;
}

void check_reduction(op::kind kind, const array &src, const axes_list &axes, bool keep_dims = false) {
    SCOPED_TRACE(name_of(kind) + " of rank " + std::to_string(src.shape().size()) + " over " + testing::PrintToString(axes));
    const array dst = reduce(kind, src, axes, keep_dims);
    const expected_tensor expected = expect_reduction(kind, src.values(), src.shape(), axes, keep_dims);
    EXPECT_TRUE(are_within(dst, axes.empty() ? expected_tensor{src.shape(), src.values(), std::vector<double>(src.count(), 0)}
                                             : expected));
}

array make_array(const dims &shape, data_type type = data_type::f32) {
    return array(type, shape, random_values(type, count_of(shape), static_cast<unsigned>(shape.size())));
}

/// Strides of a dense tensor whose dims lie in memory in the given order, outermost first.
dims strides_in_order(const dims &shape, const std::vector<size_t> &order) {
    dims strides(shape.size());
    int64_t next = 1;
    for (size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = next;
        next *= shape[order[i]];
    }
    return strides;
}

TEST(rank, of_a_reduction_is_anything) {
    for (size_t rank = 0; rank <= 130; rank += rank < 20 ? 1 : 5) {
        const array src = make_array(sparse_shape(rank, 1 + rank / 9));
        for (const bool keep_dims : {false, true}) {
            check_reduction(op::kind::ReduceSum, src, every(rank, 2), keep_dims);
            check_reduction(op::kind::ReduceMax, src, every(rank, 3, 1), keep_dims);
            check_reduction(op::kind::ReduceMean, src, every(rank, 1), keep_dims);
        }
    }
}

TEST(rank, dim_64_of_65_is_an_axis) {
    dims shape(65, 1);
    shape[64] = 3;
    shape[0] = 2;
    for (const op::kind kind : reductions)
        for (const data_type type : float_types)
            for (const axes_list &axes :
                 {axes_list{64}, axes_list{-1}, axes_list{-65}, axes_list{0, 64}, axes_list{63}, axes_list{32, 31}})
                check_reduction(kind, make_array(shape, type), axes);
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"axis 65", "[-65, 64]"},
                      [&] { reduce(op::kind::ReduceSum, make_array(shape), {65}); }));
    EXPECT_TRUE(fails(onefold_invalid_arguments, {"axis -66"}, [&] { reduce(op::kind::ReduceSum, make_array(shape), {-66}); }));
}

TEST(rank, alternating_axes_do_not_collapse) {
    // 16 dims that alternate between kept and reduced; innermost reduced, then kept.
    const array src = make_array(dims(16, 2));
    for (const op::kind kind : reductions)
        for (const size_t first : {size_t{0}, size_t{1}}) {
            check_reduction(kind, src, every(16, 2, first));
            check_reduction(kind, src, every(16, 2, first), true);
        }
    const array tall = make_array(dims(20, 2), data_type::bf16);
    check_reduction(op::kind::ReduceL1, tall, every(20, 2));
    check_reduction(op::kind::ReduceMin, tall, every(20, 2, 1));
}

TEST(rank, of_40_with_ones_between) {
    dims shape(40, 1);
    for (size_t i = 0; i < 40; i += 3)
        shape[i] = 2;
    axes_list axes;
    for (int64_t i = 0; i < 40; i += 6)
        axes.push_back(i);
    for (const data_type type : float_types)
        check_reduction(op::kind::ReduceSum, make_array(shape, type), axes);
}

TEST(rank, of_a_reduction_of_permuted_dims) {
    const dims shape(14, 2);
    std::vector<size_t> order(14);
    std::iota(order.begin(), order.end(), size_t{0});
    std::mt19937 random(3);
    for (int i = 0; i < 20; ++i) {
        std::shuffle(order.begin(), order.end(), random);
        const array src(data_type::f32, shape, random_values(data_type::f32, count_of(shape), 5),
                        strides_in_order(shape, order));
        check_reduction(op::kind::ReduceSum, src, every(14, 2));
        check_reduction(op::kind::ReduceL2, src, {0, 1, 2, 3, 4, 5, 6});
        check_reduction(op::kind::ReduceMax, src, {3, 11});
    }
}

TEST(rank, of_a_broadcast_op_is_anything) {
    for (const size_t rank : std::vector<size_t>{0, 1, 7, 12, 13, 16, 40, 65, 100}) {
        dims a(rank, 1);
        dims b(rank, 1);
        dims both(rank, 1);
        for (size_t i = 0, used = 0; i < rank && used < 16; i += 1 + rank / 17, ++used)
            (used % 2 ? a : b)[i] = both[i] = 2;
        const array x = make_array(a);
        const array y = make_array(b);
        const array dst = run(op::kind::Subtract, {}, {x, y});
        ASSERT_EQ(dst.shape(), both) << rank;
        dims stride_a = row_major(a);
        dims stride_b = row_major(b);
        for (size_t i = 0; i < rank; ++i) {
            if (a[i] == 1) stride_a[i] = 0;
            if (b[i] == 1) stride_b[i] = 0;
        }
        std::vector<double> expected;
        for_each_element(both, stride_a, [&, x_values = x.values()](size_t, int64_t i) {
            expected.push_back(x_values[static_cast<size_t>(i)]);
        });
        for_each_element(both, stride_b,
                         [&, y_values = y.values()](size_t n, int64_t i) { expected[n] -= y_values[static_cast<size_t>(i)]; });
        EXPECT_TRUE(are_identical(dst.values(), expected)) << rank;
    }
}

TEST(rank, of_an_elementwise_op_of_permuted_dims) {
    const dims shape(14, 2);
    std::vector<size_t> order(14);
    std::iota(order.begin(), order.end(), size_t{0});
    std::mt19937 random(4);
    for (int i = 0; i < 10; ++i) {
        std::shuffle(order.begin(), order.end(), random);
        const array x(data_type::f32, shape, random_values(data_type::f32, count_of(shape), 6), strides_in_order(shape, order));
        std::shuffle(order.begin(), order.end(), random);
        const array y(data_type::f32, shape, random_values(data_type::f32, count_of(shape), 7), strides_in_order(shape, order));
        const std::vector<double> other = y.values();
        std::vector<double> sum = x.values();
        std::vector<double> magnitude = sum;
        for (size_t k = 0; k < sum.size(); ++k) {
            sum[k] += other[k];
            magnitude[k] = std::abs(magnitude[k]);
        }
        array dst(data_type::f32, shape);
        run_into(dst, op::kind::Add, {}, {x, y});
        EXPECT_TRUE(are_identical(dst.values(), sum));
        run_into(dst, op::kind::Abs, {}, {x});
        EXPECT_TRUE(are_identical(dst.values(), magnitude));
        run_into(dst, op::kind::Reorder, {}, {x});
        EXPECT_TRUE(are_identical(dst.values(), x.values()));
    }
}

} // namespace
