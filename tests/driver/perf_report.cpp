#include "tests/driver/perf_report.hpp"

#include <optional>

#include <fmt/format.h>

namespace onefold::driver {

namespace {

std::optional<std::string> text_of(const std::string &name, const perf_numbers &numbers) {
    if (name == "engine") return "cpu";
    if (name == "driver") return "graph";
    if (name == "prb") return numbers.problem;
    if (name == "impl") return numbers.implementation;
    if (name == "idx") return std::to_string(numbers.index);
    return std::nullopt;
}

std::optional<double> number_of(const std::string &name, double ms, const perf_numbers &numbers) {
    const double bytes = numbers.source_bytes + numbers.destination_bytes;
    const double bytes_a_second = ms > 0 ? bytes / (ms / 1000) : 0;
    if (name == "time") return ms;
    if (name == "bw") return bytes_a_second;
    if (name == "ibytes") return numbers.source_bytes;
    if (name == "obytes") return numbers.destination_bytes;
    if (name == "iobytes") return bytes;
    if (name == "share") return bytes_a_second / numbers.read_bandwidth;
    return std::nullopt;
}

/// What stands between two percent signs; as it is where it names nothing.
std::string expand(const std::string &token, const perf_numbers &numbers) {
    if (const auto text = text_of(token, numbers)) return *text;
    std::string name = token;
    double ms = numbers.time.min_ms;
    double unit = 1;
    if (name.starts_with('-') || name.starts_with('0') || name.starts_with('+')) {
        if (name[0] != '-') ms = name[0] == '0' ? numbers.time.avg_ms : numbers.time.max_ms;
        name.erase(0, 1);
    }
    if (name.starts_with('K') || name.starts_with('M') || name.starts_with('G')) {
        unit = name[0] == 'K' ? 1e3 : name[0] == 'M' ? 1e6 : 1e9;
        name.erase(0, 1);
    }
    const auto number = number_of(name, ms, numbers);
    return number ? fmt::format("{:.6g}", *number / unit) : '%' + token + '%';
}

} // namespace

std::string perf_template(const std::string &name) {
    if (name == "def") return "perf,%engine%,%impl%,%prb%,%-time%,%0time%,%-Gbw%,%-share%";
    if (name == "csv") return "perf,%engine%,%idx%,%impl%,\"%prb%\",%ibytes%,%obytes%,%-time%,%0time%,%-Gbw%,%0Gbw%,%-share%";
    return name;
}

std::string format_report(const std::string &report_template, const perf_numbers &numbers) {
    std::string line;
    for (size_t at = 0; at < report_template.size();) {
        const size_t open = report_template.find('%', at);
        const size_t close = open == std::string::npos ? open : report_template.find('%', open + 1);
        if (close == std::string::npos) return line + report_template.substr(at);
        line += report_template.substr(at, open - at);
        line += expand(report_template.substr(open + 1, close - open - 1), numbers);
        at = close + 1;
    }
    return line;
}

} // namespace onefold::driver
