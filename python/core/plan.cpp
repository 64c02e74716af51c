#include "python/core/plan.hpp"

#include <algorithm>
#include <new>

namespace onefold::python {

namespace {

constexpr std::align_val_t alignment{64};

struct free_aligned {
    void operator()(std::byte *memory) const { ::operator delete(memory, alignment); }
};

/// A tensor whose buffer every execution brings anew.
struct outside_tensor {
    graph::tensor tensor;
    place where;
};

} // namespace

/// What an execution has for itself: scratch memory, and tensors bound to it.
struct plan::workspace {
    workspace(const plan_layout &layout, const engine &e)
        : scratch(static_cast<std::byte *>(::operator new(std::max<size_t>(layout.scratch_size, 1), alignment))) {
        for (const plan_step &step : layout.steps) {
            inputs.push_back(bind(step.inputs, layout, e));
            outputs.push_back(bind(step.outputs, layout, e));
        }
    }

    std::unique_ptr<std::byte, free_aligned> scratch;
    std::vector<std::vector<graph::tensor>> inputs; // for each step
    std::vector<std::vector<graph::tensor>> outputs;
    std::vector<outside_tensor> outside;

private:
    std::vector<graph::tensor> bind(const std::vector<step_port> &ports, const plan_layout &layout, const engine &e) {
        std::vector<graph::tensor> tensors;
        for (const auto &[tensor, where] : ports) {
            // The library only reads what is an input, constants among them.
            std::byte *data = where.where == place::kind::scratch ? scratch.get() + where.offset
                              : where.where == place::kind::constant
                                  ? const_cast<std::byte *>(layout.constants.data()) + where.offset
                                  : nullptr;
            tensors.emplace_back(host::to_public(tensor), e, data);
            if (!data) outside.push_back({tensors.back(), where});
        }
        return tensors;
    }
};

plan::plan(std::shared_ptr<const partitioned_graph> graph, const plan_request &request, const engine &e)
    : graph_(std::move(graph)), layout_(make_layout(*graph_, request, e)), engine_(e) {}

plan::~plan() = default;

bool plan::may_share(size_t input, size_t output) const {
    if (layout_.steps.size() != 1) return false; // a later step may still need what an earlier one overwrites
    const auto pairs = layout_.steps[0].compiled.get_inplace_ports();
    return std::find(pairs.begin(), pairs.end(), std::pair(graph_->inputs()[input].id, graph_->outputs()[output].id)) !=
           pairs.end();
}

std::unique_ptr<plan::workspace> plan::take_workspace() const {
    {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            std::unique_ptr<workspace> taken = std::move(free_.back());
            free_.pop_back();
            return taken;
        }
    }
    return std::make_unique<workspace>(layout_, engine_);
}

void plan::execute(stream &s, std::span<void *const> inputs, std::span<void *const> outputs) const {
    std::unique_ptr<workspace> space = take_workspace();
    for (auto &[tensor, where] : space->outside)
        tensor.set_data_handle(where.where == place::kind::input ? inputs[where.index] : outputs[where.index]);
    for (size_t i = 0; i < layout_.steps.size(); ++i)
        layout_.steps[i].compiled.execute(s, space->inputs[i], space->outputs[i]);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(space));
}

} // namespace onefold::python
