#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "onefold/graph.hpp"
#include "support/array.hpp"

namespace onefold_test {

using namespace onefold::graph;
using layout_type = logical_tensor::layout_type;
using axes_list = std::vector<int64_t>;
using attribute = std::variant<float, std::vector<float>, int64_t, std::vector<int64_t>, bool, std::string>;
using attributes = std::vector<std::pair<op::attr, attribute>>;

inline constexpr size_t dst_id = 100;

inline constexpr op::kind reductions[] = {op::kind::ReduceSum,  op::kind::ReduceMean, op::kind::ReduceMax, op::kind::ReduceMin,
                                          op::kind::ReduceProd, op::kind::ReduceL1,   op::kind::ReduceL2};

/// The name that messages of tests have for an op kind.
inline std::string name_of(op::kind kind) { return onefold_op_kind_name(static_cast<onefold_op_kind>(kind)); }

inline const engine &cpu() {
    static const engine e(engine::kind::cpu, 0);
    return e;
}

inline attributes over(axes_list axes) { return {{op::attr::axes, std::move(axes)}}; }
inline attributes over(axes_list axes, bool keep_dims) {
    return {{op::attr::axes, std::move(axes)}, {op::attr::keep_dims, keep_dims}};
}

inline op make_op(size_t id, op::kind kind, const attributes &attrs, const std::vector<logical_tensor> &srcs,
                  const logical_tensor &dst) {
    op o(id, kind, srcs, {dst});
    for (const auto &[name, value] : attrs)
        std::visit([&, attr = name](const auto &v) { o.set_attr(attr, v); }, value);
    return o;
}

/// A row-major tensor. (A list of one dim would be taken for a rank by the constructor.)
inline logical_tensor dense(size_t id, data_type type, const dims &shape) { return {id, type, shape, layout_type::strided}; }

/// A tensor of which only the type is known.
inline logical_tensor open_tensor(size_t id, data_type type) { return {id, type}; }

/// The op alone, compiled for its ports.
inline compiled_partition compile_op(op::kind kind, const attributes &attrs, const std::vector<logical_tensor> &srcs,
                                     const logical_tensor &dst) {
    return partition(make_op(0, kind, attrs, srcs, dst), engine::kind::cpu).compile(srcs, {dst}, cpu());
}

inline std::vector<logical_tensor> describe(const std::vector<array> &srcs) {
    std::vector<logical_tensor> descriptions;
    for (size_t i = 0; i < srcs.size(); ++i)
        descriptions.push_back(srcs[i].describe(i));
    return descriptions;
}

/// Executes a compiled op: the sources have the ids 0, 1, ..., dst has dst_id.
inline void execute(const compiled_partition &compiled, std::vector<array> &srcs, array &dst, stream &s) {
    std::vector<tensor> inputs;
    for (size_t i = 0; i < srcs.size(); ++i)
        inputs.emplace_back(srcs[i].describe(i), cpu(), srcs[i].data());
    const std::vector<tensor> outputs = {tensor(dst.describe(dst_id), cpu(), dst.data())};
    compiled.execute(s, inputs, outputs);
}
inline void execute(const compiled_partition &compiled, std::vector<array> &srcs, array &dst, unsigned threads = 0) {
    stream s(cpu(), threads);
    execute(compiled, srcs, dst, s);
}

/// Compiles and executes into an array that is given.
inline void run_into(array &dst, op::kind kind, const attributes &attrs, std::vector<array> srcs, unsigned threads = 0) {
    execute(compile_op(kind, attrs, describe(srcs), dst.describe(dst_id)), srcs, dst, threads);
    EXPECT_TRUE(dst.gaps_are_untouched()) << "the output's gaps were written to";
}

/// Compiles, lets the library find the output's dims, executes.
inline array run(op::kind kind, const attributes &attrs, std::vector<array> srcs, data_type dst_type, unsigned threads = 0) {
    const auto compiled = compile_op(kind, attrs, describe(srcs), open_tensor(dst_id, dst_type));
    const logical_tensor description = compiled.query_logical_tensor(dst_id);
    array dst = array::strided(dst_type, description.get_dims(), description.get_strides());
    execute(compiled, srcs, dst, threads);
    EXPECT_TRUE(dst.gaps_are_untouched()) << "the output's gaps were written to";
    return dst;
}
inline array run(op::kind kind, const attributes &attrs, const std::vector<array> &srcs) {
    return run(kind, attrs, srcs, srcs.at(0).type());
}

inline array reduce(op::kind kind, const array &src, axes_list axes, bool keep_dims = false, unsigned threads = 0) {
    return run(kind, over(std::move(axes), keep_dims), {src}, src.type(), threads);
}

/// Whether the call throws onefold::error with that status and all of these words in its message.
template <typename Call>
testing::AssertionResult fails(onefold_status status, std::initializer_list<std::string> words, Call &&call) {
    try {
        call();
    } catch (const onefold::error &e) {
        if (e.status != status)
            return testing::AssertionFailure()
                   << "status " << onefold_status_name(e.status) << ", not " << onefold_status_name(status) << ": " << e.what();
        for (const std::string &word : words)
            if (std::string(e.what()).find(word) == std::string::npos)
                return testing::AssertionFailure() << "no '" << word << "' in: " << e.what();
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "nothing was thrown";
}

/// Whether the elements are identical, NaN and the signs of zeros included.
inline testing::AssertionResult are_identical(const std::vector<double> &got, const std::vector<double> &expected) {
    if (got.size() != expected.size()) return testing::AssertionFailure() << got.size() << " elements, not " << expected.size();
    for (size_t i = 0; i < got.size(); ++i)
        if (!is_identical(got[i], expected[i]))
            return testing::AssertionFailure() << "element " << i << " is " << got[i] << ", not " << expected[i];
    return testing::AssertionSuccess();
}

} // namespace onefold_test
