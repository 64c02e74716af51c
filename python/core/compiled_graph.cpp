#include "python/core/compiled_graph.hpp"

#include <algorithm>
#include <cstring>

#include "graph/error.hpp"
#include "io/json.hpp"

namespace onefold::python {

namespace {

constexpr size_t kept_plans = 64;

stream make_stream(const engine &e, unsigned threads) { return threads == 0 ? stream(e) : stream(e, threads); }

int64_t load_integer(const std::byte *from, impl::data_type type) {
    int32_t narrow = 0;
    int64_t wide = 0;
    std::memcpy(type == onefold_s32 ? static_cast<void *>(&narrow) : &wide, from, static_cast<size_t>(impl::size_of(type)));
    return type == onefold_s32 ? narrow : wide;
}

/// The elements of a vector of axes; nothing where it is none.
std::optional<std::vector<int64_t>> axes_in(const array_view &array) {
    if (array.layout.dims.size() != 1 || (array.type != onefold_s32 && array.type != onefold_s64)) return std::nullopt;
    std::vector<int64_t> axes;
    const int64_t step = array.layout.strides[0] * impl::size_of(array.type);
    for (int64_t i = 0; i < array.layout.dims[0]; ++i)
        axes.push_back(load_integer(static_cast<const std::byte *>(array.data) + i * step, array.type));
    return axes;
}

bool has_same_ports(const partitioned_graph &a, const partitioned_graph &b) {
    const auto are_same = [](const std::vector<graph_port> &x, const std::vector<graph_port> &y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                          [](const auto &p, const auto &q) { return p.name == q.name; });
    };
    return are_same(a.inputs(), b.inputs()) && are_same(a.outputs(), b.outputs());
}

bool has_open_dims(const graph_source &source) {
    return std::any_of(source.inputs.begin(), source.inputs.end(), [](const auto &input) { return !input.unknown.empty(); });
}

} // namespace

graph_source read_source(const std::filesystem::path &path, [[maybe_unused]] const impl::io::onnx_known_inputs &known) {
    if (path.extension() == ".onnx") {
#ifdef ONEFOLD_WITH_ONNX
        return impl::io::read_onnx(path, known);
#else
        impl::fail(onefold_unimplemented,
                   "{}: this package was built without ONNX (ONEFOLD_ONNX); it reads JSON graph files only", path.string());
#endif
    }
    graph_source source;
    source.file = impl::io::read_graph(path);
    return source;
}

compiled_graph::compiled_graph(graph_source source, std::filesystem::path model, graph::partition::policy policy,
                               unsigned threads)
    : policy_(policy),
      engine_(engine::kind::cpu, 0),
      stream_(make_stream(engine_, threads)),
      graph_(std::make_shared<partitioned_graph>(std::move(source), policy)) {
    bool depends = has_open_dims(graph_->source());
    for (size_t i = 0; i < graph_->inputs().size(); ++i)
        depends = depends || graph_->decides_dims(i);
    if (depends) model_ = std::move(model);
    if (graph_->unsupported().empty()) compile_for_known_shapes();
}

void compiled_graph::compile_for_known_shapes() {
    std::vector<array_view> inputs;
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
        const auto known = graph_->tensors().find(graph_->inputs()[i].id);
        array_view &input = inputs.emplace_back();
        if (known == graph_->tensors().end()) continue; // no op reads it
        const impl::logical_tensor &tensor = known->second;
        if (!tensor.has_known_dims() || graph_->decides_dims(i)) return;
        input.type = tensor.type;
        input.layout = {tensor.dims, tensor.has_known_strides() ? tensor.strides : impl::row_major_strides(tensor.dims)};
    }
    plan_of_graph_ = plan_for(inputs, std::vector<std::optional<array_view>>(graph_->outputs().size()));
}

plan_request compiled_graph::request_for(const std::vector<array_view> &inputs,
                                         const std::vector<std::optional<array_view>> &outputs) const {
    plan_request request;
    for (size_t i = 0; i < inputs.size(); ++i) {
        request.inputs.push_back(inputs[i].layout);
        request.axes.push_back(graph_->decides_dims(i) ? axes_in(inputs[i]) : std::nullopt);
    }
    for (const std::optional<array_view> &output : outputs)
        request.outputs.push_back(output ? std::optional(output->layout) : std::nullopt);
    return request;
}

std::shared_ptr<const plan> compiled_graph::find(const plan_request &request) {
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const plan_entry &p) { return p.first == request; });
    if (found == plans_.end()) return nullptr;
    plans_.splice(plans_.begin(), plans_, found);
    return plans_.front().second;
}

std::shared_ptr<const partitioned_graph> compiled_graph::graph_for(const plan_request &request) const {
    if (model_.empty()) return graph_;
    impl::io::onnx_known_inputs known;
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
        const graph_port &input = graph_->inputs()[i];
        impl::io::onnx_known_input &told = known[input.name];
        told.dims = request.inputs[i].dims;
        const auto tensor = graph_->tensors().find(input.id);
        if (tensor != graph_->tensors().end()) told.type = tensor->second.type;
        // Only s64 tensors are axes in ONNX.
        if (request.axes[i] && told.type == onefold_s64) told.data = std::as_bytes(std::span(*request.axes[i]));
    }
    auto graph = std::make_shared<const partitioned_graph>(read_source(model_, known), policy_);
    if (!has_same_ports(*graph, *graph_))
        impl::fail(onefold_invalid_arguments, "{}: its inputs or outputs are not those that it was loaded with",
                   model_.string());
    return graph;
}

std::shared_ptr<const plan> compiled_graph::plan_for(const std::vector<array_view> &inputs,
                                                     const std::vector<std::optional<array_view>> &outputs) {
    plan_request request = request_for(inputs, outputs);
    {
        const std::lock_guard lock(mutex_);
        if (std::shared_ptr<const plan> known = find(request)) return known;
    }
    auto made = std::make_shared<const plan>(graph_for(request), request, engine_);
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<const plan> known = find(request)) return known; // another thread was quicker
    plans_.emplace_front(std::move(request), made);
    if (plans_.size() > kept_plans) plans_.pop_back();
    return made;
}

} // namespace onefold::python
