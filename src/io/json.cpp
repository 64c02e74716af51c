#include "io/json.hpp"

#include <cmath>
#include <limits>
#include <set>

#include "graph/error.hpp"

namespace onefold::impl::io {

namespace {

// A graph file nests 7 deep. A parser without a limit would take a million brackets too, but whoever walks the value would not.
constexpr int max_depth = 32;
constexpr size_t max_shown = 60;

/// Watches the parser: the depth, and keys that an object has twice.
class watcher {
public:
    bool operator()(int depth, json::parse_event_t event, const json &parsed) {
        if (depth > max_depth) fail(onefold_invalid_arguments, "not a graph file: more than {} levels of nesting", max_depth);
        if (event == json::parse_event_t::object_start)
            open_objects_.emplace_back();
        else if (event == json::parse_event_t::object_end)
            open_objects_.pop_back();
        else if (event == json::parse_event_t::key && !open_objects_.back().insert(parsed.get<std::string>()).second)
            fail(onefold_invalid_arguments, "key \"{}\" stands twice in one object", printable(parsed.get<std::string>()));
        return true;
    }

private:
    std::vector<std::set<std::string>> open_objects_;
};

/// The parser's own sentence without its prefix: "[json.exception.parse_error.101] parse error at line 1, column 2: ...".
std::string without_prefix(std::string_view message) {
    const size_t bracket = message.find("] ");
    if (message.starts_with('[') && bracket != std::string_view::npos) message.remove_prefix(bracket + 2);
    constexpr size_t longest_message = 200;
    std::string text;
    for (const char c : message.substr(0, longest_message))
        text += c >= ' ' && c < 127 ? c : '?';
    return message.size() > longest_message ? text + "..." : text;
}

std::string dump(const json &value) {
    // Arrays and objects can be huge: a few levels of them say nothing that their kind does not.
    if (value.is_object()) return "an object";
    if (value.is_array() && value.size() > 16) return fmt::format("an array of {}", value.size());
    if (value.is_array())
        for (const json &element : value)
            if (element.is_structured()) return "an array";
    return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

} // namespace

json parse_json(std::string_view text) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) fail(onefold_invalid_arguments, "the file is empty");
    try {
        watcher watch;
        return json::parse(text,
                           [&](int depth, json::parse_event_t event, json &parsed) { return watch(depth, event, parsed); });
    } catch (const json::exception &e) {
        fail(onefold_invalid_arguments, "not JSON: {}", without_prefix(e.what()));
    }
}

std::string shown(const json &value) { return printable(dump(value)); }

std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text.substr(0, max_shown))
        result += c >= ' ' && c < 127 ? c : '?';
    return text.size() > max_shown ? result + "..." : result;
}

void json_reader::reject(std::string_view reason) const {
    fail(onefold_invalid_arguments, "{}: {} {}", place_, shown(value_), reason);
}

json_reader json_reader::at(std::string_view key) const {
    if (!value_.is_object()) reject("is not an object");
    const auto member = value_.find(key);
    if (member == value_.end()) fail(onefold_invalid_arguments, "{}: the key \"{}\" is missing", place_, key);
    return {*member, fmt::format("{}: {}", place_, key)};
}

std::vector<json_reader> json_reader::elements() const {
    if (!value_.is_array()) reject("is not an array");
    std::vector<json_reader> result;
    result.reserve(value_.size());
    for (size_t i = 0; i < value_.size(); ++i)
        result.emplace_back(value_[i], fmt::format("{} {}", place_, i));
    return result;
}

std::vector<std::string> json_reader::keys() const {
    if (!value_.is_object()) reject("is not an object");
    std::vector<std::string> result;
    for (const auto &member : value_.items())
        result.push_back(member.key());
    return result;
}

std::string json_reader::string() const {
    if (!value_.is_string()) reject("is not a string");
    // The C ABI would end it there.
    if (value_.get_ref<const std::string &>().find('\0') != std::string::npos) reject("holds a NUL character");
    return value_.get<std::string>();
}

int64_t json_reader::s64() const {
    if (!value_.is_number_integer()) reject("is not an integer of 64 bits");
    if (value_.is_number_unsigned() && value_.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        reject("exceeds 2^63 - 1");
    return value_.get<int64_t>();
}

size_t json_reader::id() const {
    if (!value_.is_number_integer()) reject("is not an id (an integer from 0 to 2^64 - 1)");
    if (!value_.is_number_unsigned() && value_.get<int64_t>() < 0) reject("is negative; an id is not");
    return value_.get<uint64_t>();
}

float json_reader::f32() const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    if (value_ == "inf") return infinity;
    if (value_ == "-inf") return -infinity;
    if (value_ == "nan") return std::numeric_limits<float>::quiet_NaN();
    if (!value_.is_number()) reject("is not a number (nor \"inf\", \"-inf\" or \"nan\")");
    const double exact = value_.get<double>();
    const auto rounded = static_cast<float>(exact);
    if (std::isinf(rounded)) reject("is outside the range of f32");
    return rounded;
}

bool json_reader::boolean() const {
    if (value_ == true || value_ == 1 || value_ == "true") return true;
    if (value_ == false || value_ == 0 || value_ == "false") return false;
    reject("is not a bool (true, false, 1 or 0)");
}

} // namespace onefold::impl::io
