// The example at the top of graph.hpp compiles, runs and gives what it says.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onefold/graph.hpp"

namespace {

std::vector<float> run_example() {
    using namespace onefold::graph;
    engine cpu(engine::kind::cpu, 0);
    logical_tensor src(0, logical_tensor::data_type::f32, {2, 3}, logical_tensor::layout_type::strided);
    logical_tensor dst(1, logical_tensor::data_type::f32); // dims left open: compile() finds them
    op mean(0, op::kind::ReduceMean, {src}, {dst});
    mean.set_attr<std::vector<int64_t>>(op::attr::axes, {1});
    graph g(engine::kind::cpu);
    g.add_op(mean);
    g.finalize();
    compiled_partition rows = g.get_partitions().at(0).compile({src}, {dst}, cpu);
    stream s(cpu);
    std::vector<float> x = {1, 2, 3, 4, 5, 6}, y(2);
    rows.execute(s, {tensor(src, cpu, x.data())}, {tensor(rows.query_logical_tensor(1), cpu, y.data())}); // y = {2, 5}
    return y;
}

std::string text_of(const std::string &path) {
    std::ifstream file(std::string(ONEFOLD_SOURCE_DIR) + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(example, gives_the_means_of_the_rows) { EXPECT_EQ(run_example(), (std::vector<float>{2, 5})); }

TEST(example, is_the_one_in_the_header) {
    std::istringstream header(text_of("include/onefold/graph.hpp"));
    const std::string here = text_of("tests/api/example_test.cpp");
    const std::string indent = "///     ";
    size_t lines = 0;
    for (std::string line; std::getline(header, line) && line.rfind("///", 0) == 0;)
        if (line.rfind(indent, 0) == 0) {
            EXPECT_NE(here.find("\n    " + line.substr(indent.size()) + "\n"), std::string::npos) << line;
            ++lines;
        }
    EXPECT_EQ(lines, 12U);
}

} // namespace
