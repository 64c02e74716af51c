#pragma once

#include "support/run_op.hpp"

// Reductions whose axes are a tensor: src has the id 0, the axes 1, dst dst_id.
namespace onefold_test {

inline array axes_array(data_type type, const axes_list &axes) {
    return {type, dims(1, static_cast<int64_t>(axes.size())), std::vector<double>(axes.begin(), axes.end())};
}

inline attributes keeping(bool keep_dims) { return {{op::attr::keep_dims, keep_dims}}; }

/// What a reduction over those axes leaves of a shape.
inline dims reduced_shape(const dims &shape, const axes_list &axes, bool keep_dims = false) {
    const auto rank = static_cast<int64_t>(shape.size());
    std::vector<bool> reduced(shape.size(), false);
    for (const int64_t axis : axes)
        reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
    dims result;
    for (size_t i = 0; i < shape.size(); ++i)
        if (!reduced[i] || keep_dims) result.push_back(reduced[i] ? 1 : shape[i]);
    return result;
}

/// Compiles a reduction of an f32 src over so many axes.
inline compiled_partition compile_by_tensor(op::kind kind, const dims &src, const dims &dst, size_t count,
                                            const attributes &attrs = {}, data_type axes_type = data_type::s64) {
    return compile_op(kind, attrs, {dense(0, data_type::f32, src), dense(1, axes_type, dims(1, static_cast<int64_t>(count)))},
                      dense(dst_id, data_type::f32, dst));
}

/// Executes it over those axes.
inline array execute_over(const compiled_partition &compiled, const array &src, const axes_list &axes, const dims &dst_shape,
                          data_type axes_type = data_type::s64) {
    std::vector<array> srcs = {src, axes_array(axes_type, axes)};
    array dst(src.type(), dst_shape);
    execute(compiled, srcs, dst);
    EXPECT_TRUE(dst.gaps_are_untouched()) << "the output's gaps were written to";
    return dst;
}

/// Compiles and executes.
inline array reduce_by_tensor(op::kind kind, const array &src, const axes_list &axes, const attributes &attrs,
                              const dims &dst_shape, data_type axes_type = data_type::s64) {
    array dst(src.type(), dst_shape);
    run_into(dst, kind, attrs, {src, axes_array(axes_type, axes)});
    return dst;
}

/// All sets of so many axes in [0, rank), each ascending.
inline std::vector<axes_list> all_sets(int64_t rank, size_t count) {
    std::vector<axes_list> sets;
    for (uint64_t bits = 0; bits < uint64_t{1} << rank; ++bits) {
        axes_list axes;
        for (int64_t i = 0; i < rank; ++i)
            if (bits >> i & 1) axes.push_back(i);
        if (axes.size() == count) sets.push_back(axes);
    }
    return sets;
}

} // namespace onefold_test
