#include "compile/compile_cached.hpp"

#include <algorithm>

#include "runtime/environment.hpp"

namespace onefold::impl {

namespace {

using key = compiled_partition_cache::key;

void append(key &k, const dims &numbers) {
    k.push_back(static_cast<int64_t>(numbers.size()));
    k.insert(k.end(), numbers.begin(), numbers.end());
}

void append(key &k, const logical_tensor &t) {
    k.insert(k.end(), {static_cast<int64_t>(t.id), t.type, t.ndims, t.layout, static_cast<int64_t>(t.layout_id), t.property});
    append(k, t.dims);
    append(k, t.strides);
}

/// Ports are matched by id, so that their order does not matter.
void append(key &k, std::span<const logical_tensor> tensors) {
    std::vector<const logical_tensor *> by_id;
    for (const logical_tensor &t : tensors)
        by_id.push_back(&t);
    std::stable_sort(by_id.begin(), by_id.end(),
                     [](const logical_tensor *a, const logical_tensor *b) { return a->id < b->id; });
    k.push_back(static_cast<int64_t>(by_id.size()));
    for (const logical_tensor *t : by_id)
        append(k, *t);
}

void append(key &k, const std::string &text) {
    k.push_back(static_cast<int64_t>(text.size()));
    k.insert(k.end(), text.begin(), text.end());
}

/// All that compiling depends on, but for the engine.
key make_key(const partition &p, std::span<const logical_tensor> inputs, std::span<const logical_tensor> outputs) {
    key k = {static_cast<int64_t>(p.id)};
    append(k, inputs);
    append(k, outputs);
    for (const char *setting : {"ONEFOLD_LOWERING", "ONEFOLD_MAX_CPU_ISA"})
        append(k, environment(setting));
    return k;
}

} // namespace

std::shared_ptr<const compiled_partition> compile_cached(const partition &p, std::span<const logical_tensor> inputs,
                                                         std::span<const logical_tensor> outputs, engine &e) {
    const verbose_timer timer;
    key k = make_key(p, inputs, outputs);
    if (auto known = e.compiled_partitions().find(k)) {
        known->report(timer, "compile:cache_hit");
        return known;
    }
    return e.compiled_partitions().keep(std::move(k), compile(p, inputs, outputs, e));
}

} // namespace onefold::impl
