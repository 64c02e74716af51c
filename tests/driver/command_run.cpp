#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/error.hpp"
#include "io/npy.hpp"
#include "tests/driver/commands.hpp"
#include "tests/driver/fill.hpp"
#include "tests/driver/graph_source.hpp"
#include "tests/driver/session.hpp"

namespace onefold::driver {

namespace {

using impl::io::npy_array;

constexpr int64_t values_shown = 8;

/// A tensor that the user gave.
struct given_input {
    size_t id;
    std::string path;
    npy_array array;
};

given_input read_input(const std::string &argument) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) throw bad_input(fmt::format("--input {}: NAME=PATH.npy was expected", argument));
    const std::string name = argument.substr(0, equals);
    given_input input{0, argument.substr(equals + 1), {}};
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), input.id);
    if (failure != std::errc{} || end != name.data() + name.size())
        throw bad_input(fmt::format("--input {}: NAME is a tensor id (an integer)", argument));
    try {
        input.array = impl::io::read_npy(input.path);
    } catch (const impl::error &e) {
        throw bad_input(e.what());
    }
    return input;
}

std::vector<given_input> read_inputs(const std::vector<std::string> &arguments, session &s) {
    std::vector<given_input> result;
    std::set<size_t> seen;
    for (const std::string &argument : arguments) {
        given_input input = read_input(argument);
        const auto &inputs = s.inputs();
        if (std::none_of(inputs.begin(), inputs.end(), [&](const graph_input &i) { return i.id == input.id; }))
            throw bad_input(fmt::format("--input {}: tensor {} is not an input of the graph", argument, input.id));
        if (!seen.insert(input.id).second)
            throw bad_input(fmt::format("--input {}: tensor {} is given twice", argument, input.id));
        const impl::data_type type = s.tensor(input.id).type;
        const impl::data_type expected = impl::io::npy_type_of(type);
        const bool fits = input.array.type == expected || (type == onefold_boolean && input.array.type == onefold_u8);
        if (!fits)
            throw bad_input(fmt::format("{}: elements of type {} were expected for the {} tensor {}, not {}", input.path,
                                        impl::name_of(expected), impl::name_of(type), input.id,
                                        impl::name_of(input.array.type)));
        try {
            s.set_dims(input.id, input.array.dims);
        } catch (const std::runtime_error &e) {
            throw bad_input(fmt::format("{}: {}", input.path, e.what()));
        }
        result.push_back(std::move(input));
    }
    return result;
}

void fill_inputs(session &s, const std::vector<given_input> &given, uint64_t seed) {
    for (const graph_input &input : s.inputs()) {
        buffer &b = s.buffer_of(input.id);
        const auto found = std::find_if(given.begin(), given.end(), [&](const given_input &g) { return g.id == input.id; });
        if (found != given.end())
            b.scatter(found->array.data);
        else
            fill(b, input.consumer, input.port, seed);
    }
}

void print(const buffer &b) {
    const int64_t shown = std::min(b.count(), values_shown);
    std::vector<std::string> values;
    for (int64_t i = 0; i < shown; ++i)
        values.push_back(b.text(i));
    const impl::logical_tensor &lt = b.description();
    fmt::print("output {}: {} {}: {}{}\n", lt.id, impl::name_of(lt.type), impl::to_string(lt.dims), fmt::join(values, ", "),
               shown < b.count() ? ", ..."
               : b.count() == 0  ? "(no elements)"
                                 : "");
}

/// Checked before anything runs, so that a mistyped path does not cost a long run.
void check_output_dir(const std::optional<std::string> &directory) {
    std::error_code ignored;
    if (directory && std::filesystem::exists(*directory, ignored) && !std::filesystem::is_directory(*directory, ignored))
        throw bad_input(fmt::format("--output-dir {}: is not a directory", *directory));
}

void write(const session &s, const std::filesystem::path &directory) {
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    if (failure) throw std::runtime_error(fmt::format("{}: cannot be created: {}", directory.string(), failure.message()));
    for (const size_t id : s.outputs()) {
        const buffer &b = s.buffer_of(id);
        impl::io::write_npy(directory / fmt::format("{}.npy", id), b.type(), b.description().dims, b.gather());
    }
}

} // namespace

int command_run(const run_options &options) {
    check_output_dir(options.output_dir);
    session s(read_graph_source(options.file), options.threads);
    const std::vector<given_input> given = read_inputs(options.inputs, s);
    s.compile();
    s.allocate();
    fill_inputs(s, given, options.seed);
    s.execute();
    if (options.output_dir) write(s, *options.output_dir);
    for (const size_t id : s.outputs())
        print(s.buffer_of(id));
    return 0;
}

} // namespace onefold::driver
