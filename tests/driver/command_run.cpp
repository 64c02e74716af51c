#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/error.hpp"
#include "io/npy.hpp"
#include "tests/driver/commands.hpp"
#include "tests/driver/fill_input.hpp"
#include "tests/driver/graph_source.hpp"
#include "tests/driver/session.hpp"

namespace onefold::driver {

namespace {

using impl::io::npy_array;

constexpr int64_t values_shown = 8;

/// A tensor that the user gave.
struct given_input {
    std::string argument; // as on the command line
    std::string name;
    std::string path;
    npy_array array;
    size_t id = 0;
};

given_input read_input(const std::string &argument) {
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) throw bad_input(fmt::format("--input {}: NAME=PATH.npy was expected", argument));
    given_input input{argument, argument.substr(0, equals), argument.substr(equals + 1), {}, 0};
    try {
        input.array = impl::io::read_npy(input.path);
    } catch (const impl::error &e) {
        throw bad_input(e.what());
    }
    return input;
}

std::vector<given_input> read_inputs(const std::vector<std::string> &arguments) {
    std::vector<given_input> result;
    for (const std::string &argument : arguments) {
        given_input input = read_input(argument);
        for (const given_input &other : result)
            if (other.name == input.name)
                throw bad_input(fmt::format("--input {}: tensor {} is given twice", argument, input.name));
        result.push_back(std::move(input));
    }
    return result;
}

impl::io::onnx_known_inputs known_inputs(const std::vector<given_input> &given) {
    impl::io::onnx_known_inputs known;
    for (const given_input &input : given)
        known.emplace(input.name, impl::io::onnx_known_input{input.array.dims, input.array.type, input.array.data});
    return known;
}

/// The tensor that a name means: in an ONNX model an input's, in a graph file an id.
size_t find_input(const given_input &input, const graph_source &source, const session &s) {
    for (const impl::io::onnx_input &known : source.inputs)
        if (known.name == input.name) return known.id;
    size_t id = 0;
    const auto [end, failure] = std::from_chars(input.name.data(), input.name.data() + input.name.size(), id);
    const bool is_number = failure == std::errc{} && end == input.name.data() + input.name.size();
    if (source.is_model || (is_number && std::none_of(s.inputs().begin(), s.inputs().end(),
                                                      [&](const graph_input &known) { return known.id == id; })))
        throw bad_input(fmt::format("--input {}: tensor {} is not an input of the graph", input.argument, input.name));
    if (!is_number) throw bad_input(fmt::format("--input {}: NAME is a tensor id (an integer)", input.argument));
    return id;
}

void place_inputs(std::vector<given_input> &given, const graph_source &source, session &s) {
    for (given_input &input : given) {
        input.id = find_input(input, source, s);
        if (!s.knows(input.id)) continue; // an input that no op reads
        const impl::data_type type = s.tensor(input.id).type;
        const impl::data_type expected = impl::io::npy_type_of(type);
        const bool fits = input.array.type == expected || (type == onefold_boolean && input.array.type == onefold_u8);
        if (!fits)
            throw bad_input(fmt::format("{}: elements of type {} were expected for the {} tensor {}, not {}", input.path,
                                        impl::name_of(expected), impl::name_of(type), input.name,
                                        impl::name_of(input.array.type)));
        try {
            s.set_dims(input.id, input.array.dims);
        } catch (const std::runtime_error &e) {
            throw bad_input(fmt::format("{}: {}", input.path, e.what()));
        }
    }
}

/// The elements of an array of s32 or s64.
std::vector<int64_t> integers_of(const npy_array &array) {
    std::vector<int64_t> result;
    const auto size = static_cast<size_t>(impl::size_of(array.type));
    for (size_t at = 0; at < array.data.size(); at += size) {
        int32_t narrow = 0;
        int64_t wide = 0;
        if (size == sizeof narrow)
            std::memcpy(&narrow, &array.data[at], size);
        else
            std::memcpy(&wide, &array.data[at], size);
        result.push_back(size == sizeof narrow ? narrow : wide);
    }
    return result;
}

/// Axes that are given tell the shapes behind them; where neither they nor the shapes are known, nothing can be compiled.
void place_axes(const std::vector<given_input> &given, const graph_source &source, const std::string &file, session &s) {
    for (const given_input &input : given)
        if (s.knows(input.id) && is_axes(s, input.id)) s.set_axes(input.id, integers_of(input.array));
    for (const graph_input &input : s.inputs()) {
        const auto is_it = [&](const given_input &g) { return g.id == input.id; };
        if (std::any_of(given.begin(), given.end(), is_it) || source.constants.contains(input.id)) continue;
        for (const impl::op &o : s.file().ops)
            if (impl::has_axes_input(o) && o.inputs[1].id == input.id && !s.tensor(o.outputs[0].id).has_known_dims())
                throw bad_input(
                    fmt::format("{}: {}: the shape of its result depends on its axes; --input {}=PATH.npy gives them", file,
                                impl::to_string(o), name_of(source, input.id)));
    }
}

/// What of an ONNX model keeps it from being run.
void check_runnable(const graph_source &source, const std::string &file) {
    if (!source.unsupported.empty()) {
        std::vector<std::string> reasons;
        for (const auto &[op, reason] : source.unsupported)
            reasons.push_back(reason);
        throw bad_input(fmt::format("{}: not supported: {}", file, fmt::join(reasons, "; ")));
    }
    for (const impl::io::onnx_input &input : source.inputs)
        if (!input.unknown.empty())
            throw bad_input(fmt::format("{}: input \"{}\": {} has no size; --input {}=PATH.npy gives it one", file,
                                        name_of(source, input.id), fmt::join(input.unknown, ", "), name_of(source, input.id)));
}

void fill_constants(session &s, const graph_source &source) {
    for (const auto &[id, array] : source.constants)
        if (s.knows(id)) s.buffer_of(id).scatter(array.data);
}

void fill_inputs(session &s, const graph_source &source, const std::vector<given_input> &given, uint64_t seed) {
    fill_constants(s, source);
    for (const graph_input &input : s.inputs()) {
        if (source.constants.contains(input.id)) continue;
        buffer &b = s.buffer_of(input.id);
        const auto found = std::find_if(given.begin(), given.end(), [&](const given_input &g) { return g.id == input.id; });
        if (found != given.end())
            b.scatter(found->array.data);
        else
            fill_input(s, input, seed);
    }
}

void print(const buffer &b, const std::string &name) {
    const int64_t shown = std::min(b.count(), values_shown);
    std::vector<std::string> values;
    for (int64_t i = 0; i < shown; ++i)
        values.push_back(b.text(i));
    const impl::logical_tensor &lt = b.description();
    fmt::print("output {}: {} {}: {}{}\n", name, impl::name_of(lt.type), impl::to_string(lt.dims), fmt::join(values, ", "),
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

/// A name as a file's: only what no shell or file system minds, and each once.
std::string file_name(const std::string &name, size_t id, std::set<std::string> &taken) {
    std::string result;
    for (const char c : name.substr(0, 200))
        result += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.' ? c : '_';
    if (!taken.insert(result).second) taken.insert(result += fmt::format("_{}", id));
    return result + ".npy";
}

void write(const session &s, const graph_source &source, const std::filesystem::path &directory) {
    std::error_code failure;
    std::filesystem::create_directories(directory, failure);
    if (failure) throw std::runtime_error(fmt::format("{}: cannot be created: {}", directory.string(), failure.message()));
    std::set<std::string> taken;
    for (const size_t id : s.outputs()) {
        const buffer &b = s.buffer_of(id);
        const std::string name = file_name(name_of(source, id), id, taken);
        impl::io::write_npy(directory / name, b.type(), b.description().dims, b.gather());
    }
}

} // namespace

int command_run(const run_options &options) {
    check_output_dir(options.output_dir);
    std::vector<given_input> given = read_inputs(options.inputs);
    graph_source source = read_graph_source(options.file, known_inputs(given));
    session s(std::move(source.file), options.threads, graph::partition::policy::fusion, source.views);
    place_inputs(given, source, s);
    check_runnable(source, options.file);
    place_axes(given, source, options.file, s);
    s.compile();
    s.allocate();
    fill_inputs(s, source, given, options.seed);
    s.execute();
    if (options.output_dir) write(s, source, *options.output_dir);
    for (const size_t id : s.outputs())
        print(s.buffer_of(id), name_of(source, id));
    return 0;
}

} // namespace onefold::driver
