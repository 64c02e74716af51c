#include "compile/compiled_partition.hpp"

#include <algorithm>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

bool is_same_port(const logical_tensor &given, const logical_tensor &port) {
    if (given.type != port.type) return false;
    // A tensor made before compile() may leave open what the port has by now.
    if (given.ndims != unknown_ndims && given.has_known_dims() && given.dims != port.dims) return false;
    return !given.has_known_strides() || given.strides == port.strides;
}

std::byte *find_buffer(const logical_tensor &port, std::string_view direction, std::span<const bound_tensor> given) {
    const auto bound =
        std::find_if(given.begin(), given.end(), [&](const bound_tensor &b) { return b.description->id == port.id; });
    if (bound == given.end())
        fail(onefold_invalid_arguments, "execute: {} tensor {} is not among the {} given", direction, port.id, given.size());
    if (!is_same_port(*bound->description, port))
        fail(onefold_invalid_arguments, "execute: {} tensor {} is {}; it was compiled as {}", direction, port.id,
             to_string(*bound->description), to_string(port));
    if (!bound->data && mem_size(port) != 0)
        fail(onefold_invalid_arguments, "execute: {} tensor {} ({}) has no buffer", direction, port.id, to_string(port));
    return static_cast<std::byte *>(bound->data);
}

} // namespace

compiled_partition::compiled_partition(std::shared_ptr<engine> e, std::vector<logical_tensor> inputs,
                                       std::vector<logical_tensor> outputs, std::unique_ptr<const plan> only_plan,
                                       std::unique_ptr<const axes_plans> plans, std::string label)
    : engine_(std::move(e)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      own_plan_(std::move(only_plan)),
      plans_(std::move(plans)),
      only_plan_(own_plan_ ? own_plan_.get() : plans_->only_plan()),
      label_(std::move(label)) {
    info_ = only_plan_ ? only_plan_->info : "axes: each set is compiled at its first execution";
    if (only_plan_) inplace_pairs_ = only_plan_->inplace_pairs;
}

compiled_partition::~compiled_partition() = default;

const logical_tensor &compiled_partition::port(size_t id) const {
    for (const auto *ports : {&inputs_, &outputs_})
        for (const logical_tensor &t : *ports)
            if (t.id == id) return t;
    fail(onefold_invalid_arguments, "compiled partition {}: it has no port for tensor {}", label_, id);
}

void compiled_partition::run(stream &s, const plan &chosen, buffer_table &buffers, void *scratch) const {
    const program &p = chosen.steps;
    const size_t ports = inputs_.size() + outputs_.size();
    buffers.grow(p.buffers.size());
    s.run([&](const executor &threads) {
        const engine::scratch_lease lease(*engine_, scratch ? 0 : p.scratch_bytes);
        std::byte *base = scratch ? static_cast<std::byte *>(scratch) : lease.data();
        for (size_t i = ports; i < p.buffers.size(); ++i)
            buffers[i] = base + p.buffers[i].index;
        for (const auto &one : p.steps)
            one->run(buffers.view(), base + p.step_scratch_offset, threads);
    });
}

void compiled_partition::execute(stream &s, std::span<const bound_tensor> inputs, std::span<const bound_tensor> outputs,
                                 void *scratch, size_t scratch_size) const {
    const verbose_timer timer;
    buffer_table buffers(inputs_.size() + outputs_.size());
    size_t next = 0;
    for (const logical_tensor &port : inputs_)
        buffers[next++] = find_buffer(port, "input", inputs);
    for (const logical_tensor &port : outputs_)
        buffers[next++] = find_buffer(port, "output", outputs);
    if (!only_plan_) scratch = nullptr;
    if (scratch && (scratch_size < scratch_bytes() || reinterpret_cast<uintptr_t>(scratch) % 64 != 0))
        fail(onefold_invalid_arguments, "execute: the scratchpad has {} bytes at {}; {} bytes aligned to 64 are needed",
             scratch_size, scratch, scratch_bytes());
    std::unique_ptr<const plan> own;
    const plan &chosen = plans_ ? plans_->select(buffers.view().first(inputs_.size()), own) : *own_plan_;
    run(s, chosen, buffers, scratch);
    timer.report("exec", label_, chosen.info);
}

} // namespace onefold::impl
