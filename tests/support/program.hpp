#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace onefold::test {

/// How a program ended, and what it printed.
struct outcome {
    int exit_code = -1; // -1: killed by a signal
    std::string out;
    std::string err;
};

inline std::string read_file(const std::filesystem::path &path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// A test that runs the program `onefold` in a temporary folder of its own.
class program_test : public testing::Test {
protected:
    void SetUp() override {
        const char *name = testing::UnitTest::GetInstance()->current_test_info()->name();
        folder_ = std::filesystem::path(testing::TempDir()) / ("onefold_" + std::string(name) + "_" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string &name, const std::string &content) const {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        return (folder_ / name).string();
    }

    /// Runs the program; arguments and environment ("NAME=value ...") are a shell's.
    outcome run(const std::string &arguments, const std::string &environment = "") const {
        const std::filesystem::path out = folder_ / "stdout", err = folder_ / "stderr";
        const std::string command =
            environment + " " + ONEFOLD_PROGRAM + " " + arguments + " >" + out.string() + " 2>" + err.string() + " </dev/null";
        const int status = std::system(command.c_str());
        outcome result;
        if (WIFEXITED(status) && WEXITSTATUS(status) < 128) result.exit_code = WEXITSTATUS(status);
        result.out = read_file(out);
        result.err = read_file(err);
        return result;
    }

    std::filesystem::path folder_;
};

} // namespace onefold::test
