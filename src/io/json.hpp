#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace onefold::impl::io {

using nlohmann::json;

/// Parses a JSON text. Throws error(invalid_arguments) with one line: where it is not JSON, nests deeper than any graph file
/// does, or has a key twice in one object.
json parse_json(std::string_view text);

/// A value as a message shows it: in one line, printable, cut where it is long.
std::string shown(const json &value);
/// The same for any text that comes from outside.
std::string printable(std::string_view text);

/// Takes values out of JSON. Every failure is error(invalid_arguments) that names the place, e.g. "op 3 (Add): input 0".
class json_reader {
public:
    json_reader(const json &value, std::string place) : value_(value), place_(std::move(place)) {}

    const std::string &place() const { return place_; }
    /// The same value under another name.
    json_reader renamed(std::string place) const { return {value_, std::move(place)}; }
    bool is_string() const { return value_.is_string(); }
    /// False also where this is not an object.
    bool has(std::string_view key) const { return value_.contains(key); }

    /// The member of that key, which must be there; this must be an object.
    json_reader at(std::string_view key) const;
    /// The elements of an array.
    std::vector<json_reader> elements() const;
    /// The keys of an object.
    std::vector<std::string> keys() const;

    std::string string() const;
    int64_t s64() const;
    size_t id() const;    // 0 to 2^64 - 1
    float f32() const;    // a number, or "inf", "-inf", "nan"
    bool boolean() const; // true, false, 1, 0, "true", "false"

    template <typename Read>
    auto list(Read &&read) const {
        std::vector<decltype(read(*this))> values;
        for (const json_reader &element : elements())
            values.push_back(read(element));
        return values;
    }

    /// Fails, naming the place and the value.
    [[noreturn]] void reject(std::string_view reason) const;

private:
    const json &value_;
    std::string place_;
};

} // namespace onefold::impl::io
