// Graphs made through the C++ API: whatever ops come together, each call succeeds or fails with a sentence; what compiles is
// executed on buffers of just the right size, twice, with the same bits.
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "onefold/graph.hpp"
#include "tests/fuzz/random_op.hpp"
#include "tests/fuzz/target.hpp"

using namespace onefold::fuzz;
using onefold::graph::compiled_partition;
using onefold::graph::partition;
using onefold::graph::tensor;

namespace {

constexpr size_t most_ops = 12;
constexpr size_t most_bytes = size_t{1} << 18;

const onefold::engine &cpu() {
    static const onefold::engine e(onefold::engine::kind::cpu, 0);
    return e;
}

/// Does what may fail; whether it did not.
template <typename Call>
bool attempt(Call &&call) {
    try {
        call();
        return true;
    } catch (const onefold::error &e) {
        require_sentence(e.what());
        return false;
    }
}

/// Memory of just one tensor's size, so that going beyond it shows.
class memory {
public:
    explicit memory(size_t bytes) : data_(bytes == 0 ? nullptr : new std::byte[bytes]), bytes_(bytes) {}

    void *data() const { return data_.get(); }
    void fill(byte_source &bytes) {
        // A byte for every eight of the tensor, so that the input is not all values.
        for (size_t i = 0; i < bytes_; ++i)
            data_[i] = static_cast<std::byte>(i % 8 == 0 ? bytes.byte() : i);
    }
    bool holds_the_same(const memory &other) const {
        return bytes_ == 0 || std::memcmp(data_.get(), other.data_.get(), bytes_) == 0;
    }
    void poison() {
        if (bytes_ > 0) std::memset(data_.get(), 0xff, bytes_);
    }

private:
    std::unique_ptr<std::byte[]> data_;
    size_t bytes_;
};

using descriptions = std::map<size_t, logical_tensor>;

/// A port as it is compiled: what earlier partitions found of it, row-major where nothing is said. Nothing: the dims are open.
std::optional<logical_tensor> input_of(const logical_tensor &port, const descriptions &found) {
    if (const auto known = found.find(port.get_id()); known != found.end()) return known->second;
    if (port.get_mem_size() != SIZE_MAX) return port;
    std::optional<logical_tensor> dense;
    attempt([&] {
        dense = logical_tensor(port.get_id(), port.get_data_type(), port.get_dims(), logical_tensor::layout_type::strided);
    });
    return dense && dense->get_mem_size() != SIZE_MAX ? dense : std::nullopt;
}

/// Buffers for the ports, by their ids. Nothing where they would be large.
using buffers = std::map<size_t, memory>;
std::optional<buffers> allocate(const std::vector<logical_tensor> &ports) {
    buffers result;
    for (const logical_tensor &port : ports) {
        const size_t bytes = port.get_mem_size();
        if (bytes > most_bytes) return std::nullopt;
        result.emplace(port.get_id(), memory(bytes));
    }
    return result;
}

std::vector<tensor> bind(const std::vector<logical_tensor> &ports, const buffers &memory) {
    std::vector<tensor> result;
    for (const logical_tensor &port : ports)
        result.emplace_back(port, cpu(), memory.at(port.get_id()).data());
    return result;
}

void execute(const compiled_partition &compiled, const std::vector<logical_tensor> &inputs,
             const std::vector<logical_tensor> &outputs, byte_source &bytes) {
    auto srcs = allocate(inputs);
    auto first = allocate(outputs), second = allocate(outputs);
    if (!srcs || !first || !second) return;
    for (auto &[id, memory] : *srcs)
        memory.fill(bytes);
    for (auto *dsts : {&*first, &*second})
        for (auto &[id, memory] : *dsts)
            memory.poison();
    onefold::stream alone(cpu(), 1U), any(cpu());
    const auto run = [&](onefold::stream &s, const buffers &dsts) {
        return attempt([&] { compiled.execute(s, bind(inputs, *srcs), bind(outputs, dsts)); });
    };
    const bool ran = run(alone, *first);
    require(ran == run(any, *second), "one execution fails, the other does not");
    for (const auto &[id, memory] : *first)
        require(memory.holds_the_same(second->at(id)), "the bits depend on the number of threads");
}

void compile_and_execute(const partition &p, descriptions &found, byte_source &bytes) {
    std::vector<logical_tensor> inputs, outputs;
    for (const logical_tensor &port : p.get_input_ports()) {
        const auto input = input_of(port, found);
        if (!input) return;
        inputs.push_back(*input);
    }
    std::optional<compiled_partition> compiled;
    if (!attempt([&] { compiled = p.compile(inputs, p.get_output_ports(), cpu()); })) return;
    for (const logical_tensor &port : p.get_output_ports()) {
        outputs.push_back(compiled->query_logical_tensor(port.get_id()));
        require(outputs.back().get_mem_size() != SIZE_MAX, "an output's size is not known after compiling");
        found[port.get_id()] = outputs.back();
    }
    execute(*compiled, inputs, outputs, bytes);
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    byte_source bytes(data, size);
    onefold::graph::graph g(onefold::engine::kind::cpu);
    const auto policy = bytes.one_in(4) ? partition::policy::debug : partition::policy::fusion;
    std::optional<op_source> ops;
    if (!attempt([&] { ops.emplace(bytes); })) return 0;
    const size_t count = 1 + bytes.below(most_ops);
    for (size_t i = 0; i < count; ++i)
        attempt([&] { g.add_op(ops->next()); });
    if (!attempt([&] { g.finalize(); })) return 0;
    descriptions found;
    size_t in_partitions = 0;
    for (const partition &p : g.get_partitions(policy)) {
        in_partitions += p.get_ops_num();
        if (p.is_supported()) compile_and_execute(p, found, bytes);
    }
    require(in_partitions <= count, "more ops in partitions than were added");
    return 0;
}
