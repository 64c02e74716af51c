#include "integrations/onnxruntime/program_maker.hpp"

#include <algorithm>

#include "compile/compile_cached.hpp"
#include "graph/error.hpp"
#include "io/json.hpp"
#include "partitions/partition_kinds.hpp"

namespace onefold::onnxruntime {

namespace {

constexpr size_t alignment = 64;

size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Memory that is in use up to a stage.
struct block {
    size_t begin;
    size_t end;
    size_t last;
};

/// The first gap of so many bytes between blocks.
size_t first_gap(std::vector<block> &blocks, size_t bytes) {
    std::sort(blocks.begin(), blocks.end(), [](const block &a, const block &b) { return a.begin < b.begin; });
    size_t begin = 0;
    for (const block &b : blocks) {
        if (b.begin >= begin + bytes) break;
        begin = std::max(begin, b.end);
    }
    return begin;
}

} // namespace

void program_maker::make(const group &g) {
    find_ports(g);
    cut();
    place_outputs();
    place_intermediates();
    fill_stages();
}

void program_maker::find_ports(const group &g) {
    const auto take = [&](const impl::logical_tensor &tensor) {
        if (!tensor.has_known_dims())
            impl::fail(onefold_unimplemented, "the dims of tensor \"{}\" are not known before it is computed",
                       graph_.names.contains(tensor.id) ? impl::io::printable(graph_.names.at(tensor.id)) : "?");
        tensors_.emplace(tensor.id, impl::make_dense(tensor.id, tensor.type, tensor.dims));
    };
    for (const impl::op &o : graph_.file.ops) {
        std::for_each(o.inputs.begin(), o.inputs.end(), take);
        std::for_each(o.outputs.begin(), o.outputs.end(), take);
    }
    made_.reads_.resize(g.inputs.size(), false);
    for (const impl::io::onnx_input &input : graph_.inputs) {
        const auto port = std::find_if(g.inputs.begin(), g.inputs.end(), [&](const auto &p) { return p.name == input.name; });
        places_[input.id] = {place::kind::input, static_cast<size_t>(port - g.inputs.begin())};
    }
    for (auto &[id, array] : graph_.constants) {
        places_[id] = {place::kind::constant, made_.constants_.size()};
        made_.constants_.push_back(std::move(array));
    }
}

void program_maker::cut() {
    impl::graph graph(onefold_cpu);
    std::set<size_t> read;
    size_t next_op = 0;
    for (const impl::op &o : graph_.file.ops) {
        for (const impl::logical_tensor &input : o.inputs)
            read.insert(input.id);
        next_op = std::max(next_op, o.id + 1);
        graph.add_op(o);
    }
    // An op that reads an output keeps it from becoming a value inside a partition.
    for (const size_t id : *graph_.file.output_ports)
        if (read.contains(id)) {
            impl::op end;
            end.id = next_op++;
            end.kind = onefold_op_end;
            end.inputs = {tensors_.at(id)};
            graph.add_op(std::move(end));
        }
    graph.finalize();
    for (const auto &p : impl::make_partitions(graph, impl::partition_kinds(onefold_policy_fusion))) {
        const impl::op &first = p->ops.front();
        if (graph_.views.contains(first.id))
            add_view(first);
        else if (p->is_supported())
            compile_partition(*p);
    }
}

void program_maker::compile_partition(const impl::partition &p) {
    const auto ids = [](const std::vector<impl::logical_tensor> &ports) {
        std::vector<size_t> result;
        for (const impl::logical_tensor &port : ports)
            result.push_back(port.id);
        return result;
    };
    draft d{nullptr, ids(p.inputs), ids(p.outputs), 0};
    const auto tensors = [&](const std::vector<size_t> &ports) {
        std::vector<impl::logical_tensor> result;
        for (const size_t id : ports)
            result.push_back(tensors_.at(id));
        return result;
    };
    d.compiled = impl::compile_cached(p, tensors(d.inputs), tensors(d.outputs), engine_);
    drafts_.push_back(std::move(d));
}

void program_maker::add_view(const impl::op &view) {
    const size_t src = view.inputs.at(0).id, dst = view.outputs.at(0).id;
    const auto &outputs = *graph_.file.output_ports;
    const bool is_output = std::find(outputs.begin(), outputs.end(), dst) != outputs.end();
    // What comes in, or out under another name already, has a place of its own: only a copy gets it into this output.
    const size_t from = root(src);
    const bool is_free = !places_.contains(from) && std::find(outputs.begin(), outputs.end(), from) == outputs.end();
    if (is_output && !is_free) return drafts_.push_back({nullptr, {src}, {dst}, impl::mem_size(tensors_.at(dst))});
    views_[dst] = src;
    if (!is_output) return;
    const auto port = static_cast<size_t>(std::find(outputs.begin(), outputs.end(), dst) - outputs.begin());
    places_[from] = {place::kind::output, port};
}

size_t program_maker::root(size_t id) const {
    for (auto view = views_.find(id); view != views_.end(); view = views_.find(id))
        id = view->second;
    return id;
}

void program_maker::place_outputs() {
    const auto &outputs = *graph_.file.output_ports;
    for (size_t i = 0; i < outputs.size(); ++i) {
        places_.try_emplace(root(outputs[i]), place{place::kind::output, i});
        made_.output_dims_.push_back(tensors_.at(outputs[i]).dims);
    }
}

void program_maker::use(size_t id, size_t stage) {
    const size_t from = root(id);
    if (places_.contains(from)) return;
    life &l = lives_.try_emplace(from, life{stage, stage, aligned(impl::mem_size(tensors_.at(from)))}).first->second;
    l.last = stage;
}

void program_maker::place_intermediates() {
    size_t step_bytes = 0;
    for (size_t i = 0; i < drafts_.size(); ++i) {
        for (const auto *ports : {&drafts_[i].inputs, &drafts_[i].outputs})
            for (const size_t id : *ports)
                use(id, i);
        if (drafts_[i].compiled) step_bytes = std::max(step_bytes, drafts_[i].compiled->scratch_bytes());
    }
    std::vector<block> blocks;
    for (size_t i = 0; i < drafts_.size(); ++i) {
        std::erase_if(blocks, [&](const block &b) { return b.last < i; });
        for (const auto &[id, l] : lives_) {
            if (l.first != i) continue;
            const size_t begin = first_gap(blocks, l.bytes);
            blocks.push_back({begin, begin + l.bytes, l.last});
            places_[id] = {place::kind::scratch, begin};
            made_.step_scratch_offset_ = std::max(made_.step_scratch_offset_, begin + l.bytes);
        }
    }
    made_.scratch_bytes_ = made_.step_scratch_offset_ + step_bytes;
}

void program_maker::fill_stages() {
    for (draft &d : drafts_) {
        program::stage stage{d.compiled, {}, {}, d.bytes};
        const auto fill = [&](const std::vector<size_t> &ids, std::vector<program::port> &ports) {
            for (const size_t id : ids) {
                const place &at = places_.at(root(id));
                if (at.where == place::kind::input) made_.reads_[at.index] = true;
                ports.push_back({d.compiled ? &d.compiled->port(id) : nullptr, at});
            }
        };
        fill(d.inputs, stage.inputs);
        fill(d.outputs, stage.outputs);
        made_.stages_.push_back(std::move(stage));
    }
}

} // namespace onefold::onnxruntime
