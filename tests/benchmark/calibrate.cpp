#include "tests/benchmark/calibrate.hpp"

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "tests/benchmark/operation.hpp"
#include "tests/benchmark/race.hpp"

namespace onefold::bench {

namespace {

using kind = graph::op::kind;

constexpr int64_t largest = int64_t{16} * 1024 * 1024; // bytes of a source

struct row {
    const char *name;
    kind op;
    int sources;
    int64_t length; // of the rows of a reduction over the last axis, or of a normalization
};

constexpr std::array rows = {
    row{"ReduceSum rows of 16", kind::ReduceSum, 1, 16},
    row{"ReduceSum rows of 64", kind::ReduceSum, 1, 64},
    row{"ReduceSum rows of 256", kind::ReduceSum, 1, 256},
    row{"ReduceSum rows of 1024", kind::ReduceSum, 1, 1024},
    row{"LayerNorm of 16", kind::LayerNorm, 1, 16},
    row{"LayerNorm of 64", kind::LayerNorm, 1, 64},
    row{"LayerNorm of 256", kind::LayerNorm, 1, 256},
    row{"LayerNorm of 1024", kind::LayerNorm, 1, 1024},
    row{"Add", kind::Add, 2, 0},
    row{"Multiply", kind::Multiply, 2, 0},
    row{"Square", kind::Square, 1, 0},
    row{"Sigmoid", kind::Sigmoid, 1, 0},
};

bool is_reduction(const row &r) { return r.op == kind::ReduceSum; }

description describe(const row &r, const element &type, int64_t bytes) {
    const int64_t count = bytes / static_cast<int64_t>(type.size);
    const dims src = r.length > 0 ? dims{count / r.length, r.length} : dims{count};
    description what{r.op, &type, std::vector<dims>(static_cast<size_t>(r.sources), src), {}};
    if (is_reduction(r)) what.axes = {1};
    return what;
}

/// Compiled with that lowering only; null where it does not take the op.
std::shared_ptr<operation> compile_with(const char *lowering, const description &what) {
    setenv("ONEFOLD_LOWERING", lowering, 1);
    try {
        auto made = std::make_shared<operation>(what);
        const std::string steps = made->steps();
        const bool whole = steps.rfind(lowering, 0) == 0 && steps.find(';') == std::string::npos;
        return whole ? made : nullptr;
    } catch (const onefold::error &) {
        return nullptr;
    }
}

std::string time_and_rate(const contender &c, double bytes) {
    return c.takes_part() ? fmt::format("{:12.0f} {:9.1f}", c.best(), bytes / c.best()) : fmt::format("{:>12} {:>9}", "-", "-");
}

void calibrate(const row &r, const element &type, int64_t bytes) {
    const description what = describe(r, type, bytes);
    const auto onednn = compile_with("onednn", what);
    const auto simd = compile_with("simd", what);
    const auto touched = static_cast<double>(bytes * r.sources + (is_reduction(r) ? bytes / r.length : bytes));
    const auto contender_of = [](const std::shared_ptr<operation> &op) {
        return contender(op ? [op] { op->execute(); } : std::function<void()>());
    };
    contender first = contender_of(onednn);
    contender second = contender_of(simd);
    race({&first, &second}, {}, 0.1);
    fmt::print("{:24} {:5} {:8} {} {}\n", r.name, type.name, bytes / 1024, time_and_rate(first, touched),
               time_and_rate(second, touched));
}

} // namespace

void calibrate() {
    fmt::print("The best time of an execution, with all threads; KB: of one source; bytes a ns: read and written.\n"
               "{:24} {:5} {:>8} {:>12} {:>9} {:>12} {:>9}\n",
               "op", "type", "KB", "onednn ns", "bytes/ns", "simd ns", "bytes/ns");
    for (const row &r : rows)
        for (const data_type type : {data_type::f32, data_type::bf16})
            for (int64_t bytes = 1024; bytes <= largest; bytes *= 4)
                calibrate(r, element_of(type), bytes);
}

} // namespace onefold::bench
