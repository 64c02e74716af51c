// How a plan is made: each part of the graph is compiled in order, each knowing the layouts that those before it chose.
#include <algorithm>

#include <fmt/format.h>

#include "graph/error.hpp"
#include "graph/shape_inference.hpp"
#include "io/json.hpp"
#include "io/onnx/array.hpp"
#include "python/core/plan.hpp"

namespace onefold::python {

namespace {

using impl::io::onnx_array;
using impl::io::printable;

constexpr size_t place_alignment = 64;

bool is_row_major(const impl::logical_tensor &tensor) { return tensor.strides == impl::row_major_strides(tensor.dims); }

impl::logical_tensor make_strided(size_t id, impl::data_type type, const array_layout &layout,
                                  impl::property_type property = onefold_property_undef) {
    return impl::make_logical_tensor(id, type, static_cast<int64_t>(layout.dims.size()), layout.dims.data(),
                                     layout.strides.data(), onefold_layout_strided, 0, property);
}

class layout_maker {
public:
    layout_maker(const partitioned_graph &graph, const plan_request &request, const engine &e)
        : graph_(graph), request_(request), engine_(e), tensors_(graph.tensors()) {}

    plan_layout make() {
        place_inputs();
        place_constants();
        place_outputs();
        for (const host::graph_part &part : graph_.parts()) {
            result_.steps_texts.emplace_back();
            if (part.is_view)
                lay_out_view(part);
            else if (!part.is_end)
                compile(part);
        }
        for (const graph_port &output : graph_.outputs())
            result_.outputs.push_back(tensors_.at(output.id));
        return std::move(result_);
    }

private:
    void place_inputs();
    void place_constants();
    void place_outputs();
    void infer_from_axes(const impl::op &o);
    void compile(const host::graph_part &part);
    void lay_out_view(const host::graph_part &part);
    /// A step that copies; dst may have other dims where src is row-major.
    void copy(const step_port &src, const step_port &dst);
    place scratch_for(const impl::logical_tensor &tensor);
    step_port port_of(size_t id) const { return {tensors_.at(id), places_.at(id)}; }

    const partitioned_graph &graph_;
    const plan_request &request_;
    const engine &engine_;
    std::map<size_t, impl::logical_tensor> tensors_;
    std::map<size_t, place> places_;
    std::map<size_t, std::vector<int64_t>> axes_; // elements of tensors of axes, where they are known
    plan_layout result_;
};

void layout_maker::place_inputs() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
        const auto &[name, id] = graph_.inputs()[i];
        const auto known = tensors_.find(id);
        if (known == tensors_.end()) continue; // no op reads it
        impl::logical_tensor &tensor = known->second;
        const array_layout &given = request_.inputs[i];
        bool agrees = tensor.ndims == impl::unknown_ndims || tensor.dims.size() == given.dims.size();
        for (size_t d = 0; agrees && d < tensor.dims.size(); ++d)
            agrees = tensor.dims[d] == impl::unknown_dim || tensor.dims[d] == given.dims[d];
        if (!agrees)
            impl::fail(onefold_invalid_shape, "input \"{}\": has the shape {} in the graph, not {}", printable(name),
                       impl::to_string(tensor.dims), impl::to_string(given.dims));
        tensor = make_strided(id, tensor.type, given, tensor.property);
        places_[id] = {place::kind::input, i, 0};
        if (request_.axes[i]) axes_[id] = *request_.axes[i];
    }
}

void layout_maker::place_constants() {
    for (const auto &[id, array] : graph_.source().constants) {
        const auto known = tensors_.find(id);
        if (known == tensors_.end()) continue;
        known->second = impl::make_dense(id, array.type, array.dims, onefold_property_constant);
        std::vector<std::byte> &memory = result_.constants;
        memory.resize((memory.size() + place_alignment - 1) / place_alignment * place_alignment);
        places_[id] = {place::kind::constant, 0, memory.size()};
        memory.insert(memory.end(), array.data.begin(), array.data.end());
        if (array.dims.size() == 1 && (array.type == onefold_s32 || array.type == onefold_s64)) axes_[id] = integers_of(array);
    }
    // An empty constant at the end still has a place that is no null pointer.
    if (!result_.constants.empty() || !graph_.source().constants.empty()) result_.constants.emplace_back();
}

void layout_maker::place_outputs() {
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
        const size_t id = graph_.outputs()[i].id;
        places_[id] = {place::kind::output, i, 0};
        if (const auto &given = request_.outputs[i]) tensors_.at(id) = make_strided(id, tensors_.at(id).type, *given);
    }
}

place layout_maker::scratch_for(const impl::logical_tensor &tensor) {
    const size_t size = impl::mem_size(tensor), offset = result_.scratch_size;
    if (size > SIZE_MAX / 4 || offset > SIZE_MAX / 4)
        impl::fail(onefold_out_of_memory, "tensor {}: takes {} bytes", tensor.id, size);
    result_.scratch_size += (size + place_alignment - 1) / place_alignment * place_alignment;
    return {place::kind::scratch, 0, offset};
}

void layout_maker::infer_from_axes(const impl::op &o) {
    if (!impl::has_axes_input(o)) return;
    impl::logical_tensor &dst = tensors_.at(o.outputs[0].id);
    const impl::logical_tensor &src = tensors_.at(o.inputs[0].id);
    const auto axes = axes_.find(o.inputs[1].id);
    if (axes == axes_.end() || dst.has_known_dims() || !src.has_known_dims()) return;
    impl::op reduction = o;
    auto attributes = std::get<impl::reduction_attributes>(impl::make_attributes(o));
    attributes.axes = axes->second;
    reduction.attributes = std::move(attributes);
    const impl::dims dims = impl::infer_reduction(reduction, std::span(&src, 1));
    dst = impl::make_logical_tensor(dst.id, dst.type, static_cast<int64_t>(dims.size()), dims.data(), nullptr,
                                    onefold_layout_any, 0, dst.property);
}

void layout_maker::compile(const host::graph_part &part) {
    for (const size_t id : part.ops)
        infer_from_axes(graph_.op(id));
    plan_step step;
    std::vector<graph::logical_tensor> inputs, outputs;
    for (const size_t id : part.inputs) {
        step.inputs.push_back(port_of(id));
        inputs.push_back(host::to_public(tensors_.at(id)));
    }
    for (const size_t id : part.outputs)
        outputs.push_back(host::to_public(tensors_.at(id)));
    step.compiled = part.partition.compile(inputs, outputs, engine_);
    for (const size_t id : part.outputs) {
        tensors_.at(id) = host::from_public(step.compiled.query_logical_tensor(id));
        if (!places_.contains(id)) places_[id] = scratch_for(tensors_.at(id));
        step.outputs.push_back(port_of(id));
    }
    result_.steps_texts.back() = step.compiled.get_info();
    result_.steps.push_back(std::move(step));
}

void layout_maker::copy(const step_port &src, const step_port &dst) {
    const impl::logical_tensor &to = dst.tensor;
    // Where the dims differ src is row-major: dst's dims say as well how it lies.
    const array_layout from = src.tensor.dims == to.dims ? array_layout{to.dims, src.tensor.strides}
                                                         : array_layout{to.dims, impl::row_major_strides(to.dims)};
    plan_step step{
        {}, {{make_strided(0, to.type, from), src.where}}, {{make_strided(1, to.type, {to.dims, to.strides}), dst.where}}};
    const graph::logical_tensor in = host::to_public(step.inputs[0].tensor), out = host::to_public(step.outputs[0].tensor);
    const graph::op reorder(0, graph::op::kind::Reorder, {in}, {out}, "copy");
    step.compiled = graph::partition(reorder, engine::kind::cpu).compile({in}, {out}, engine_);
    std::optional<std::string> &text = result_.steps_texts.back();
    text = (text ? *text + "; " : "") + step.compiled.get_info();
    result_.steps.push_back(std::move(step));
}

void layout_maker::lay_out_view(const host::graph_part &part) {
    const size_t src_id = part.inputs.at(0), dst_id = part.outputs.at(0);
    step_port src = port_of(src_id);
    impl::logical_tensor &dst = tensors_.at(dst_id);
    if (!dst.has_known_dims()) dst = impl::make_dense(dst_id, dst.type, src.tensor.dims);
    const bool same_dims = dst.dims == src.tensor.dims;
    if (impl::element_count(dst.dims) != impl::element_count(src.tensor.dims))
        impl::fail(onefold_invalid_shape, "{}: dst has the shape {}, but src is {}", impl::to_string(graph_.op(part.ops.at(0))),
                   impl::to_string(dst.dims), impl::to_string(src.tensor.dims));
    if (!same_dims && !is_row_major(src.tensor)) {
        const impl::logical_tensor dense = impl::make_dense(src_id, src.tensor.type, src.tensor.dims);
        const step_port packed{dense, scratch_for(dense)};
        copy(src, packed);
        src = packed;
    }
    if (places_.contains(dst_id)) { // an output of the graph: memory of its own
        if (!dst.has_known_strides()) dst = impl::make_dense(dst_id, dst.type, dst.dims);
        return copy(src, port_of(dst_id));
    }
    places_[dst_id] = src.where;
    const array_layout layout{dst.dims, same_dims ? src.tensor.strides : impl::row_major_strides(dst.dims)};
    dst = make_strided(dst_id, dst.type, layout);
}

} // namespace

plan_layout make_layout(const partitioned_graph &graph, const plan_request &request, const engine &e) {
    graph.check_supported();
    return layout_maker(graph, request, e).make();
}

} // namespace onefold::python
