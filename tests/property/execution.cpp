#include "tests/property/execution.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "tests/driver/compare.hpp"
#include "tests/driver/fill_input.hpp"
#include "tests/driver/reference.hpp"
#include "tests/support/host_pool.hpp"

namespace onefold_test {

namespace driver = onefold::driver;

namespace {

bool has_values(const impl::op &o) {
    return driver::has_reference(o.kind) && o.kind != onefold_op_wildcard && o.kind != onefold_op_end;
}

bool gaps_are_untouched(const driver::buffer &b) {
    driver::buffer fresh(b.description());
    fresh.scatter(b.gather());
    return b.bytes() == 0 || std::memcmp(fresh.data(), b.data(), b.bytes()) == 0;
}

} // namespace

execution::execution(impl::io::graph_file file, unsigned threads, onefold::graph::partition::policy policy, uint64_t seed,
                     const std::map<size_t, impl::dims> &told)
    : session_(std::move(file), threads, policy) {
    for (const auto &[id, dims] : told)
        session_.set_dims(id, dims);
    for (size_t i = 0; i < session_.stages().size(); ++i)
        if (session_.stages()[i].partition.is_supported()) session_.compile(i);
    session_.allocate();
    fill_sources(seed);
    session_.execute();
}

void execution::fill_sources(uint64_t seed) {
    std::set<size_t> produced;
    for (const driver::stage &s : session_.stages())
        if (s.compiled) produced.insert(s.outputs.begin(), s.outputs.end());
    for (const driver::stage &s : session_.stages()) {
        if (!s.compiled) continue;
        for (const size_t id : s.ops) {
            const impl::op &o = session_.op(id);
            for (size_t port = 0; port < o.inputs.size(); ++port) {
                const size_t tensor = o.inputs[port].id;
                const bool from_outside = std::find(s.inputs.begin(), s.inputs.end(), tensor) != s.inputs.end();
                if (!from_outside || produced.contains(tensor) || sources_.contains(tensor)) continue;
                driver::fill_input(session_, {tensor, &o, port}, seed);
                sources_[tensor] = driver::exact_tensor(session_.buffer_of(tensor));
            }
        }
    }
}

std::string execution::check_with_other_axes(uint64_t seed) {
    bool has_axes = false;
    for (auto &[id, values] : sources_) {
        if (!driver::is_axes(session_, id)) continue;
        has_axes = true;
        driver::fill_input(session_, {id, nullptr, 1}, seed);
        values = driver::exact_tensor(session_.buffer_of(id));
    }
    if (!has_axes) return "";
    session_.execute();
    return check();
}

bool execution::reads_only_sources(size_t tensor) const {
    const auto produces = [&](const impl::op &o) { return !o.outputs.empty() && o.outputs[0].id == tensor; };
    const auto producer = std::find_if(session_.file().ops.begin(), session_.file().ops.end(), produces);
    return producer != session_.file().ops.end() &&
           std::all_of(producer->inputs.begin(), producer->inputs.end(),
                       [&](const impl::logical_tensor &input) { return sources_.contains(input.id); });
}

std::string execution::check() {
    driver::reference_tensors tensors;
    for (const auto &[id, values] : sources_) {
        const driver::buffer &b = session_.buffer_of(id);
        if (!driver::is_identical(b, values) || !gaps_are_untouched(b)) return fmt::format("source {} was written to", id);
        tensors.emplace(id, values);
    }
    std::vector<impl::op> ops;
    std::copy_if(session_.file().ops.begin(), session_.file().ops.end(), std::back_inserter(ops), has_values);
    driver::compute_reference(ops, tensors);
    for (const driver::stage &s : session_.stages()) {
        if (!s.compiled) continue;
        for (const size_t id : s.outputs) {
            const driver::buffer &b = session_.buffer_of(id);
            driver::reference_tensor &expected = tensors.at(id);
            expected.zero_signs = expected.zero_signs && reads_only_sources(id);
            if (b.description().dims != expected.dims)
                return fmt::format("tensor {} has dims {}, not {}", id, impl::to_string(b.description().dims),
                                   impl::to_string(expected.dims));
            const driver::comparison found = driver::compare(b, expected);
            trusted_ = trusted_ && found.is_trusted();
            if (found.wrong != 0)
                return fmt::format("tensor {} by {}: {} wrong of {}\n{}", id, s.compiled->get_info(), found.wrong, found.total,
                                   found.first_wrong);
            if (!gaps_are_untouched(b)) return fmt::format("tensor {}: a gap was written to", id);
        }
    }
    return "";
}

std::string execution::check_same_bits(execution &other) {
    for (const size_t id : session_.outputs()) {
        if (!std::any_of(session_.stages().begin(), session_.stages().end(), [&](const driver::stage &s) {
                return s.compiled && std::find(s.outputs.begin(), s.outputs.end(), id) != s.outputs.end();
            }))
            continue;
        if (!driver::is_identical(session_.buffer_of(id), driver::exact_tensor(other.session_.buffer_of(id))))
            return fmt::format("tensor {} depends on the number of threads", id);
    }
    return "";
}

std::string execution::check_on_host(unsigned threads) {
    std::map<size_t, driver::reference_tensor> before;
    for (const driver::stage &s : session_.stages())
        if (s.compiled)
            for (const size_t id : s.outputs)
                before.emplace(id, driver::exact_tensor(session_.buffer_of(id)));
    host_pool pool(threads);
    session_.set_stream(pool.make_stream(onefold::engine(onefold::engine::kind::cpu, 0)));
    session_.execute();
    session_.set_stream(onefold::stream(onefold::engine(onefold::engine::kind::cpu, 0)));
    for (const auto &[id, values] : before)
        if (!driver::is_identical(session_.buffer_of(id), values))
            return fmt::format("tensor {} by {} threads of a host differs", id, threads);
    return "";
}

std::string execution::check_in_place(size_t stage, size_t input, size_t output) {
    const driver::stage &s = session_.stages()[stage];
    const onefold::engine cpu(onefold::engine::kind::cpu, 0);
    driver::buffer shared(session_.buffer_of(input).description());
    shared.scatter(session_.buffer_of(input).gather());
    const auto bind = [&](const std::vector<size_t> &ids) {
        std::vector<onefold::graph::tensor> tensors;
        for (const size_t id : ids) {
            driver::buffer &own = session_.buffer_of(id);
            tensors.emplace_back(driver::to_public(own.description()), cpu,
                                 id == input || id == output ? shared.data() : own.data());
        }
        return tensors;
    };
    std::map<size_t, driver::reference_tensor> expected;
    for (const size_t id : s.outputs)
        expected.emplace(id, driver::exact_tensor(session_.buffer_of(id)));
    onefold::stream stream(cpu);
    s.compiled->execute(stream, bind(s.inputs), bind(s.outputs));
    for (const auto &[id, values] : expected)
        if (!driver::is_identical(id == output ? shared : session_.buffer_of(id), values))
            return fmt::format("tensor {} differs where {} shares the buffer of {}", id, output, input);
    return "";
}

std::string execution::check_in_place() {
    for (size_t i = 0; i < session_.stages().size(); ++i) {
        if (!session_.stages()[i].compiled) continue;
        for (const auto &[input, output] : session_.stages()[i].compiled->get_inplace_ports())
            if (const std::string wrong = check_in_place(i, input, output); !wrong.empty()) return wrong;
    }
    return "";
}

std::string execution::check_with_open_dims(const driver::stage &s) {
    using onefold::graph::logical_tensor;
    const onefold::engine cpu(onefold::engine::kind::cpu, 0);
    std::vector<logical_tensor> open_inputs, open_outputs;
    std::vector<onefold::graph::tensor> inputs, outputs;
    std::map<size_t, driver::buffer> dsts;
    for (const size_t id : s.inputs) {
        driver::buffer &src = session_.buffer_of(id);
        const logical_tensor known = driver::to_public(src.description());
        open_inputs.emplace_back(id, known.get_data_type(), static_cast<int32_t>(known.get_dims().size()),
                                 logical_tensor::layout_type::strided);
        inputs.emplace_back(known, cpu, src.data());
    }
    for (const size_t id : s.outputs) {
        driver::buffer &dst = dsts.try_emplace(id, session_.buffer_of(id).description()).first->second;
        const logical_tensor known = driver::to_public(dst.description());
        open_outputs.emplace_back(id, known.get_data_type());
        outputs.emplace_back(known, cpu, dst.data());
    }
    onefold::stream stream(cpu);
    const auto open = s.partition.compile(open_inputs, open_outputs, cpu);
    for (int i = 0; i < 2; ++i)
        open.execute(stream, inputs, outputs);
    for (const auto &[id, dst] : dsts)
        if (!driver::is_identical(dst, driver::exact_tensor(session_.buffer_of(id))))
            return fmt::format("tensor {} differs where its dims come with the execution", id);
    return "";
}

std::string execution::check_with_open_dims() {
    for (const driver::stage &s : session_.stages()) {
        // Where all inputs are scalars, and dst is not, compile() has to know it.
        const auto has_dims = [&](size_t id) { return !session_.buffer_of(id).description().dims.empty(); };
        if (!s.compiled || !std::any_of(s.inputs.begin(), s.inputs.end(), has_dims)) continue;
        if (const std::string wrong = check_with_open_dims(s); !wrong.empty()) return wrong;
    }
    return "";
}

} // namespace onefold_test
