#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/error.hpp"
#include "tests/driver/commands.hpp"
#include "tests/driver/graph_source.hpp"
#include "tests/driver/session.hpp"

namespace onefold::driver {

namespace {

/// A stage, and why it does not compile if so.
struct inspected {
    const stage *s;
    std::string failure;
};

/// What an op is: its kind, or the ONNX node that it stands for.
std::string kind_name(const graph_source &source, const impl::op &o) {
    const bool stands_for_a_node = source.views.contains(o.id) || source.unsupported.contains(o.id);
    return stands_for_a_node ? o.name : std::string(o.schema().name);
}

std::string_view verdict(const stage &s) {
    return s.is_view                    ? "a view, nothing to execute"
           : s.is_end                   ? "nothing to execute"
           : s.partition.is_supported() ? "supported"
                                        : "not supported";
}

/// Compiles what can be compiled: each stage that is supported and whose inputs have known dims by then.
std::vector<inspected> compile_all(session &s) {
    std::vector<inspected> result;
    for (size_t i = 0; i < s.stages().size(); ++i) {
        const stage &current = s.stages()[i];
        inspected entry{&current, ""};
        if (!current.is_end && !current.is_view && current.partition.is_supported() && s.is_ready(current)) {
            try {
                s.compile(i);
            } catch (const std::exception &e) {
                entry.failure = e.what();
            }
        }
        if (current.is_view && s.is_ready(current) && s.tensor(current.outputs[0]).has_known_dims()) s.compile(i);
        result.push_back(std::move(entry));
    }
    return result;
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
    std::vector<std::string> result;
    while (!text.empty()) {
        const size_t end = text.find(separator);
        result.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
    }
    return result;
}

std::vector<std::string> steps(const stage &s) {
    return s.compiled ? split(s.compiled->get_info(), "; ") : std::vector<std::string>{};
}
std::vector<std::string> lines(const std::string &program) { return split(program, "\n"); }

void print_steps(const inspected &entry) {
    if (entry.s->compiled) {
        for (const std::string &step : steps(*entry.s))
            fmt::print("    step    {}\n", step);
        for (const std::string &line : lines(entry.s->compiled->get_program()))
            fmt::print("            {}\n", line);
    } else if (!entry.failure.empty()) {
        fmt::print("    does not compile: {}\n", entry.failure);
    } else if (!entry.s->is_end && entry.s->partition.is_supported()) {
        fmt::print("    the steps depend on shapes that are not known\n");
    }
}

/// `id` or, of an ONNX model, `id "name"`.
std::string label(const graph_source &source, size_t tensor_id) {
    if (!source.names.contains(tensor_id)) return fmt::format("{}", tensor_id);
    return fmt::format("{} \"{}\"", tensor_id, name_of(source, tensor_id));
}

void print_text(const session &s, const graph_source &source, const std::vector<inspected> &entries) {
    std::vector<std::string> inputs, outputs;
    for (const graph_input &input : s.inputs())
        inputs.push_back(label(source, input.id));
    for (const size_t id : s.outputs())
        outputs.push_back(label(source, id));
    fmt::print("graph: ops {}, partitions {}, inputs [{}], outputs [{}]\n", s.file().ops.size(), entries.size(),
               fmt::join(inputs, ", "), fmt::join(outputs, ", "));
    for (const inspected &entry : entries) {
        fmt::print("partition {}: {}\n", entry.s->partition.get_id(), verdict(*entry.s));
        for (const size_t id : entry.s->ops)
            fmt::print("    op      {} ({})\n", id, kind_name(source, s.op(id)));
        for (const size_t id : entry.s->inputs)
            fmt::print("    input   {} {}\n", label(source, id), impl::to_string(s.tensor(id)));
        for (const size_t id : entry.s->outputs)
            fmt::print("    output  {} {}\n", label(source, id), impl::to_string(s.tensor(id)));
        for (const size_t id : entry.s->ops)
            if (const auto reason = source.unsupported.find(id); reason != source.unsupported.end())
                fmt::print("    {}\n", reason->second);
        print_steps(entry);
    }
}

/// For use between double quotes in a dot file.
std::string dot_quoted(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result;
}

void print_clusters(const session &s, const graph_source &source, const std::vector<inspected> &entries) {
    for (const inspected &entry : entries) {
        const size_t id = entry.s->partition.get_id();
        const bool runs = entry.s->partition.is_supported();
        std::string label = fmt::format("partition {}: {}", id, verdict(*entry.s));
        for (const std::string &step : steps(*entry.s))
            label += "\\n" + dot_quoted(step);
        fmt::print("    subgraph cluster_{} {{\n        label=\"{}\"; style={};\n", id, label, runs ? "solid" : "dashed");
        for (const size_t o : entry.s->ops)
            fmt::print("        op_{} [label=\"{} {}\"];\n", o, o, dot_quoted(kind_name(source, s.op(o))));
        fmt::print("    }}\n");
    }
}

void print_dot(const session &s, const graph_source &source, const std::vector<inspected> &entries) {
    fmt::print("digraph onefold {{\n    node [shape=box, fontname=\"sans-serif\"];\n    edge [fontname=\"sans-serif\"];\n");
    print_clusters(s, source, entries);
    std::map<size_t, size_t> producers;
    for (const impl::op &o : s.file().ops)
        for (const impl::logical_tensor &output : o.outputs)
            producers.emplace(output.id, o.id);
    for (const graph_input &input : s.inputs())
        fmt::print("    input_{} [label=\"input {}\", shape=ellipse];\n", input.id, dot_quoted(label(source, input.id)));
    for (const impl::op &o : s.file().ops)
        for (const impl::logical_tensor &input : o.inputs) {
            const auto producer = producers.find(input.id);
            const std::string from =
                producer == producers.end() ? fmt::format("input_{}", input.id) : fmt::format("op_{}", producer->second);
            fmt::print("    {} -> op_{} [label=\"{} {}\"];\n", from, o.id, input.id,
                       dot_quoted(impl::to_string(s.tensor(input.id))));
        }
    for (const size_t id : s.outputs())
        fmt::print("    output_{} [label=\"output {}\", shape=ellipse];\n    op_{} -> output_{} [label=\"{} {}\"];\n", id,
                   dot_quoted(label(source, id)), producers.at(id), id, id, dot_quoted(impl::to_string(s.tensor(id))));
    fmt::print("}}\n");
}

} // namespace

int command_inspect(const inspect_options &options) {
    graph_source source = read_graph_source(options.file);
    session s(std::move(source.file), 0, graph::partition::policy::fusion, source.views);
    const std::vector<inspected> entries = compile_all(s);
    if (options.dot)
        print_dot(s, source, entries);
    else
        print_text(s, source, entries);
    for (const inspected &entry : entries)
        if (!entry.failure.empty())
            throw std::runtime_error(fmt::format("partition {}: {}", entry.s->partition.get_id(), entry.failure));
    return 0;
}

} // namespace onefold::driver
