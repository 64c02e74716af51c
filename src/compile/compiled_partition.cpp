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

using bound_table = small_table<bound_tensor, 32>;

/// The tensors given for ports, in the ports' order, from `to` on.
void find_tensors(const std::vector<logical_tensor> &ports, std::string_view direction, std::span<const bound_tensor> given,
                  bound_tensor *to) {
    for (const logical_tensor &port : ports) {
        const auto bound =
            std::find_if(given.begin(), given.end(), [&](const bound_tensor &b) { return b.description->id == port.id; });
        if (bound == given.end())
            fail(onefold_invalid_arguments, "execute: {} tensor {} is not among the {} given", direction, port.id,
                 given.size());
        *to++ = *bound;
    }
}

/// Their buffers.
void bind_buffers(const std::vector<logical_tensor> &ports, std::string_view direction, const bound_tensor *bound,
                  std::byte **to) {
    for (const logical_tensor &port : ports) {
        if (!is_same_port(*bound->description, port))
            fail(onefold_invalid_arguments, "execute: {} tensor {} is {}; it was compiled as {}", direction, port.id,
                 to_string(*bound->description), to_string(port));
        if (!bound->data && mem_size(port) != 0)
            fail(onefold_invalid_arguments, "execute: {} tensor {} ({}) has no buffer", direction, port.id, to_string(port));
        *to++ = static_cast<std::byte *>(bound++->data);
    }
}

} // namespace

compiled_partition::compiled_partition(engine &e, std::unique_ptr<const port_plans> fixed)
    : engine_(e), fixed_(std::move(fixed)), only_plan_(fixed_->only_plan()), info_(fixed_->info()) {
    if (!only_plan_) return;
    inplace_pairs_ = only_plan_->inplace_pairs;
    program_text_ = only_plan_->program_text;
}

compiled_partition::compiled_partition(engine &e, std::unique_ptr<const dims_plans> by_dims)
    : engine_(e), by_dims_(std::move(by_dims)), info_("dims: all are compiled at their first execution") {}

compiled_partition::~compiled_partition() = default;

const logical_tensor &compiled_partition::port(size_t id) const {
    for (const auto *ports : {&inputs(), &outputs()})
        for (const logical_tensor &t : *ports)
            if (t.id == id) return t;
    fail(onefold_invalid_arguments, "compiled partition {}: it has no port for tensor {}", label(), id);
}

void compiled_partition::run(stream &s, const plan &chosen, buffer_table &buffers, size_t ports, void *scratch) const {
    const program &p = chosen.steps;
    buffers.grow(p.buffers.size());
    s.run([&](const executor &threads) {
        const engine::scratch_lease lease(engine_, scratch ? 0 : p.scratch_bytes);
        std::byte *base = scratch ? static_cast<std::byte *>(scratch) : lease.data();
        for (size_t i = ports; i < p.buffers.size(); ++i)
            buffers[i] = base + p.buffers[i].index;
        for (const auto &one : p.steps)
            one->run(buffers.view(), base + p.step_scratch_offset, threads);
    });
}

void compiled_partition::execute(stream &s, std::span<const bound_tensor> srcs, std::span<const bound_tensor> dsts,
                                 void *scratch, size_t scratch_size) const {
    const verbose_timer timer;
    const size_t input_count = inputs().size(), ports = input_count + outputs().size();
    bound_table bound(ports);
    find_tensors(inputs(), "input", srcs, bound.view().data());
    find_tensors(outputs(), "output", dsts, bound.view().data() + input_count);
    dims_plans::lease of_dims;
    if (by_dims_) of_dims = by_dims_->select(bound.view());
    const port_plans &plans = by_dims_ ? *of_dims : *fixed_;
    buffer_table buffers(ports);
    bind_buffers(plans.inputs(), "input", bound.view().data(), buffers.view().data());
    bind_buffers(plans.outputs(), "output", bound.view().data() + input_count, buffers.view().data() + input_count);
    if (!only_plan_) scratch = nullptr;
    if (scratch && (scratch_size < scratch_bytes() || reinterpret_cast<uintptr_t>(scratch) % 64 != 0))
        fail(onefold_invalid_arguments, "execute: the scratchpad has {} bytes at {}; {} bytes aligned to 64 are needed",
             scratch_size, scratch, scratch_bytes());
    const plan_lease chosen = plans.select(buffers.view().first(input_count));
    run(s, *chosen, buffers, ports, scratch);
    timer.report("exec", plans.label(), chosen->info);
}

} // namespace onefold::impl
