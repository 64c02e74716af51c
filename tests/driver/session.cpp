#include "tests/driver/session.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/error.hpp"
#include "tests/driver/commands.hpp"
#include "tests/driver/reference_ops.hpp"

namespace onefold::driver {

namespace {

constexpr size_t address_space = size_t{1} << 47; // of a process on x86-64

stream make_stream(const engine &e, unsigned threads) { return threads == 0 ? stream(e) : stream(e, threads); }

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

/// Throws bad_input where no process could hold the tensor.
void check_addressable(const impl::op &o, const impl::logical_tensor &tensor) {
    if (!tensor.has_known_dims() || impl::bits_of(tensor.type) == 0) return;
    const bool is_strided = tensor.has_known_strides();
    const size_t size = impl::mem_size(is_strided ? tensor : impl::make_dense(tensor.id, tensor.type, tensor.dims));
    if (size > address_space)
        throw bad_input(
            fmt::format("{}: tensor {} takes {} bytes, more than a process can address", impl::to_string(o), tensor.id, size));
}

/// Bytes that can be allocated without swapping; SIZE_MAX where the system does not tell.
size_t available_memory() {
    std::ifstream meminfo("/proc/meminfo");
    std::string key, unit;
    for (size_t kilobytes = 0; meminfo >> key >> kilobytes; std::getline(meminfo, unit))
        if (key == "MemAvailable:") return kilobytes * 1024;
    return SIZE_MAX;
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

session::session(impl::io::graph_file file, unsigned threads, graph::partition::policy policy, std::set<size_t> views)
    : file_(std::move(file)), views_(std::move(views)), engine_(engine::kind::cpu, 0), stream_(make_stream(engine_, threads)) {
    try {
        index_ops();
        find_inputs();
        find_outputs();
        make_stages(policy);
    } catch (const impl::error &e) {
        throw bad_input(e.what());
    } catch (const onefold::error &e) {
        throw bad_input(e.what());
    }
}

void session::index_ops() {
    for (const impl::op &o : file_.ops) {
        ops_.emplace(o.id, &o);
        for (const auto *ports : {&o.inputs, &o.outputs})
            for (const impl::logical_tensor &tensor : *ports) {
                check_addressable(o, tensor);
                const auto [known, is_new] = tensors_.emplace(tensor.id, tensor);
                if (!is_new) learn(known->second, tensor);
            }
    }
}

void session::find_inputs() {
    std::set<size_t> seen;
    for (const impl::op &o : file_.ops)
        for (const impl::logical_tensor &output : o.outputs)
            seen.insert(output.id);
    for (const impl::op &o : file_.ops)
        for (size_t port = 0; port < o.inputs.size(); ++port)
            if (o.kind != onefold_op_end && seen.insert(o.inputs[port].id).second)
                inputs_.push_back({o.inputs[port].id, &o, port});
    if (!file_.input_ports) return;
    const auto rank = [&ports = *file_.input_ports](const graph_input &input) {
        return std::find(ports.begin(), ports.end(), input.id) - ports.begin();
    };
    std::stable_sort(inputs_.begin(), inputs_.end(), [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
}

void session::find_outputs() {
    std::set<size_t> produced, consumed, ended;
    for (const impl::op &o : file_.ops) {
        for (const impl::logical_tensor &output : o.outputs)
            produced.insert(output.id);
        for (const impl::logical_tensor &input : o.inputs)
            (o.kind == onefold_op_end ? ended : consumed).insert(input.id);
    }
    if (file_.output_ports) {
        for (const size_t id : *file_.output_ports) {
            if (!produced.contains(id)) throw bad_input(fmt::format("output_ports: no op produces tensor {}", id));
            if (std::find(outputs_.begin(), outputs_.end(), id) == outputs_.end()) outputs_.push_back(id);
        }
        return;
    }
    for (const impl::op &o : file_.ops)
        for (const impl::logical_tensor &output : o.outputs)
            if (!consumed.contains(output.id) || ended.contains(output.id)) outputs_.push_back(output.id);
}

void session::mark_outputs(graph::graph &g) const {
    std::set<size_t> ended, consumed;
    for (const impl::op &o : file_.ops)
        for (const impl::logical_tensor &input : o.inputs)
            (o.kind == onefold_op_end ? ended : consumed).insert(input.id);
    size_t free_id = 0;
    for (const size_t id : outputs_) {
        if (!consumed.contains(id) || ended.contains(id)) continue;
        while (ops_.contains(free_id))
            ++free_id;
        g.add_op(graph::op(free_id++, graph::op::kind::End, {to_public(tensor(id))}, {}, "output"));
    }
}

void session::make_stages(graph::partition::policy policy) {
    graph::graph g(engine::kind::cpu);
    g.set_fpmath_mode(static_cast<fpmath_mode>(file_.fpmath), file_.fpmath_applies_to_int);
    for (const impl::op &o : file_.ops)
        g.add_op(make_op(o));
    mark_outputs(g);
    g.finalize();
    const auto ids = [](const std::vector<graph::logical_tensor> &ports) {
        std::vector<size_t> result;
        for (const graph::logical_tensor &port : ports)
            result.push_back(port.get_id());
        return result;
    };
    for (const graph::partition &p : g.get_partitions(policy)) {
        stage s{p, p.get_ops(), ids(p.get_input_ports()), ids(p.get_output_ports()), true, false, std::nullopt};
        // An op that the file does not know is one of mark_outputs().
        std::erase_if(s.ops, [&](size_t id) { return !ops_.contains(id); });
        if (s.ops.empty()) continue;
        s.is_end = std::all_of(s.ops.begin(), s.ops.end(), [&](size_t id) { return op(id).kind == onefold_op_end; });
        s.is_view = views_.contains(s.ops.front());
        stages_.push_back(std::move(s));
    }
}

void session::set_dims(size_t input_id, const impl::dims &dims) {
    impl::logical_tensor &known = tensors_.at(input_id);
    bool agrees = known.ndims == impl::unknown_ndims || known.dims.size() == dims.size();
    for (size_t d = 0; agrees && d < known.dims.size(); ++d)
        agrees = known.dims[d] == impl::unknown_dim || known.dims[d] == dims[d];
    if (!agrees)
        throw bad_input(
            fmt::format("tensor {} has the shape {}, not {}", input_id, impl::to_string(known.dims), impl::to_string(dims)));
    if (known.has_known_dims()) return;
    const bool keeps_strides = known.has_known_strides() && known.strides.size() == dims.size();
    known =
        impl::make_logical_tensor(input_id, known.type, static_cast<int64_t>(dims.size()), dims.data(),
                                  keeps_strides ? known.strides.data() : nullptr, onefold_layout_strided, 0, known.property);
}

std::string session::unsupported() const {
    std::vector<std::string> names;
    for (const stage &s : stages_)
        if (!s.is_end && !s.is_view && !s.partition.is_supported())
            for (const size_t id : s.ops)
                if (op(id).kind != onefold_op_end) names.push_back(impl::to_string(op(id)));
    return fmt::format("{}", fmt::join(names, ", "));
}

bool session::is_ready(const stage &s) const {
    for (const size_t id : s.ops)
        if (impl::has_axes_input(op(id)) && !tensor(op(id).outputs[0].id).has_known_dims()) return false;
    return std::all_of(s.inputs.begin(), s.inputs.end(), [&](size_t id) { return tensor(id).has_known_dims(); });
}

void session::infer_from_axes(const impl::op &o) {
    if (!is_reduction(o.kind) || o.inputs.size() < 2) return;
    impl::logical_tensor &dst = tensors_.at(o.outputs[0].id);
    const impl::logical_tensor &src = tensor(o.inputs[0].id);
    const auto axes = axes_.find(o.inputs[1].id);
    if (axes == axes_.end() || dst.has_known_dims() || !src.has_known_dims()) return;
    const impl::dims dims = shape_of_reduction(o, src.dims, axes->second).dst;
    dst = impl::make_logical_tensor(dst.id, dst.type, static_cast<int64_t>(dims.size()), dims.data(), nullptr,
                                    onefold_layout_any, 0, dst.property);
}

void session::compile(size_t stage_index) {
    stage &s = stages_.at(stage_index);
    if (s.is_view) return lay_out_view(s);
    for (const size_t id : s.ops)
        infer_from_axes(op(id));
    std::vector<graph::logical_tensor> inputs, outputs;
    for (const size_t id : s.inputs) {
        impl::logical_tensor &input = tensors_.at(id);
        // Files leave layouts open; whoever makes the buffer has to decide.
        if (!input.has_known_strides()) input = impl::make_dense(id, input.type, input.dims, input.property);
        inputs.push_back(to_public(input));
    }
    for (const size_t id : s.outputs)
        outputs.push_back(to_public(tensor(id)));
    s.compiled = s.partition.compile(inputs, outputs, engine_);
    for (const size_t id : s.outputs)
        tensors_.at(id) = from_public(s.compiled->query_logical_tensor(id));
}

void session::lay_out_view(const stage &s) {
    for (const size_t id : {s.inputs.at(0), s.outputs.at(0)}) {
        impl::logical_tensor &port = tensors_.at(id);
        if (!port.has_known_dims())
            throw std::runtime_error(fmt::format("{}: tensor {} has no known shape", impl::to_string(op(s.ops[0])), id));
        if (!port.has_known_strides()) port = impl::make_dense(id, port.type, port.dims, port.property);
    }
}

void session::compile() {
    if (const std::string names = unsupported(); !names.empty()) throw std::runtime_error("not supported: " + names);
    for (const graph_input &input : inputs_)
        if (!tensor(input.id).has_known_dims())
            throw bad_input(fmt::format("{}: input {} (tensor {}) has no known shape: {}", impl::to_string(*input.consumer),
                                        input.port, input.id, impl::to_string(tensor(input.id))));
    for (size_t i = 0; i < stages_.size(); ++i)
        if (!stages_[i].is_end) compile(i);
}

void session::check_memory() const {
    std::set<size_t> ids;
    for (const stage &s : stages_)
        if (s.compiled)
            for (const auto *ports : {&s.inputs, &s.outputs})
                ids.insert(ports->begin(), ports->end());
    size_t needed = 0;
    for (const size_t id : ids)
        if (__builtin_add_overflow(needed, impl::mem_size(tensor(id)), &needed)) needed = SIZE_MAX;
    const size_t available = available_memory();
    if (needed >= available)
        throw std::runtime_error(
            fmt::format("the tensors take {} MB; the machine has {} MB free", needed >> 20, available >> 20));
}

void session::allocate() {
    check_memory();
    buffers_.clear();
    bound_.clear();
    const auto bind = [&](const std::vector<size_t> &ids) {
        std::vector<graph::tensor> bound;
        for (const size_t id : ids) {
            buffer &b = buffers_.try_emplace(id, tensor(id)).first->second;
            bound.emplace_back(to_public(b.description()), engine_, b.data());
        }
        return bound;
    };
    for (const stage &s : stages_) {
        if (s.is_view) {
            const buffer &src = buffers_.try_emplace(s.inputs[0], tensor(s.inputs[0])).first->second;
            buffers_.try_emplace(s.outputs[0], tensor(s.outputs[0]), src);
        }
        bound_.push_back(s.compiled ? bound_stage{bind(s.inputs), bind(s.outputs)} : bound_stage{});
    }
}

void session::execute(size_t stage_index) {
    const bound_stage &bound = bound_.at(stage_index);
    stages_[stage_index].compiled->execute(stream_, bound.inputs, bound.outputs);
}

void session::execute() {
    for (size_t i = 0; i < stages_.size(); ++i)
        if (stages_[i].compiled) execute(i);
    stream_.wait();
}

} // namespace onefold::driver
