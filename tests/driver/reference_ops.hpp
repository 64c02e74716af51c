#pragma once

#include "tests/driver/reference.hpp"

namespace onefold::driver {

// One function a family of ops. Each gives the op's result before it is rounded to the output's type.

/// All but TypeCast.
bool is_unary(impl::op_kind kind);
bool is_binary(impl::op_kind kind);
bool is_reduction(impl::op_kind kind);
bool is_nary(impl::op_kind kind);
bool is_normalization(impl::op_kind kind);

reference_tensor compute_unary(const impl::op &o, const reference_tensor &src);
/// TypeCast, from and to integers too.
reference_tensor compute_cast(const impl::op &o, const reference_tensor &src);
reference_tensor compute_binary(const impl::op &o, const reference_tensor &src_0, const reference_tensor &src_1);
/// `axes` as given: negative ones count from the end.
reference_tensor compute_reduction(const impl::op &o, const reference_tensor &src, const std::vector<int64_t> &axes);
reference_tensor compute_nary(const impl::op &o, std::span<const reference_tensor *const> srcs);

/// By the ops that it is defined by, each rounded to f32. One tensor an output.
std::vector<reference_tensor> compute_normalization(const impl::op &o, std::span<const reference_tensor *const> srcs);

/// What an op's outputs hold, rounded to their types. `axes` as above; of other ops than reductions none.
std::vector<reference_tensor> compute_rounded(const impl::op &o, std::span<const reference_tensor *const> srcs,
                                              const std::vector<int64_t> &axes);

/// The same of integers: all but casts. Reductions need `axes`.
reference_tensor compute_integers(const impl::op &o, std::span<const reference_tensor *const> srcs,
                                  const std::vector<int64_t> &axes);

/// How a reduction's source elements find their output.
struct reduction_shape {
    impl::dims dst;
    impl::dims strides; // of dst, one a dim of the source: 0 where it is reduced
    size_t outputs = 1; // elements of dst
    int64_t count = 1;  // elements that make one output
};
/// True where the axes are none and the op's attributes say that it leaves its source as it is then.
bool is_identity(const impl::op &o, const std::vector<int64_t> &axes);
reduction_shape shape_of_reduction(const impl::op &o, const impl::dims &src, const std::vector<int64_t> &axes);

/// The dims that sources of these dims are broadcast to.
impl::dims broadcast_dims(const impl::op &o, std::span<const reference_tensor *const> srcs);

/// The reduction that an n-ary op makes of the elements that meet: of Sum, ReduceSum.
impl::op_kind reduction_of(impl::op_kind nary);

/// The value of an attribute, or `otherwise` where the op has none.
template <typename T>
T attribute_or(const impl::op &o, impl::op_attr name, T otherwise) {
    const auto found = o.raw_attributes.find(name);
    return found == o.raw_attributes.end() ? otherwise : std::get<T>(found->second);
}

/// The larger of two error bounds; infinite where one is NaN, since nothing is known then.
double worse(double a, double b);

/// How far a result may be from `value` where it may also have come out as `other`.
double deviation(double value, double other);

/// Strides of a row-major tensor `d` seen in an iteration over `space`, aligned at the last dim: 0 where it is broadcast.
impl::dims broadcast_strides(const impl::dims &d, const impl::dims &space);

/// Calls visit(i, a, b) for each point of `space` in row-major order: i counts, a and b follow their strides.
template <typename Visit>
void walk(const impl::dims &space, const impl::dims &strides_a, const impl::dims &strides_b, const Visit &visit) {
    size_t count = 1;
    for (const int64_t d : space)
        count *= static_cast<size_t>(d);
    impl::dims index(space.size(), 0);
    int64_t a = 0;
    int64_t b = 0;
    for (size_t i = 0; i < count; ++i) {
        visit(i, static_cast<size_t>(a), static_cast<size_t>(b));
        for (size_t k = space.size(); k-- > 0;) {
            a += strides_a[k];
            b += strides_b[k];
            if (++index[k] < space[k]) break;
            a -= strides_a[k] * space[k];
            b -= strides_b[k] * space[k];
            index[k] = 0;
        }
    }
}

} // namespace onefold::driver
