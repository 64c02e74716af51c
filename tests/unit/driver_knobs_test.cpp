#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/driver/commands.hpp"
#include "tests/driver/knobs.hpp"

namespace onefold::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::ThrowsMessage;

/// A folder with a graph file in it, which goes with the test. Knobs are parsed without reading graph files.
class driver_knobs : public testing::Test {
protected:
    void SetUp() override {
        const auto *test = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::temp_directory_path() / ("onefold_" + std::string(test->name()) + std::to_string(getpid()));
        write("op/a.json", "{}");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string &name, const std::string &text) {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }

    std::vector<bench_case> parse(std::vector<std::string> knobs) {
        knobs.push_back("--case=" + (folder_ / "op/a.json").string());
        return parse_knobs(knobs);
    }

    std::filesystem::path folder_;
};

TEST_F(driver_knobs, defaults) {
    const auto cases = parse({});
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_EQ(cases[0].expected_partitions, 1U);
    EXPECT_TRUE(cases[0].common.mode.correctness);
    EXPECT_FALSE(cases[0].common.mode.performance);
    EXPECT_EQ(cases[0].common.max_ms_per_problem, 3000);
    EXPECT_EQ(to_knobs(cases[0]), "--seed=0 --case=" + (folder_ / "op/a.json").string());
}

TEST_F(driver_knobs, every_case_knob_comes_back) {
    const std::vector<std::string> knobs = {"--mode=CP",
                                            "--threads=2",
                                            "--seed=7",
                                            "--mb=4",
                                            "--dt=0:f32+1:bf16",
                                            "--in-shapes=0:2x3*ba+1:-",
                                            "--op-attrs=0:axes:0x1*keep_dims:1",
                                            "--op-kind=0:ReduceMax",
                                            "--tensor-property=0:constant",
                                            "--attr-fpmath=bf16:true",
                                            "--expected-n-partitions=0"};
    const auto cases = parse(knobs);
    ASSERT_EQ(cases.size(), 1U);
    std::string line;
    for (const std::string &knob : knobs)
        line += knob + " ";
    EXPECT_THAT(to_knobs(cases[0]), testing::StartsWith(line + "--case="));
    EXPECT_THAT(cases[0].rewrite.in_shapes, ElementsAre(Pair(0U, "2x3*ba"), Pair(1U, "-")));
    EXPECT_THAT(cases[0].rewrite.type_of_tensor, ElementsAre(Pair(0U, onefold_f32), Pair(1U, onefold_bf16)));
}

TEST_F(driver_knobs, lists_run_every_combination) {
    const auto cases = parse({"--dt=f32,bf16,f16", "--in-shapes=,0:1x2", "--mb=0,5"});
    ASSERT_EQ(cases.size(), 12U);
    EXPECT_THAT(cases[0].rewrite.in_shapes, IsEmpty());
    EXPECT_THAT(cases[11].rewrite.in_shapes, ElementsAre(Pair(0U, "1x2")));
    EXPECT_EQ(cases[11].rewrite.type, onefold_f16);
    EXPECT_EQ(cases[11].rewrite.mb, 5);
}

TEST_F(driver_knobs, reset_keeps_common_knobs) {
    const auto cases = parse({"--mode=P", "--dt=f16", "--max-ms-per-prb=1", "-v2", "--reset"});
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_EQ(cases[0].rewrite.type, onefold_data_type_undef);
    EXPECT_TRUE(cases[0].common.mode.performance);
    EXPECT_FALSE(cases[0].common.mode.correctness);
    EXPECT_EQ(cases[0].common.max_ms_per_problem, 10);
    EXPECT_EQ(cases[0].common.verbose, 2);
}

TEST_F(driver_knobs, batch_files) {
    write("op/harness", "# a comment --case=nowhere.json\n--dt=f16 --case=op/a.json # another\n--reset --in-shapes=0:1x\\\n 2 "
                        "--case=a.json\n");
    const std::string top = write("all", "--mb=3 --batch=op/harness\n");
    const auto cases = parse_knobs({"--batch=" + top});
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[0].rewrite.type, onefold_f16);
    EXPECT_EQ(cases[0].rewrite.mb, 3);
    EXPECT_EQ(cases[1].rewrite.mb, 0);
    EXPECT_THAT(cases[1].rewrite.in_shapes, ElementsAre(Pair(0U, "1x2")));
}

TEST_F(driver_knobs, batch_file_that_includes_itself) {
    const std::string loop = write("loop", "--batch=loop");
    EXPECT_THAT([&] { parse_knobs({"--batch=" + loop}); }, ThrowsMessage<bad_input>(HasSubstr("16 deep")));
}

TEST_F(driver_knobs, modes) {
    EXPECT_TRUE(parse({"--mode=l"})[0].common.mode.list);
    const bench_mode compile = parse({"--mode=I"})[0].common.mode;
    EXPECT_TRUE(compile.compile);
    EXPECT_FALSE(compile.execute);
    const bench_mode run = parse({"--mode=R"})[0].common.mode;
    EXPECT_TRUE(run.execute);
    EXPECT_FALSE(run.correctness || run.performance);
    EXPECT_EQ(parse({"--mode=F"})[0].common.max_ms_per_problem, 10);
}

TEST_F(driver_knobs, ids_end_where_their_digits_end) {
    EXPECT_THAT(parse({"--in-shapes=1:3+2*abc:4x5*ab"})[0].rewrite.in_shapes, ElementsAre(Pair(1U, "3"), Pair(2U, "4x5*ab")));
}

TEST_F(driver_knobs, bad_ones) {
    const auto message = [&](const std::string &knob, const std::string &words) {
        EXPECT_THAT([&] { parse({knob}); }, ThrowsMessage<bad_input>(HasSubstr(words))) << knob;
    };
    message("--nothing=1", "no knob '--nothing=1'");
    message("--mode=X", "no mode 'X'");
    message("--mode=", "not a mode");
    message("--mode=LC", "not a mode");
    message("--mb=-1", "negative");
    message("--mb=1y", "'1y' is not a number");
    message("--in-shapes=1x2", "not ID:VALUE");
    message("--in-shapes=0:", "not ID:VALUE");
    message("--in-shapes=0:1+0:2", "id 0 twice");
    message("--dt=f99", "no data type 'f99'");
    message("--attr-fpmath=f99", "no mode 'f99'");
    message("--expected-n-partitions=", "is not a number");
    message("--case=nowhere.json", "no file 'nowhere.json'");
    message("--batch=nowhere", "no file 'nowhere'");
}

TEST(driver_numbers, lists) {
    EXPECT_THAT(parse_integers("1x-2x3", ""), ElementsAre(1, -2, 3));
    EXPECT_THAT(parse_integers("-", ""), IsEmpty());
    EXPECT_THAT(parse_floats("1.5x-2", ""), ElementsAre(1.5F, -2.0F));
    EXPECT_THROW(parse_integers("1x", ""), bad_input);
    EXPECT_THROW(parse_integers("99999999999999999999", ""), bad_input);
}

} // namespace
} // namespace onefold::driver
