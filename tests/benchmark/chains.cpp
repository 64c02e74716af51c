// Chains around reductions, fused, against a copy of their source, against themselves op by op and against oneDNN's primitives.
#include <memory>

#include <fmt/format.h>

#include "tests/benchmark/cell.hpp"
#include "tests/benchmark/chain.hpp"
#include "tests/benchmark/loops.hpp"
#include "tests/benchmark/primitive.hpp"

namespace onefold::bench {

namespace {

std::string name_of(chain_kind kind) {
    switch (kind) {
    case chain_kind::layer_norm:
        return "layer_norm";
    case chain_kind::rms_norm:
        return "rms_norm";
    case chain_kind::softmax:
        return "softmax";
    case chain_kind::log_softmax:
        return "log_softmax";
    case chain_kind::l2_norm:
        return "l2_norm";
    }
    return "";
}

double aim_of(chain_kind kind) { return kind == chain_kind::softmax || kind == chain_kind::log_softmax ? 2.5 : 1.5; }

cell make_cell(const chain_description &what) {
    auto fused = std::make_shared<chain>(what, graph::partition::policy::fusion);
    auto parts = std::make_shared<chain>(what, graph::partition::policy::debug);
    primitive other = make_primitive(what, fused->src(), fused->dst());
    cell c;
    c.bytes = static_cast<double>(fused->src().size() + fused->dst().size());
    c.ours = [fused] { fused->execute(); };
    c.loop = [fused] {
        const std::byte *src = fused->src().data();
        combine_all({&src, 1}, fused->dst().data(), fused->dst().size());
    };
    c.parts = [parts] { parts->execute(); };
    c.primitive = std::move(other.run);
    c.aim = aim_of(what.kind);
    c.label = fused->steps() + (other.name.empty() ? "" : "; " + other.name);
    return c;
}

struct shape {
    dims sizes;
    dims axes;
    std::vector<chain_kind> kinds;
};

using enum chain_kind;

const std::vector<chain_kind> all_kinds = {layer_norm, rms_norm, softmax, log_softmax, l2_norm};
const std::vector<shape> shapes = {
    {{8, 384, 1024}, {2}, all_kinds},       {{4096, 4096}, {1}, all_kinds},
    {{128, 197, 768}, {2}, all_kinds},      {{32, 12, 384, 384}, {3}, {softmax, log_softmax}},
    {{64, 512, 28, 28}, {2, 3}, all_kinds}, {{64, 512, 28, 28}, {1}, all_kinds},
};

} // namespace

void register_chains() {
    for (const shape &s : shapes)
        for (const chain_kind kind : s.kinds)
            for (const element &type : elements) {
                if (!is_float(type) || type.type == data_type::f64) continue;
                const std::string name =
                    fmt::format("chain/{}/{}/axes:{}/{}", name_of(kind), join(s.sizes, "x"), join(s.axes, ","), type.name);
                register_cell(name, threads::all, [=, &type] { return make_cell({kind, &type, s.sizes, s.axes}); });
            }
}

} // namespace onefold::bench
