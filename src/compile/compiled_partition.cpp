#include "compile/compiled_partition.hpp"

#include <algorithm>
#include <array>

#include "graph/error.hpp"

namespace onefold::impl {

namespace {

/// Pointers to a program's buffers: on the stack for programs of usual size.
class buffer_table {
public:
    explicit buffer_table(size_t size) : size_(size) {
        if (size > few_.size()) many_.resize(size);
    }
    std::byte *&operator[](size_t i) { return data()[i]; }
    std::span<std::byte *const> view() { return {data(), size_}; }

private:
    std::byte **data() { return many_.empty() ? few_.data() : many_.data(); }

    size_t size_;
    std::array<std::byte *, 32> few_;
    std::vector<std::byte *> many_;
};

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

std::string describe(const program &p) {
    std::string info;
    for (const auto &s : p.steps)
        info += (info.empty() ? "" : "; ") + s->name();
    return info.empty() ? "nothing to do" : info;
}

} // namespace

compiled_partition::compiled_partition(std::shared_ptr<engine> e, std::vector<logical_tensor> inputs,
                                       std::vector<logical_tensor> outputs, std::vector<onefold_inplace_pair> inplace_pairs,
                                       program steps, std::string label)
    : engine_(std::move(e)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      inplace_pairs_(std::move(inplace_pairs)),
      program_(std::move(steps)),
      info_(describe(program_)),
      label_(std::move(label)) {}

compiled_partition::~compiled_partition() = default;

const logical_tensor &compiled_partition::port(size_t id) const {
    for (const auto *ports : {&inputs_, &outputs_})
        for (const logical_tensor &t : *ports)
            if (t.id == id) return t;
    fail(onefold_invalid_arguments, "compiled partition {}: it has no port for tensor {}", label_, id);
}

void compiled_partition::report(const verbose_timer &timer, std::string_view what) const { timer.report(what, label_, info_); }

void compiled_partition::execute(stream &s, std::span<const bound_tensor> inputs, std::span<const bound_tensor> outputs,
                                 void *scratch, size_t scratch_size) const {
    const verbose_timer timer;
    buffer_table buffers(program_.buffers.size());
    size_t next = 0;
    for (const logical_tensor &port : inputs_)
        buffers[next++] = find_buffer(port, "input", inputs);
    for (const logical_tensor &port : outputs_)
        buffers[next++] = find_buffer(port, "output", outputs);
    if (scratch && (scratch_size < program_.scratch_bytes || reinterpret_cast<uintptr_t>(scratch) % 64 != 0))
        fail(onefold_invalid_arguments, "execute: the scratchpad has {} bytes at {}; {} bytes aligned to 64 are needed",
             scratch_size, scratch, program_.scratch_bytes);
    s.run([&] {
        const engine::scratch_lease lease(*engine_, scratch ? 0 : program_.scratch_bytes);
        std::byte *base = scratch ? static_cast<std::byte *>(scratch) : lease.data();
        for (size_t i = next; i < program_.buffers.size(); ++i)
            buffers[i] = base + program_.buffers[i].index;
        for (const auto &one : program_.steps)
            one->run(buffers.view(), base + program_.step_scratch_offset);
    });
    report(timer, "exec");
}

} // namespace onefold::impl
