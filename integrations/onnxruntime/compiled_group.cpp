#include "integrations/onnxruntime/compiled_group.hpp"

#include <algorithm>
#include <thread>

#include "graph/error.hpp"
#include "integrations/onnxruntime/scratch.hpp"
#include "io/json.hpp"

namespace onefold::onnxruntime {

namespace {

/// The index of a name; what the host shows of the group's graph and of its node must agree.
size_t index_of(const std::string &name, const std::vector<std::string> &names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        impl::fail(onefold_runtime_error, "the host's node has no \"{}\", which its graph has", impl::io::printable(name));
    return static_cast<size_t>(found - names.begin());
}

/// One execution, for the host's pool of threads.
struct execution {
    const host &h;
    const OrtKernelContext &context;
};

void run_tasks(void *of, size_t tasks, onefold_task_function task, void *argument) {
    const auto &e = *static_cast<const execution *>(of);
    e.h.check(e.h->KernelContext_ParallelFor(&e.context, task, tasks, 0, argument));
}

/// The host does not tell how many threads its pool has: no more than the process may run at once.
unsigned most_threads() {
    static const unsigned count = std::max(1U, std::thread::hardware_concurrency());
    return count;
}

} // namespace

compiled_group::compiled_group(const host &h, group g, const std::vector<std::string> &inputs,
                               const std::vector<std::string> &outputs, std::shared_ptr<impl::engine> engine)
    : host_(h), group_(std::move(g)), engine_(std::move(engine)) {
    for (const group_input &input : group_.inputs)
        inputs_.push_back(input.constant ? inputs.size() : index_of(input.name, inputs));
    group_.outputs.clear(); // those of the node count
    for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].empty()) continue;
        if (!group_.types.contains(outputs[i]))
            impl::fail(onefold_runtime_error, "no node of the group produces \"{}\"", impl::io::printable(outputs[i]));
        group_.outputs.push_back(outputs[i]);
        outputs_.push_back(i);
    }
    if (!is_fixed(group_)) return;
    bound_inputs fixed{{}, known_inputs(group_), {}};
    for (size_t i = 0; i < group_.inputs.size(); ++i)
        if (!group_.inputs[i].constant) append_key(fixed.key, fixed.known[i]);
    program_for(fixed);
}

void compiled_group::append_key(std::vector<int64_t> &key, const known_input &input) {
    key.push_back(static_cast<int64_t>(input.dims.size()));
    key.insert(key.end(), input.dims.begin(), input.dims.end());
    key.insert(key.end(), input.axes.begin(), input.axes.end());
}

compiled_group::bound_inputs compiled_group::bind_inputs(const OrtKernelContext &context) const {
    const size_t count = group_.inputs.size();
    bound_inputs bound{std::vector<const void *>(count, nullptr), std::vector<known_input>(count), {}};
    for (size_t i = 0; i < count; ++i) {
        const group_input &input = group_.inputs[i];
        if (input.constant) continue;
        const OrtValue *value = nullptr;
        host_.check(host_->KernelContext_GetInput(&context, inputs_[i], &value));
        if (!value) impl::fail(onefold_invalid_arguments, "input \"{}\" is missing", impl::io::printable(input.name));
        bound.data[i] = data_of(host_, *value);
        bound.known[i].dims = dims_of(host_, *value);
        if (input.is_axes)
            bound.known[i].axes = {static_cast<const int64_t *>(bound.data[i]),
                                   static_cast<size_t>(impl::element_count(bound.known[i].dims))};
        append_key(bound.key, bound.known[i]);
    }
    return bound;
}

compiled_group::program_cache::lease compiled_group::program_for(const bound_inputs &inputs) const {
    if (program_cache::lease known = programs_.find(inputs.key)) return known;
    return programs_.keep(inputs.key, std::make_unique<const program>(group_, inputs.known, *engine_));
}

void compiled_group::compute(OrtKernelContext &context) const {
    const bound_inputs inputs = bind_inputs(context);
    const program_cache::lease p = program_for(inputs);
    std::vector<void *> outputs(group_.outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
        const impl::dims &dims = p->output_dims()[i];
        OrtValue *value = nullptr;
        host_.check(host_->KernelContext_GetOutput(&context, outputs_[i], dims.data(), dims.size(), &value));
        host_.check(host_->GetTensorMutableData(value, &outputs[i]));
    }
    const host_scratch scratch(host_, context, p->scratch_bytes());
    // No thread of TBB's is ever started: it would outlive the library, which the host unloads.
    execution e{host_, context};
    impl::stream s(engine_, run_tasks, &e, most_threads());
    p->run(s, inputs.data, outputs, scratch.data());
}

} // namespace onefold::onnxruntime
