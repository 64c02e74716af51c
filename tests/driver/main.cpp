// The program `onefold`: runs, inspects, checks and times graph files.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "onefold/onefold.h"
#include "tests/driver/commands.hpp"

namespace {

namespace driver = onefold::driver;

enum exit_code { success = 0, failure = 1, bad_usage = 2 };

constexpr const char *footer =
    "Exit codes: 0 success; 1 compiling or running failed; 2 bad usage or a bad file.\n"
    "Environment: ONEFOLD_VERBOSE=1 logs every compile and execute; ONEFOLD_GRAPH_DUMP=graph,subgraph "
    "writes graph files;\nONEFOLD_LOWERING=onednn|simd restricts how partitions are computed.";

constexpr const char *run_description =
    "Compiles and executes a graph file, and prints each output's tensor id or name, type, shape and first values";
constexpr const char *inspect_description =
    "Prints a graph file's partitions in the order in which they execute: their ops, their inputs and outputs, and the "
    "steps that compiling them chose where the shapes are known";
constexpr const char *bench_description =
    "Checks and times graph files with benchdnn's knobs; `onefold bench --help` lists them";

/// One line on stderr, whatever the message holds.
int report(exit_code code, std::string message) {
    for (char &c : message)
        if (static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
    fmt::print(stderr, "onefold: error: {}\n", message);
    return code;
}

void add_run(CLI::App &app, driver::run_options &options) {
    CLI::App *run = app.add_subcommand("run", run_description);
    run->footer(footer);
    run->add_option("FILE", options.file, "An ONNX model (.onnx), or a JSON graph file in oneDNN's format")->required();
    run->add_option("--input", options.inputs,
                    "An input's values: NAME is its tensor id or ONNX name, the file holds an array of its type and shape "
                    "(bf16 as <u2 words). "
                    "An input whose dims the graph file leaves open takes them from here. May be given once for each input; "
                    "inputs that are not given are filled from the seed")
        ->type_name("NAME=PATH.npy")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    run->add_option(
           "--output-dir", options.output_dir,
           "Writes each output as ID.npy or NAME.npy (bf16 as <u2 words) into this directory, which is made if need be")
        ->type_name("DIR");
    run->add_option("--seed", options.seed, "The seed that inputs are filled from")->type_name("N")->capture_default_str();
    run->add_option("--threads", options.threads, "The number of threads; 0: as many as the machine has")
        ->type_name("N")
        ->check(CLI::Range(0U, 1024U))
        ->capture_default_str();
}

void add_inspect(CLI::App &app, driver::inspect_options &options) {
    CLI::App *inspect = app.add_subcommand("inspect", inspect_description);
    inspect->footer(footer);
    inspect->add_option("FILE", options.file, "An ONNX model (.onnx), or a JSON graph file in oneDNN's format")->required();
    inspect->add_flag("--dot", options.dot, "Prints the graph for Graphviz instead, a cluster for each partition");
}

int dispatch(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    // benchdnn's knobs act in the order given and have a syntax of their own: no other parser touches them.
    if (!arguments.empty() && arguments[0] == "bench") return driver::command_bench({arguments.begin() + 1, arguments.end()});

    CLI::App app("onefold compiles graphs of reductions, element-wise and broadcast operations and executes them on the CPU.",
                 "onefold");
    app.set_version_flag("--version", fmt::format("onefold {}", onefold_version()));
    app.require_subcommand(1);
    app.footer(footer);
    driver::run_options run;
    driver::inspect_options inspect;
    add_run(app, run);
    add_inspect(app, inspect);
    app.add_subcommand("bench", bench_description);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &e) {
        if (e.get_exit_code() == 0) return app.exit(e); // --help, --version
        const bool is_unknown = !arguments.empty() && app.get_subcommands().empty() && !arguments[0].starts_with('-');
        const std::string what = is_unknown ? "There is no subcommand " + arguments[0] : e.what();
        return report(bad_usage, what + " (see onefold --help)");
    }
    return app.got_subcommand("run") ? command_run(run) : command_inspect(inspect);
}

} // namespace

int main(int argc, char **argv) {
    try {
        const int code = dispatch(argc, argv);
        // A full disk behind stdout must not pass for success.
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) return report(failure, "standard output cannot be written");
        return code;
    } catch (const driver::bad_input &e) {
        return report(bad_usage, e.what());
    } catch (const std::bad_alloc &) {
        return report(failure, "out of memory");
    } catch (const std::exception &e) {
        return report(failure, e.what());
    }
}
