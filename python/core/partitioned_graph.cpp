#include "python/core/partitioned_graph.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/error.hpp"

namespace onefold::python {

std::string name_of(const graph_source &source, size_t tensor_id) {
    const auto name = source.names.find(tensor_id);
    return name == source.names.end() ? std::to_string(tensor_id) : name->second;
}

partitioned_graph::partitioned_graph(graph_source source, graph::partition::policy policy)
    : source_(std::move(source)),
      tensors_(host::tensors_of(source_.file)),
      parts_(host::partition(source_.file, source_.views, policy)) {
    for (const impl::op &o : source_.file.ops)
        ops_.emplace(o.id, &o);
    find_inputs();
    for (const size_t id : host::outputs_of(source_.file))
        outputs_.push_back({name_of(source_, id), id});
}

void partitioned_graph::find_inputs() {
    if (source_.is_model) {
        for (const impl::io::onnx_input &input : source_.inputs)
            inputs_.push_back({input.name, input.id});
    } else {
        for (const host::graph_input &input : host::inputs_of(source_.file))
            inputs_.push_back({name_of(source_, input.id), input.id});
    }
    for (const graph_port &input : inputs_)
        decides_dims_.push_back(
            std::any_of(source_.file.ops.begin(), source_.file.ops.end(), [&, id = input.id](const impl::op &o) {
                // What a model says of the dst's dims may be open or stale: where it is one, the axes count before that.
                return impl::has_axes_input(o) && o.inputs[1].id == id &&
                       (source_.is_model || !tensors_.at(o.outputs.at(0).id).has_known_dims());
            }));
}

std::vector<std::string> partitioned_graph::unsupported() const {
    std::vector<std::string> sentences;
    for (const host::graph_part &part : parts_) {
        if (part.is_end || part.is_view || part.partition.is_supported()) continue;
        for (const size_t id : part.ops) {
            if (op(id).kind == onefold_op_end) continue;
            const auto reason = source_.unsupported.find(id);
            sentences.push_back(reason == source_.unsupported.end() ? impl::to_string(op(id)) : reason->second);
        }
    }
    return sentences;
}

void partitioned_graph::check_supported() const {
    const std::vector<std::string> sentences = unsupported();
    if (!sentences.empty()) impl::fail(onefold_unimplemented, "not supported: {}", fmt::join(sentences, "; "));
}

} // namespace onefold::python
