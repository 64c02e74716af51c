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

session::session(impl::io::graph_file file, unsigned threads, graph::partition::policy policy, const std::set<size_t> &views)
    : file_(std::move(file)), engine_(engine::kind::cpu, 0), stream_(make_stream(engine_, threads)) {
    try {
        index_ops();
        inputs_ = host::inputs_of(file_);
        outputs_ = host::outputs_of(file_);
        for (host::graph_part &part : host::partition(file_, views, policy))
            stages_.push_back({std::move(part), std::nullopt});
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
            for (const impl::logical_tensor &tensor : *ports)
                check_addressable(o, tensor);
    }
    tensors_ = host::tensors_of(file_);
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
