#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "graph/error.hpp"
#include "tests/driver/commands.hpp"
#include "tests/driver/fill.hpp"
#include "tests/driver/session.hpp"

namespace onefold::fuzz {

namespace {

constexpr size_t most_bytes = size_t{1} << 20;

/// Whether all tensors that the graph touches are known and take little memory together.
bool is_small(const driver::session &s) {
    size_t total = 0;
    for (const impl::op &o : s.file().ops)
        for (const auto *ports : {&o.inputs, &o.outputs})
            for (const impl::logical_tensor &port : *ports) {
                const impl::logical_tensor &known = s.tensor(port.id);
                if (!known.has_known_dims() || !driver::is_loadable(known.type)) continue;
                const bool is_strided = known.has_known_strides();
                const size_t size = impl::mem_size(is_strided ? known : impl::make_dense(known.id, known.type, known.dims));
                if (size > most_bytes || __builtin_add_overflow(total, size, &total)) return false;
            }
    return total <= most_bytes;
}

void run(impl::io::onnx_graph &source) {
    driver::session s(std::move(source.file), 1, graph::partition::policy::fusion, source.views);
    if (!is_small(s)) return;
    s.compile();
    if (!is_small(s)) return; // shapes that compiling found
    s.allocate();
    for (const driver::graph_input &input : s.inputs())
        if (const auto constant = source.constants.find(input.id); constant != source.constants.end())
            s.buffer_of(input.id).scatter(constant->second.data);
        else
            driver::fill(s.buffer_of(input.id), input.consumer, input.port, 1);
    s.execute();
}

} // namespace

void require(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

void require_sentence(std::string_view message) {
    require(!message.empty(), "a failure without a message");
    const auto is_printable = [](char c) { return c >= ' ' && c < 127; };
    if (!std::all_of(message.begin(), message.end(), is_printable)) require(false, message);
}

void run_if_small(impl::io::onnx_graph source) {
    try {
        run(source);
    } catch (const impl::error &e) {
        require_sentence(e.what());
    } catch (const onefold::error &e) {
        require_sentence(e.what());
    } catch (const std::runtime_error &e) { // the driver's own
        require_sentence(e.what());
    }
}

} // namespace onefold::fuzz
