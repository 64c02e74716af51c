#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace onefold::driver {

/// Bad usage or a bad file: main() prints one line and exits with 2. Every other exception that leaves a command is a
/// failure of compiling or running: one line and 1.
class bad_input : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct run_options {
    std::string file;
    std::vector<std::string> inputs; // NAME=PATH.npy
    std::optional<std::string> output_dir;
    uint64_t seed = 0;
    unsigned threads = 0; // 0: as many as the machine has
};

struct inspect_options {
    std::string file;
    bool dot = false;
};

// Each returns the program's exit code.
int command_run(const run_options &options);
int command_inspect(const inspect_options &options);
/// Everything that followed `bench`, in order, unparsed: benchdnn's knobs act in the order given. `--help` is among them.
int command_bench(const std::vector<std::string> &arguments);

} // namespace onefold::driver
