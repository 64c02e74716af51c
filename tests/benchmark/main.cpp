// onefold_benchmark: see docs/performance.md and `onefold_benchmark --help`. scripts/benchmark runs it and writes that page.
//   onefold_benchmark [--benchmark_filter=REGEX] [--benchmark_out=FILE.json] ...   the cells, as Google Benchmark has it
//   onefold_benchmark --calibrate                                                  what the cost functions are made from
#include <fstream>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "tests/benchmark/calibrate.hpp"
#include "tests/benchmark/cell.hpp"

namespace {

std::string cpu_name() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown";
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--calibrate") {
        onefold::bench::calibrate();
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    const dnnl_version_t &onednn = *dnnl_version();
    benchmark::AddCustomContext("cpu", cpu_name());
    benchmark::AddCustomContext("onednn", fmt::format("{}.{}.{}", onednn.major, onednn.minor, onednn.patch));
    onefold::bench::register_reductions();
    onefold::bench::register_elementwise();
    onefold::bench::register_latency();
    onefold::bench::register_axes_tensors();
    onefold::bench::register_open_dims();
    onefold::bench::register_chains();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
