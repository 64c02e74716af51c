#include "compile/compiled_partition.hpp"
#include "graph/error.hpp"

namespace onefold::impl {

namespace {

constexpr size_t most_axes = 1024; // sets of them whose plans are kept

std::shared_ptr<const compiled_partition> make_compiled_partition(const partition &p, std::span<const logical_tensor> inputs,
                                                                  std::span<const logical_tensor> outputs, engine &e) {
    if (has_open_inputs(p, inputs)) {
        auto by_dims = std::make_unique<const dims_plans>(p, find_open_ports(p, inputs, outputs));
        return std::make_shared<const compiled_partition>(e, std::move(by_dims));
    }
    auto fixed = std::make_unique<const port_plans>(p, resolve_ports(p, inputs, outputs), most_axes);
    return std::make_shared<const compiled_partition>(e, std::move(fixed));
}

} // namespace

std::shared_ptr<const compiled_partition> compile(const partition &p, std::span<const logical_tensor> inputs,
                                                  std::span<const logical_tensor> outputs, engine &e) {
    const verbose_timer timer;
    if (!p.is_supported())
        fail(onefold_invalid_arguments, "partition {}: {} is not supported, so it cannot be compiled", p.id,
             p.ops.empty() ? "it" : to_string(p.ops.front()));
    auto compiled = make_compiled_partition(p, inputs, outputs, e);
    compiled->report(timer, "compile");
    return compiled;
}

} // namespace onefold::impl
