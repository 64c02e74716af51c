#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/commands.hpp"
#include "tests/driver/session.hpp"

namespace {

using namespace onefold;
using namespace onefold::driver;
using testing::ElementsAre;
using testing::HasSubstr;

std::string tensor(size_t id, const std::string &shape = "[2, 3]") {
    return fmt::format(R"({{"id": {}, "dtype": "f32", "shape": {}, "layout_type": "any"}})", id, shape);
}

std::string op(size_t id, const std::string &kind, const std::string &inputs, const std::string &outputs,
               const std::string &attrs = "") {
    return fmt::format(R"({{"id": {}, "kind": "{}", "attrs": {{{}}}, "inputs": [{}], "outputs": [{}]}})", id, kind, attrs,
                       inputs, outputs);
}

impl::io::graph_file graph_of(const std::vector<std::string> &ops, const std::string &more = "") {
    return impl::io::parse_graph(fmt::format(R"({{{}"graph": [{}]}})", more, fmt::join(ops, ", ")));
}

std::vector<size_t> input_ids(const session &s) {
    std::vector<size_t> ids;
    for (const graph_input &input : s.inputs())
        ids.push_back(input.id);
    return ids;
}

/// (t0 + t1) squared, then its absolute value: tensors 2, 3, 4.
std::vector<std::string> chain() {
    return {op(10, "Add", tensor(0) + ", " + tensor(1), tensor(2)), op(11, "Square", tensor(2), tensor(3)),
            op(12, "Abs", tensor(3), tensor(4))};
}

void run(session &s) {
    s.compile();
    s.allocate();
    for (const graph_input &input : s.inputs())
        for (int64_t i = 0; i < s.buffer_of(input.id).count(); ++i)
            s.buffer_of(input.id).store(i, static_cast<double>(i));
    s.execute();
}

TEST(driver_session, inputs_and_outputs_of_a_graph) {
    const session s(graph_of(chain()));
    EXPECT_THAT(input_ids(s), ElementsAre(0, 1));
    EXPECT_EQ(s.inputs()[1].consumer->id, 10U);
    EXPECT_EQ(s.inputs()[1].port, 1U);
    EXPECT_THAT(s.outputs(), ElementsAre(4));
}

TEST(driver_session, ports_given_by_the_file) {
    session s(graph_of(chain(), R"("input_ports": [7, 1, 0], "output_ports": [4, 2], )"));
    EXPECT_THAT(input_ids(s), ElementsAre(1, 0));
    EXPECT_THAT(s.outputs(), ElementsAre(4, 2));
    run(s);
    EXPECT_THAT(s.buffer_of(2).load_all(), ElementsAre(0, 2, 4, 6, 8, 10)); // also what is read inside the graph
    EXPECT_THAT(s.buffer_of(4).load_all(), ElementsAre(0, 4, 16, 36, 64, 100));
    EXPECT_THROW(session(graph_of(chain(), R"("output_ports": [9], )")), bad_input);
}

TEST(driver_session, end_ops_mark_outputs_and_are_not_executed) {
    std::vector<std::string> ops = chain();
    ops.push_back(op(13, "End", tensor(3), ""));
    session s(graph_of(ops));
    EXPECT_THAT(s.outputs(), ElementsAre(3, 4));
    EXPECT_EQ(s.unsupported(), "");
    run(s);
    EXPECT_THAT(s.buffer_of(3).load_all(), ElementsAre(0, 4, 16, 36, 64, 100));
}

TEST(driver_session, unsupported_ops_are_named) {
    std::vector<std::string> ops = chain();
    ops.push_back(op(13, "PReLU", tensor(4) + "," + tensor(4), tensor(5)));
    session s(graph_of(ops));
    EXPECT_EQ(s.unsupported(), "op 13 (PReLU)");
    EXPECT_THROW(s.compile(), std::runtime_error);
}

TEST(driver_session, dims_that_the_file_leaves_open) {
    session s(graph_of({op(0, "Square", tensor(0, "[-1, 3]"), tensor(1, "[-9223372036854775808]"))}));
    EXPECT_FALSE(s.is_ready(s.stages().at(0)));
    EXPECT_THROW(s.compile(), bad_input);
    EXPECT_THROW(s.set_dims(0, {2, 4}), bad_input);
    EXPECT_THROW(s.set_dims(0, {3}), bad_input);
    s.set_dims(0, {1, 3});
    run(s);
    EXPECT_EQ(s.tensor(1).dims, (impl::dims{1, 3}));
    EXPECT_THAT(s.buffer_of(1).load_all(), ElementsAre(0, 1, 4));
}

TEST(driver_session, graphs_that_are_refused) {
    EXPECT_THROW(session(graph_of({op(0, "Abs", "", tensor(1))})), bad_input);
    EXPECT_THROW(session(graph_of({op(0, "Abs", tensor(0), tensor(1)), op(1, "Abs", tensor(1), tensor(0))})), bad_input);
    const std::string huge = tensor(0, "[1000000000000000]");
    EXPECT_THROW(session(graph_of({op(0, "Abs", huge, tensor(1))})), bad_input);
}

} // namespace
