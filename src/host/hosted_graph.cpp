#include "host/hosted_graph.hpp"

#include <algorithm>

#include "graph/error.hpp"

namespace onefold::host {

namespace {

using impl::io::graph_file;

graph::op make_op(const impl::op &o) {
    graph::op result(o.id, static_cast<graph::op::kind>(o.kind), o.name);
    for (const impl::logical_tensor &input : o.inputs)
        result.add_input(to_public(input));
    for (const impl::logical_tensor &output : o.outputs)
        result.add_output(to_public(output));
    for (const auto &[attr, value] : o.raw_attributes)
        std::visit([&, name = static_cast<graph::op::attr>(attr)](const auto &v) { result.set_attr(name, v); }, value);
    return result;
}

/// Takes what `more` knows and `known` does not.
void learn(impl::logical_tensor &known, const impl::logical_tensor &more) {
    const bool knows_more = (!known.has_known_dims() && more.has_known_dims()) ||
                            (!known.has_known_strides() && more.has_known_dims() && more.has_known_strides());
    if (knows_more) known = more;
    if (known.property == onefold_property_undef) known.property = more.property;
}

/// Outputs that ops read too would else stay inside partitions: an End op of its own, with an id that the file does not
/// have, brings each out.
void mark_outputs(const graph_file &file, const std::map<size_t, const impl::op *> &ops, graph::graph &g) {
    const std::map<size_t, impl::logical_tensor> tensors = tensors_of(file);
    std::set<size_t> ended, consumed;
    for (const impl::op &o : file.ops)
        for (const impl::logical_tensor &input : o.inputs)
            (o.kind == onefold_op_end ? ended : consumed).insert(input.id);
    size_t free_id = 0;
    for (const size_t id : outputs_of(file)) {
        if (!consumed.contains(id) || ended.contains(id)) continue;
        while (ops.contains(free_id))
            ++free_id;
        g.add_op(graph::op(free_id++, graph::op::kind::End, {to_public(tensors.at(id))}, {}, "output"));
    }
}

std::vector<size_t> ids_of(const std::vector<graph::logical_tensor> &ports) {
    std::vector<size_t> result;
    for (const graph::logical_tensor &port : ports)
        result.push_back(port.get_id());
    return result;
}

} // namespace

graph::logical_tensor to_public(const impl::logical_tensor &tensor) {
    using lt = graph::logical_tensor;
    const auto type = static_cast<lt::data_type>(tensor.type);
    const auto layout = static_cast<lt::layout_type>(tensor.layout);
    const auto property = static_cast<lt::property_type>(tensor.property);
    if (tensor.ndims <= 0) return lt(tensor.id, type, static_cast<int32_t>(tensor.ndims), layout, property);
    if (tensor.layout == onefold_layout_strided) return lt(tensor.id, type, tensor.dims, tensor.strides, property);
    if (tensor.layout == onefold_layout_opaque) return lt(tensor.id, type, tensor.dims, tensor.layout_id, property);
    return lt(tensor.id, type, tensor.dims, layout, property);
}

impl::logical_tensor from_public(const graph::logical_tensor &tensor) {
    const auto layout = static_cast<impl::layout_type>(tensor.get_layout_type());
    const impl::dims dims = tensor.get_dims();
    impl::dims strides;
    if (layout == onefold_layout_strided) strides = tensor.get_strides();
    const size_t layout_id = layout == onefold_layout_opaque ? tensor.get_layout_id() : 0;
    return impl::make_logical_tensor(tensor.get_id(), static_cast<impl::data_type>(tensor.get_data_type()),
                                     static_cast<int64_t>(dims.size()), dims.data(), strides.empty() ? nullptr : strides.data(),
                                     layout, layout_id, static_cast<impl::property_type>(tensor.get_property_type()));
}

std::vector<graph_input> inputs_of(const graph_file &file) {
    std::vector<graph_input> inputs;
    std::set<size_t> seen;
    for (const impl::op &o : file.ops)
        for (const impl::logical_tensor &output : o.outputs)
            seen.insert(output.id);
    for (const impl::op &o : file.ops)
        for (size_t port = 0; port < o.inputs.size(); ++port)
            if (o.kind != onefold_op_end && seen.insert(o.inputs[port].id).second)
                inputs.push_back({o.inputs[port].id, &o, port});
    if (!file.input_ports) return inputs;
    const auto rank = [&ports = *file.input_ports](const graph_input &input) {
        return std::find(ports.begin(), ports.end(), input.id) - ports.begin();
    };
    std::stable_sort(inputs.begin(), inputs.end(), [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
    return inputs;
}

std::vector<size_t> outputs_of(const graph_file &file) {
    std::vector<size_t> outputs;
    std::set<size_t> produced, consumed, ended;
    for (const impl::op &o : file.ops) {
        for (const impl::logical_tensor &output : o.outputs)
            produced.insert(output.id);
        for (const impl::logical_tensor &input : o.inputs)
            (o.kind == onefold_op_end ? ended : consumed).insert(input.id);
    }
    if (file.output_ports) {
        for (const size_t id : *file.output_ports) {
            if (!produced.contains(id)) impl::fail(onefold_invalid_arguments, "output_ports: no op produces tensor {}", id);
            if (std::find(outputs.begin(), outputs.end(), id) == outputs.end()) outputs.push_back(id);
        }
        return outputs;
    }
    for (const impl::op &o : file.ops)
        for (const impl::logical_tensor &output : o.outputs)
            if (!consumed.contains(output.id) || ended.contains(output.id)) outputs.push_back(output.id);
    return outputs;
}

std::map<size_t, impl::logical_tensor> tensors_of(const graph_file &file) {
    std::map<size_t, impl::logical_tensor> tensors;
    for (const impl::op &o : file.ops)
        for (const auto *ports : {&o.inputs, &o.outputs})
            for (const impl::logical_tensor &tensor : *ports) {
                const auto [known, is_new] = tensors.emplace(tensor.id, tensor);
                if (!is_new) learn(known->second, tensor);
            }
    return tensors;
}

std::vector<graph_part> partition(const graph_file &file, const std::set<size_t> &views, graph::partition::policy policy) {
    std::map<size_t, const impl::op *> ops;
    graph::graph g(engine::kind::cpu);
    g.set_fpmath_mode(static_cast<fpmath_mode>(file.fpmath), file.fpmath_applies_to_int);
    for (const impl::op &o : file.ops) {
        g.add_op(make_op(o));
        ops.emplace(o.id, &o);
    }
    mark_outputs(file, ops, g);
    g.finalize();
    std::vector<graph_part> parts;
    for (const graph::partition &p : g.get_partitions(policy)) {
        graph_part part{p, p.get_ops(), ids_of(p.get_input_ports()), ids_of(p.get_output_ports())};
        // An op that the file does not know is one of mark_outputs().
        std::erase_if(part.ops, [&](size_t id) { return !ops.contains(id); });
        if (part.ops.empty()) continue;
        part.is_end =
            std::all_of(part.ops.begin(), part.ops.end(), [&](size_t id) { return ops.at(id)->kind == onefold_op_end; });
        part.is_view = views.contains(part.ops.front());
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace onefold::host
