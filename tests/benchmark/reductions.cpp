// The mean over any axes, against one pass of reading the source.
#include <array>
#include <memory>

#include <fmt/format.h>

#include "tests/benchmark/cell.hpp"
#include "tests/benchmark/primitive.hpp"

namespace onefold::bench {

namespace {

/// Runs of at least 16 elements that lie together and are treated alike; short ones cost more than reading.
enum class runs { long_ones, short_ones };
enum class types { common, all };

struct shape {
    dims src;
    dims axes;
    runs length;
    types in;
};

const std::array shapes = {
    shape{{64, 512, 28, 28}, {0, 1}, runs::long_ones, types::common},
    shape{{64, 1024, 14, 14}, {1}, runs::long_ones, types::all},
    shape{{64, 2048, 7, 7}, {2, 3}, runs::short_ones, types::all},
    shape{{1, 512, 56, 56}, {1, 2, 3}, runs::long_ones, types::common},
    shape{{16, 1024}, {0}, runs::long_ones, types::common},
    shape{{8, 384, 1024}, {2}, runs::long_ones, types::all},
    shape{{8, 384, 1024}, {1}, runs::long_ones, types::common},
    shape{{32, 128, 56, 56}, {0, 2, 3}, runs::long_ones, types::common},
    shape{{4096, 4096}, {0}, runs::long_ones, types::all},
    shape{{4096, 4096}, {1}, runs::long_ones, types::common},
    shape{{16777216}, {0}, runs::long_ones, types::all},
    shape{{1, 16, 32}, {2}, runs::long_ones, types::common},
    shape{{128, 197, 768}, {1}, runs::long_ones, types::common},
    shape{{1000000, 8}, {0}, runs::short_ones, types::common},
    shape{{1000000, 8}, {1}, runs::short_ones, types::all},
    shape{{64, 3, 224, 224}, {1}, runs::short_ones, types::common},
};

cell make_cell(const description &what) {
    auto mean = std::make_shared<operation>(what);
    const buffer &src = mean->src(0);
    primitive other = make_primitive(what, *mean);
    cell c;
    c.ours = [mean] { mean->execute(); };
    c.loop = [mean, &src, how = what.type->how] { read_all(how, src.data(), src.size()); };
    c.primitive = std::move(other.run);
    c.bytes = static_cast<double>(src.size());
    c.label = mean->steps() + (other.name.empty() ? "" : "; " + other.name);
    return c;
}

description mean_of(const dims &src, const dims &axes, data_type type) {
    return {graph::op::kind::ReduceMean, &element_of(type), {src}, axes};
}

std::string name_of(const description &what) {
    return fmt::format("{}/axes:{}/{}", join(what.srcs[0], "x"), join(what.axes, ","), what.type->name);
}

void register_reduction(const shape &s, data_type type) {
    const description what = mean_of(s.src, s.axes, type);
    register_cell("reduce_mean/" + name_of(what), threads::all_and_one, [what, length = s.length] {
        cell c = make_cell(what);
        c.aim = length == runs::short_ones ? 2.0 : 1.3;
        return c;
    });
}

/// What only an execution tells, when it has been told before, against the same told to compile().
cell make_late_cell(const description &early, const description &late) {
    cell c = make_cell(early);
    c.loop = c.ours;
    auto told_late = std::make_shared<operation>(late);
    c.ours = [told_late] { told_late->execute(); };
    c.primitive = nullptr;
    c.label = told_late->steps();
    return c;
}

} // namespace

void register_axes_tensors() {
    for (const dims &src : {dims{16, 32}, dims{8, 384, 1024}})
        for (const data_type type : {data_type::f32, data_type::bf16}) {
            const description what = mean_of(src, {1}, type);
            description late = what;
            late.has_axes_tensor = true;
            register_cell("axes_tensor/" + name_of(what), threads::all, [what, late] { return make_late_cell(what, late); });
        }
}

void register_open_dims() {
    for (const dims &src : {dims{16, 32}, dims{8, 384, 1024}})
        for (const data_type type : {data_type::f32, data_type::bf16}) {
            const description what = mean_of(src, {1}, type);
            description late = what;
            late.has_open_dims = true;
            register_cell("open_dims/" + name_of(what), threads::all, [what, late] { return make_late_cell(what, late); });
        }
}

void register_reductions() {
    for (const shape &s : shapes) {
        for (const data_type type : {data_type::f32, data_type::bf16, data_type::f16})
            register_reduction(s, type);
        if (s.in == types::common) continue;
        for (const data_type type : {data_type::f64, data_type::s32, data_type::s64, data_type::u8})
            register_reduction(s, type);
    }
}

/// What a call costs: next to nothing is computed.
void register_latency() {
    for (const dims &axes : {dims{1}, dims{0}})
        for (const data_type type : {data_type::f32, data_type::bf16, data_type::f16}) {
            const description what = mean_of({16, 32}, axes, type);
            register_cell("latency/" + name_of(what), threads::all, [what] {
                cell c = make_cell(what);
                c.aim_ns = 1000;
                return c;
            });
        }
}

} // namespace onefold::bench
