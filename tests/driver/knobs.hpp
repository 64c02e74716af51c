#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/types.hpp"

namespace onefold::driver {

/// What to do with a case: benchdnn's modes.
struct bench_mode {
    bool list = false;        // L: only print it
    bool compile = true;      // I and all that follow: partition and compile it
    bool execute = true;      // R and all that follow: execute it
    bool correctness = true;  // C: compare with the reference
    bool performance = false; // P: measure
    std::string letters = "C";
};

/// Knobs that hold for every case that follows them; --reset leaves them alone.
struct common_knobs {
    bench_mode mode;
    std::string perf_template = "def";
    double max_ms_per_problem = 3000;
    uint64_t fixed_times = 0; // 0: as often as the time allows
    uint64_t start = 0;
    uint64_t repeats = 1;
    uint64_t seed = 0;
    unsigned threads = 0;
    int verbose = 0;
};

using text_by_id = std::map<size_t, std::string>;
using type_by_id = std::map<size_t, impl::data_type>;

/// How a case's graph file is rewritten before it is run.
struct graph_rewrite {
    int64_t mb = 0;                                 // 0: as it is
    text_by_id in_shapes;                           // tensor id: SHAPE, TAG, SHAPE*TAG or SHAPE*STRIDES
    text_by_id op_attrs;                            // op id: NAME:VALUE[*NAME:VALUE...]
    text_by_id op_kinds;                            // op id: KIND
    text_by_id properties;                          // tensor id: undef, variable or constant
    type_by_id type_of_tensor;                      // tensor id: type
    impl::data_type type = onefold_data_type_undef; // of all tensors; undef: as it is
    std::optional<impl::fpmath_mode> fpmath;
    bool fpmath_applies_to_int = false;
};

/// One run of one graph file.
struct bench_case {
    common_knobs common;
    graph_rewrite rewrite;
    size_t expected_partitions = 1; // 0: any number
    std::string file;               // as given: what the line to run it again says
    std::filesystem::path path;     // where it was found
};

/// Reads the knobs in order, batch files included, and gives the cases that they ask for: each --case once for every
/// combination of the values in the knobs before it. Throws bad_input with a sentence.
std::vector<bench_case> parse_knobs(const std::vector<std::string> &arguments);

/// The knobs that run a case again. Knobs at their defaults are left out.
std::string to_knobs(const bench_case &c);

/// Looks for a file as it is given, beside the batch file that names it, in $ONEFOLD_CASES and in the project's
/// benchdnn_cases. Throws bad_input where it is nowhere.
std::filesystem::path find_case_file(const std::string &name, const std::filesystem::path &beside);

/// "1x2x3" as numbers; "-" is an empty list. Throws bad_input that begins with `what`.
std::vector<int64_t> parse_integers(const std::string &text, const std::string &what);
std::vector<float> parse_floats(const std::string &text, const std::string &what);
/// A whole number with nothing behind it.
int64_t parse_integer(const std::string &text, const std::string &what);

/// The pieces of `text` between the separators: one more than there are separators.
std::vector<std::string> split(const std::string &text, char separator);

} // namespace onefold::driver
