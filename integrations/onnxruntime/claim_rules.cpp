// Which nodes are taken in mode fast: the tables and the few rules that say where onefold is faster than the host's CPU
// provider, or the only one that has the node. What they were measured with is benchmark.py.

#include <algorithm>
#include <array>
#include <set>

#include "graph/schema.hpp"
#include "integrations/onnxruntime/claims.hpp"

namespace onefold::onnxruntime {

namespace {

using impl::contains;
using impl::op_family;
using impl::type_set;
using impl::types;

/// What a node does for a group.
enum class role {
    none,  // it is left to the host
    joins, // it is taken with a neighbour
    leads  // its neighbours join it
};

struct missing_types {
    std::string_view name;
    type_set missing;
};

/// Types that ONNX allows and the CPU provider has no kernel for, f16 and bf16 aside (ONNX Runtime 1.23 to 1.32).
constexpr type_set short_integers = types({onefold_s16, onefold_u16});
constexpr std::array missing_in_elementwise = {
    missing_types{"Clip", short_integers},
    missing_types{"Elu", types({onefold_f64})},
    missing_types{"Gelu", types({onefold_f64})},
    missing_types{"HardSigmoid", types({onefold_f64})},
    missing_types{"HardSwish", types({onefold_f64})},
    missing_types{"InstanceNormalization", types({onefold_f64})},
    missing_types{"LeakyRelu", types({onefold_f64})},
    missing_types{"Max", short_integers},
    missing_types{"Mean", types({onefold_f64})},
    missing_types{"MeanVarianceNormalization", types({onefold_f64})},
    missing_types{"Min", short_integers},
    missing_types{"Mish", types({onefold_f64})},
    missing_types{"Relu", types({onefold_s16, onefold_s64})},
    missing_types{"Softplus", types({onefold_f64})},
};
constexpr type_set missing_in_reductions = types({onefold_u32, onefold_u64});

op_family family_of(const onnx_node_source &node, int opset) {
    const impl::io::onnx_op *row = impl::io::find_onnx_op(node.op_type, opset);
    const impl::op_schema *schema = row ? impl::schema_by_name(row->kind) : nullptr;
    if (row && row->name.ends_with("Normalization")) return op_family::normalization; // some become several ops
    return schema ? schema->family : op_family::structural;
}

impl::data_type type_of(const host_graph &graph, const onnx_node_source &node) {
    return node.inputs.empty() ? onefold_data_type_undef : graph.values.at(node.inputs[0]).type;
}

/// True where the CPU provider has no kernel, so that the model does not load without onefold.
bool is_missing(const host_graph &graph, const onnx_node_source &node) {
    const impl::data_type type = type_of(graph, node);
    const op_family family = family_of(node, graph.opset);
    if (family == op_family::structural || family == op_family::conversion) return false;
    if (type == onefold_bf16) return true;
    if (family == op_family::reduction) return contains(missing_in_reductions, type);
    return std::any_of(missing_in_elementwise.begin(), missing_in_elementwise.end(),
                       [&](const missing_types &row) { return row.name == node.op_type && contains(row.missing, type); });
}

/// More than two operands: the CPU provider makes a pass over memory for each.
bool is_wide(const onnx_node_source &node, op_family family) { return family == op_family::nary && node.inputs.size() > 2; }

/// f16 among nodes of ours, or between them and the ends of the graph. The CPU provider casts f16 to f32 and back, and leaves
/// the casts out between neighbours of its own: alone among them a node of ours would bring them back.
bool is_f16_among_ours(const host_graph &graph, const std::vector<bool> &supported, size_t n) {
    const host_node &node = graph.nodes[n];
    if (type_of(graph, node.source) != onefold_f16) return false;
    const auto is_ours = [&](size_t neighbour) { return supported[neighbour]; };
    return std::all_of(node.producers.begin(), node.producers.end(), is_ours) &&
           std::all_of(node.source.outputs.begin(), node.source.outputs.end(), [&](const std::string &name) {
               if (name.empty()) return true;
               const auto &readers = graph.values.at(name).readers;
               return std::all_of(readers.begin(), readers.end(), is_ours);
           });
}

role role_of(const host_graph &graph, const std::vector<bool> &supported, size_t n) {
    if (!supported[n]) return role::none;
    const onnx_node_source &node = graph.nodes[n].source;
    const op_family family = family_of(node, graph.opset);
    if (family == op_family::structural) return role::none; // views, which end what is computed in one go
    const bool leads = family == op_family::reduction || is_wide(node, family) || is_missing(graph, node) ||
                       is_f16_among_ours(graph, supported, n);
    return leads ? role::leads : role::joins;
}

/// The axes of a reduction, in [0, rank); nothing where they are not known, empty for all of them.
std::optional<std::set<int64_t>> known_axes(const group &g, int64_t rank) {
    std::vector<int64_t> axes;
    for (const impl::io::onnx_named_value &attribute : g.nodes[0].attributes)
        if (const auto *given = std::get_if<std::vector<int64_t>>(&attribute.value)) axes = *given;
    if (g.inputs.size() > 1) {
        if (!g.inputs[1].constant) return std::nullopt;
        axes = impl::io::integers_of(*g.inputs[1].constant);
    }
    std::set<int64_t> result;
    for (const int64_t axis : axes)
        result.insert(axis < 0 ? axis + rank : axis);
    return result;
}

/// Where the CPU provider's own fast kernels (f32; mean, sum, max, min) are slower: axes in front, or few elements a result.
bool has_slow_axes_for_host(const group &g, const impl::dims &dims) {
    constexpr int64_t few = 16;
    const auto axes = known_axes(g, static_cast<int64_t>(dims.size()));
    if (!axes) return false;
    if (axes->empty()) return true;
    int64_t reduced = 1;
    bool kept_before = false, is_in_front = true;
    for (size_t d = 0; d < dims.size(); ++d) {
        if (dims[d] == 1) continue;
        const bool is_reduced = axes->contains(static_cast<int64_t>(d));
        if (is_reduced) reduced *= dims[d];
        is_in_front &= !(is_reduced && kept_before);
        kept_before |= !is_reduced;
    }
    return is_in_front || reduced <= few;
}

/// A reduction without neighbours to join it.
bool is_faster_alone(const group &g) {
    constexpr int64_t least_elements = 4096; // below, what a group costs the host shows
    constexpr std::array fast_in_host = {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum"};
    const std::string &op = g.nodes[0].op_type;
    const group_input &src = g.inputs.at(0);
    const bool is_known = src.dims && std::find(src.dims->begin(), src.dims->end(), impl::unknown_dim) == src.dims->end();
    if (is_known && impl::element_count(*src.dims) < least_elements) return false;
    if (src.type == onefold_f32 && std::find(fast_in_host.begin(), fast_in_host.end(), op) != fast_in_host.end())
        return is_known && has_slow_axes_for_host(g, *src.dims);
    const bool is_integer = contains(impl::all_integers, src.type);
    return !(is_integer && op == "ReduceLogSumExp") && !(src.type == onefold_s32 && op == "ReduceL2");
}

} // namespace

std::vector<bool> choose_fast(const host_graph &graph, const std::vector<bool> &supported) {
    const size_t count = graph.nodes.size();
    std::vector<role> roles(count);
    for (size_t n = 0; n < count; ++n)
        roles[n] = role_of(graph, supported, n);
    std::vector<bool> chosen(count, false);
    // What follows a node that leads joins it ...
    for (size_t n = 0; n < count; ++n) {
        const auto &producers = graph.nodes[n].producers;
        chosen[n] = roles[n] == role::leads || (roles[n] == role::joins && std::any_of(producers.begin(), producers.end(),
                                                                                       [&](size_t p) { return chosen[p]; }));
    }
    // ... and so does what is read by such nodes only.
    for (size_t n = count; n-- > 0;) {
        if (roles[n] != role::joins || chosen[n]) continue;
        const auto &outputs = graph.nodes[n].source.outputs;
        chosen[n] = std::all_of(outputs.begin(), outputs.end(), [&](const std::string &name) {
            if (name.empty()) return true;
            const auto &readers = graph.values.at(name).readers;
            return !readers.empty() && !graph.outputs.contains(name) &&
                   std::all_of(readers.begin(), readers.end(), [&](size_t reader) { return chosen[reader]; });
        });
    }
    return chosen;
}

bool is_worth_it(const host_graph &graph, std::span<const size_t> members, const group &g) {
    bool has_reduction = false, has_others = false;
    for (const size_t n : members) {
        const onnx_node_source &node = graph.nodes[n].source;
        const op_family family = family_of(node, graph.opset);
        if (is_missing(graph, node) || is_wide(node, family) || type_of(graph, node) == onefold_f16) return true;
        (family == op_family::reduction ? has_reduction : has_others) = true;
    }
    return has_reduction && (has_others || members.size() > 1 || is_faster_alone(g));
}

} // namespace onefold::onnxruntime
