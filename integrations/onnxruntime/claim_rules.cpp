// Which nodes are taken in mode fast: the tables and the few rules that say where onefold is faster than the host's CPU
// provider, or the only one that has the node. What they were measured with is benchmark.py.

#include <algorithm>
#include <array>

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
    missing_types{"LeakyRelu", types({onefold_f64})},
    missing_types{"Max", short_integers},
    missing_types{"Mean", types({onefold_f64})},
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

bool is_worth_it(const host_graph &graph, std::span<const size_t> members) {
    return std::any_of(members.begin(), members.end(), [&](size_t n) {
        const onnx_node_source &node = graph.nodes[n].source;
        const op_family family = family_of(node, graph.opset);
        const impl::data_type type = type_of(graph, node);
        return is_missing(graph, node) || is_wide(node, family) || type == onefold_f16 || family == op_family::reduction;
    });
}

} // namespace onefold::onnxruntime
