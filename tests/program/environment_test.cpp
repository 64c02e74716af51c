// What environment variables make the program, and the library in it, do.
#include <algorithm>

#include <gmock/gmock.h>

#include "support/program.hpp"

namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const std::string mean = ONEFOLD_SOURCE_DIR "/benchdnn_cases/op/f32/reducemean.json";
const std::string chain = ONEFOLD_SOURCE_DIR "/benchdnn_cases/pattern/f32/reduction_binary.json";

class environment : public onefold::test::program_test {};

size_t count_lines(const std::string &text, const std::string &start) {
    size_t count = 0;
    for (size_t at = 0; at != std::string::npos; at = text.find('\n', at), at += at != std::string::npos)
        count += text.compare(at, start.size(), start) == 0;
    return count;
}

TEST_F(environment, verbose_logs_a_line_for_each_compile_and_execute) {
    EXPECT_EQ(count_lines(run("run " + mean).out, "onefold_verbose"), 0U);
    const auto result = run("run " + mean, "ONEFOLD_VERBOSE=1");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(count_lines(result.out, "onefold_verbose,v1,compile,cpu,0,ReduceMean,in0:f32:"), 1U) << result.out;
    EXPECT_EQ(count_lines(result.out, "onefold_verbose,v1,exec,cpu,0,ReduceMean,in0:f32:"), 1U) << result.out;
    const std::string line = result.out.substr(0, result.out.find('\n'));
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 8) << line; // nine fields, the last the milliseconds
}

TEST_F(environment, graph_dump_writes_files_that_run) {
    const std::string in_folder = "cd " + folder_.string() + " &&";
    EXPECT_EQ(run("run " + chain, in_folder + " ONEFOLD_GRAPH_DUMP=graph,subgraph").exit_code, 0);
    const std::string expected = run("run " + chain).out;
    size_t dumps = 0;
    for (const auto &entry : fs::directory_iterator(folder_))
        if (entry.path().extension() == ".json") {
            ++dumps;
            EXPECT_EQ(run("run " + entry.path().string()).out, expected) << entry.path();
        }
    EXPECT_EQ(dumps, 2U);
}

TEST_F(environment, graph_dump_is_off_by_default) {
    EXPECT_EQ(run("run " + chain, "cd " + folder_.string() + " &&").exit_code, 0);
    for (const auto &entry : fs::directory_iterator(folder_))
        EXPECT_NE(entry.path().extension(), ".json");
}

TEST_F(environment, lowering_restricts_the_choice) {
    EXPECT_THAT(run("inspect " + chain, "ONEFOLD_LOWERING=simd").out, Not(HasSubstr("onednn:")));
    const std::string sum = ONEFOLD_SOURCE_DIR "/benchdnn_cases/op/f32/reducesum.json";
    EXPECT_THAT(run("inspect " + sum, "ONEFOLD_LOWERING=simd").out, HasSubstr("simd:reduce_rows"));
    EXPECT_THAT(run("inspect " + sum, "ONEFOLD_LOWERING=onednn").out, HasSubstr("onednn:reduction"));
}

} // namespace
