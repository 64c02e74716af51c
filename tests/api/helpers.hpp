#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onefold/graph.hpp"

namespace onefold_test {

using namespace onefold::graph;
using onefold::error;
using data_type = logical_tensor::data_type;
using layout_type = logical_tensor::layout_type;
using property_type = logical_tensor::property_type;
using dims = logical_tensor::dims;

/// Whether the call throws onefold::error with that status and all of these words in its message.
template <typename Call>
testing::AssertionResult fails(onefold_status status, std::initializer_list<const char *> words, Call &&call) {
    try {
        call();
    } catch (const error &e) {
        if (e.status != status)
            return testing::AssertionFailure()
                   << "status " << onefold_status_name(e.status) << ", not " << onefold_status_name(status) << ": " << e.what();
        for (const char *word : words)
            if (std::string(e.what()).find(word) == std::string::npos)
                return testing::AssertionFailure() << "no '" << word << "' in: " << e.what();
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "nothing was thrown";
}

/// A strided, row-major f32 tensor. (A list of one dim would be taken for a rank by the constructor.)
inline logical_tensor f32(size_t id, const dims &d) { return {id, data_type::f32, d, layout_type::strided}; }

inline op reduce_mean(size_t id, const logical_tensor &src, const logical_tensor &dst, std::vector<int64_t> axes = {1}) {
    op mean(id, op::kind::ReduceMean, {src}, {dst});
    mean.set_attr(op::attr::axes, axes);
    return mean;
}

/// The only partition of one op.
inline partition partition_of(const op &an_op) {
    graph g(engine::kind::cpu);
    g.add_op(an_op);
    g.finalize();
    return g.get_partitions().at(0);
}

} // namespace onefold_test
