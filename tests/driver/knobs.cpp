#include "tests/driver/knobs.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/driver/commands.hpp"

namespace onefold::driver {

namespace {

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args &&...args) {
    throw bad_input(fmt::format(format, std::forward<Args>(args)...));
}

/// The knobs that --reset sets back, each with all the values that are to be run.
struct case_knobs {
    std::vector<int64_t> mb = {0};
    std::vector<text_by_id> in_shapes = {{}};
    std::vector<text_by_id> op_attrs = {{}};
    std::vector<text_by_id> op_kinds = {{}};
    std::vector<text_by_id> properties = {{}};
    std::vector<impl::data_type> types = {onefold_data_type_undef};
    std::vector<type_by_id> types_of_tensors = {{}};
    std::vector<std::optional<std::string>> fpmath = {std::nullopt};
    std::vector<size_t> expected_partitions = {1};
};

/// ID:VALUE[+ID:VALUE...], or nothing.
text_by_id parse_by_id(const std::string &text, const std::string &knob) {
    text_by_id result;
    if (text.empty()) return result;
    for (const std::string &entry : split(text, '+')) {
        const size_t colon = entry.find(':');
        if (colon == std::string::npos || colon + 1 == entry.size()) refuse("{}: '{}' is not ID:VALUE", knob, entry);
        // What stands behind the digits does not count: benchdnn's own batch files have such ids.
        const size_t digits = std::min(entry.find_first_not_of("0123456789"), colon);
        const int64_t id = parse_integer(entry.substr(0, digits == 0 ? colon : digits), knob + ": id");
        if (id < 0) refuse("{}: a negative id, {}", knob, id);
        if (!result.emplace(static_cast<size_t>(id), entry.substr(colon + 1)).second) refuse("{}: id {} twice", knob, id);
    }
    return result;
}

std::vector<text_by_id> parse_lists_by_id(const std::string &text, const std::string &knob) {
    std::vector<text_by_id> result;
    for (const std::string &one : split(text, ','))
        result.push_back(parse_by_id(one, knob));
    return result;
}

impl::data_type parse_type(const std::string &name, const std::string &knob) {
    if (name == "undef" || name.empty()) return onefold_data_type_undef;
    const auto type = impl::data_type_from_name(name);
    if (!type) refuse("{}: no data type '{}'", knob, name);
    return *type;
}

bench_mode parse_mode(const std::string &value, common_knobs &common) {
    bench_mode mode;
    mode.correctness = mode.execute = mode.compile = false;
    mode.letters = value;
    std::transform(value.begin(), value.end(), mode.letters.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const char letter : mode.letters) {
        mode.list |= letter == 'L';
        mode.correctness |= letter == 'C';
        mode.performance |= letter == 'P' || letter == 'F';
        mode.execute |= letter == 'R';
        mode.compile |= letter == 'I';
        if (letter == 'F') common.max_ms_per_problem = 10;
        if (std::string("LCPRIF").find(letter) == std::string::npos) refuse("--mode: no mode '{}' in '{}'", letter, value);
    }
    if (value.empty() || (mode.list && value.size() > 1)) refuse("--mode: '{}' is not a mode", value);
    mode.execute |= mode.correctness || mode.performance;
    mode.compile |= mode.execute;
    return mode;
}

/// Reads knobs in order and collects the cases.
class knob_reader {
public:
    std::vector<bench_case> cases;

    void read(const std::vector<std::string> &arguments, const std::filesystem::path &beside, int depth) {
        for (const std::string &argument : arguments)
            read(argument, beside, depth);
    }

private:
    using setter = std::function<void(const std::string &value)>;

    void read(const std::string &argument, const std::filesystem::path &beside, int depth) {
        if (argument == "--reset") {
            knobs_ = {};
        } else if (argument == "--graph") {
            // The name of benchdnn's driver: its command lines can be used as they are.
        } else if (argument.starts_with("-v") && argument.size() > 2) {
            common_.verbose = static_cast<int>(count(argument.substr(2), "-v"));
        } else if (argument.starts_with("--batch=")) {
            read_batch(argument.substr(8), beside, depth);
        } else if (argument.starts_with("--case=")) {
            add_cases(argument.substr(7), beside);
        } else {
            const size_t equals = argument.find('=');
            const std::string name = argument.substr(0, equals);
            if (equals == std::string::npos ||
                !(set_case_knob(name, argument.substr(equals + 1)) || set_common_knob(name, argument.substr(equals + 1))))
                refuse("bench: no knob '{}'; onefold bench --help lists them", argument);
        }
    }

    bool set_case_knob(const std::string &name, const std::string &value) {
        if (name == "--mb") {
            knobs_.mb.clear();
            for (const std::string &one : split(value, ','))
                knobs_.mb.push_back(static_cast<int64_t>(count(one, name)));
        } else if (name == "--in-shapes") {
            knobs_.in_shapes = parse_lists_by_id(value, name);
        } else if (name == "--op-attrs") {
            knobs_.op_attrs = parse_lists_by_id(value, name);
        } else if (name == "--op-kind") {
            knobs_.op_kinds = parse_lists_by_id(value, name);
        } else if (name == "--tensor-property") {
            knobs_.properties = parse_lists_by_id(value, name);
        } else if (name == "--dt") {
            set_types(value);
        } else if (name == "--attr-fpmath") {
            knobs_.fpmath.clear();
            for (const std::string &one : split(value, ','))
                knobs_.fpmath.push_back(one.empty() ? std::nullopt : std::optional(one));
        } else if (name == "--expected-n-partitions") {
            knobs_.expected_partitions.clear();
            for (const std::string &one : split(value, ','))
                knobs_.expected_partitions.push_back(static_cast<size_t>(count(one, name)));
        } else {
            return false;
        }
        return true;
    }

    bool set_common_knob(const std::string &name, const std::string &value) {
        if (name == "--mode")
            common_.mode = parse_mode(value, common_);
        else if (name == "--perf-template")
            common_.perf_template = value;
        else if (name == "--max-ms-per-prb")
            common_.max_ms_per_problem = std::clamp(static_cast<double>(count(value, name)), 10.0, 60000.0);
        else if (name == "--fix-times-per-prb")
            common_.fixed_times = count(value, name);
        else if (name == "--start")
            common_.start = count(value, name);
        else if (name == "--repeats-per-prb")
            common_.repeats = std::max<uint64_t>(count(value, name), 1);
        else if (name == "--seed")
            common_.seed = count(value, name);
        else if (name == "--threads")
            common_.threads = static_cast<unsigned>(std::min<uint64_t>(count(value, name), 4096));
        else if (name == "--verbose")
            common_.verbose = static_cast<int>(count(value, name));
        else if (name == "--engine" && (value == "cpu" || value == "cpu:0"))
            return true;
        else
            return false;
        return true;
    }

    static uint64_t count(const std::string &text, const std::string &knob) {
        const int64_t number = parse_integer(text, knob);
        if (number < 0) refuse("{}: {} is negative", knob, number);
        return static_cast<uint64_t>(number);
    }

    void set_types(const std::string &value) {
        knobs_.types = {onefold_data_type_undef};
        knobs_.types_of_tensors = {{}};
        if (value.find(':') == std::string::npos) {
            knobs_.types.clear();
            for (const std::string &one : split(value, ','))
                knobs_.types.push_back(parse_type(one, "--dt"));
            return;
        }
        knobs_.types_of_tensors.clear();
        for (const text_by_id &one : parse_lists_by_id(value, "--dt")) {
            auto &types = knobs_.types_of_tensors.emplace_back();
            for (const auto &[id, name] : one)
                types.emplace(id, parse_type(name, "--dt"));
        }
    }

    /// A batch file's words are knobs. '#' comments a line out from a word's beginning on; a word that ends with a backslash
    /// goes on with the next.
    void read_batch(const std::string &name, const std::filesystem::path &beside, int depth) {
        if (depth > 16) refuse("--batch={}: batch files include each other more than 16 deep", name);
        const auto path = find_case_file(name, beside);
        std::ifstream file(path);
        std::vector<std::string> words;
        bool goes_on = false;
        for (std::string word; file >> word;) {
            if (word.front() == '#') {
                std::getline(file, word);
                continue;
            }
            if (goes_on) {
                word.insert(0, words.back());
                words.pop_back();
            }
            goes_on = word.back() == '\\';
            if (goes_on) word.pop_back();
            words.push_back(word);
        }
        read(words, path.parent_path(), depth + 1);
    }

    void add_cases(const std::string &name, const std::filesystem::path &beside) {
        bench_case c;
        c.common = common_;
        c.file = name;
        c.path = find_case_file(name, beside);
        // Each step runs through one knob's values and leaves the rest to the next.
        const auto for_each = [](const auto &values, auto &field, const auto &next) {
            for (const auto &value : values) {
                field = value;
                next();
            }
        };
        graph_rewrite &r = c.rewrite;
        const auto add = [&] { cases.push_back(c); };
        const auto by_mb = [&] { for_each(knobs_.mb, r.mb, add); };
        const auto by_tensor_type = [&] { for_each(knobs_.types_of_tensors, r.type_of_tensor, by_mb); };
        const auto by_type = [&] { for_each(knobs_.types, r.type, by_tensor_type); };
        const auto by_property = [&] { for_each(knobs_.properties, r.properties, by_type); };
        const auto by_partitions = [&] { for_each(knobs_.expected_partitions, c.expected_partitions, by_property); };
        const auto by_kind = [&] { for_each(knobs_.op_kinds, r.op_kinds, by_partitions); };
        const auto by_attrs = [&] { for_each(knobs_.op_attrs, r.op_attrs, by_kind); };
        const auto by_shapes = [&] { for_each(knobs_.in_shapes, r.in_shapes, by_attrs); };
        for (const auto &mode : knobs_.fpmath) {
            set_fpmath(mode, r);
            by_shapes();
        }
    }

    static void set_fpmath(const std::optional<std::string> &text, graph_rewrite &r) {
        r.fpmath.reset();
        if (!text) return;
        const auto parts = split(*text, ':');
        r.fpmath = impl::fpmath_mode_from_name(parts[0]);
        r.fpmath_applies_to_int = parts.size() == 2 && (parts[1] == "true" || parts[1] == "1");
        if (!r.fpmath || parts.size() > 2) refuse("--attr-fpmath: no mode '{}'", *text);
    }

    common_knobs common_;
    case_knobs knobs_;
};

template <typename Number>
std::vector<Number> parse_numbers(const std::string &text, const std::string &what) {
    std::vector<Number> result;
    if (text == "-") return result;
    for (const std::string &piece : split(text, 'x')) {
        Number number{};
        const char *end = piece.data() + piece.size();
        const auto parsed = std::from_chars(piece.data(), end, number);
        if (parsed.ec != std::errc() || parsed.ptr != end) refuse("{}: '{}' is not a number", what, piece);
        result.push_back(number);
    }
    return result;
}

void append(std::string &line, const std::string &knob, const text_by_id &values) {
    if (values.empty()) return;
    std::vector<std::string> entries;
    for (const auto &[id, value] : values)
        entries.push_back(fmt::format("{}:{}", id, value));
    line += fmt::format("--{}={} ", knob, fmt::join(entries, "+"));
}

} // namespace

std::vector<bench_case> parse_knobs(const std::vector<std::string> &arguments) {
    knob_reader reader;
    reader.read(arguments, {}, 0);
    return std::move(reader.cases);
}

std::string to_knobs(const bench_case &c) {
    const common_knobs defaults;
    std::string line;
    if (c.common.mode.letters != defaults.mode.letters) line += fmt::format("--mode={} ", c.common.mode.letters);
    if (c.common.threads != 0) line += fmt::format("--threads={} ", c.common.threads);
    line += fmt::format("--seed={} ", c.common.seed);
    if (c.rewrite.mb != 0) line += fmt::format("--mb={} ", c.rewrite.mb);
    if (c.rewrite.type != onefold_data_type_undef) line += fmt::format("--dt={} ", impl::name_of(c.rewrite.type));
    text_by_id types;
    for (const auto &[id, type] : c.rewrite.type_of_tensor)
        types.emplace(id, impl::name_of(type));
    append(line, "dt", types);
    append(line, "in-shapes", c.rewrite.in_shapes);
    append(line, "op-attrs", c.rewrite.op_attrs);
    append(line, "op-kind", c.rewrite.op_kinds);
    append(line, "tensor-property", c.rewrite.properties);
    if (c.rewrite.fpmath)
        line += fmt::format("--attr-fpmath={}{} ", impl::name_of(*c.rewrite.fpmath),
                            c.rewrite.fpmath_applies_to_int ? ":true" : "");
    if (c.expected_partitions != 1) line += fmt::format("--expected-n-partitions={} ", c.expected_partitions);
    return line + "--case=" + c.file;
}

std::filesystem::path find_case_file(const std::string &name, const std::filesystem::path &beside) {
    std::vector<std::filesystem::path> folders = {std::filesystem::path()};
    // A batch file names its files from its own folder or, as benchdnn's do, from the folder above.
    if (!beside.empty()) folders.insert(folders.end(), {beside, beside / ".."});
    if (const char *cases = std::getenv("ONEFOLD_CASES")) folders.emplace_back(cases);
#ifdef ONEFOLD_CASES_DIR
    folders.emplace_back(ONEFOLD_CASES_DIR);
#endif
    folders.emplace_back("benchdnn_cases");
    for (const auto &folder : folders) {
        std::filesystem::path path = folder / name;
        std::error_code ignored;
        if (!name.empty() && std::filesystem::is_regular_file(path, ignored)) return path;
    }
    refuse("bench: no file '{}', neither here nor in benchdnn_cases", name);
}

std::vector<int64_t> parse_integers(const std::string &text, const std::string &what) {
    return parse_numbers<int64_t>(text, what);
}

std::vector<float> parse_floats(const std::string &text, const std::string &what) { return parse_numbers<float>(text, what); }

int64_t parse_integer(const std::string &text, const std::string &what) {
    const auto numbers = text == "-" ? std::vector<int64_t>() : parse_integers(text, what);
    if (numbers.size() != 1) refuse("{}: '{}' is not a number", what, text);
    return numbers[0];
}

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> pieces(1);
    for (const char c : text) {
        if (c == separator)
            pieces.emplace_back();
        else
            pieces.back() += c;
    }
    return pieces;
}

} // namespace onefold::driver
