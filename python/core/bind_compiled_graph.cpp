// CompiledGraph, Partition and load(): how a graph is executed and looked at.
#include <algorithm>

#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graph/error.hpp"
#include "io/json.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"
#include "python/core/policy.hpp"

namespace onefold::python {

namespace {

using namespace nb::literals;
using impl::io::printable;

/// What Python sees of a partition.
struct partition_object {
    size_t id;
    nb::tuple ops, inputs, outputs;
    bool is_supported;
    nb::object steps;
};

/// An input or output of a compiled graph.
struct port_object {
    nb::str name;
    std::string dtype;
    nb::object shape;
};

port_object port_of(const partitioned_graph &g, const graph_port &port) {
    const auto tensor = g.tensors().find(port.id);
    if (tensor == g.tensors().end()) return {to_str(port.name), "undef", nb::none()}; // no op reads it
    return {to_str(port.name), std::string(impl::name_of(tensor->second.type)), shape_of(tensor->second)};
}

nb::tuple ports_of(const partitioned_graph &g, const std::vector<graph_port> &ports) {
    nb::list list;
    for (const graph_port &port : ports)
        list.append(port_of(g, port));
    return nb::tuple(list);
}

nb::tuple names_of(const partitioned_graph &g, const std::vector<size_t> &ids) {
    nb::list names;
    for (const size_t id : ids)
        names.append(to_str(name_of(g.source(), id)));
    return nb::tuple(names);
}

/// The steps that get_info() lists.
nb::object steps_of(const std::optional<std::string> &text) {
    if (!text) return nb::none();
    nb::list steps;
    for (std::string_view rest = *text; !rest.empty();) {
        const size_t end = std::min(rest.find("; "), rest.size());
        steps.append(nb::str(rest.data(), end));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    return nb::tuple(steps);
}

/// `made`: nullptr where nothing is compiled yet.
nb::tuple partitions_of(const partitioned_graph &g, const plan *made) {
    nb::list partitions;
    for (size_t i = 0; i < g.parts().size(); ++i) {
        const host::graph_part &part = g.parts()[i];
        if (part.is_end) continue;
        nb::list ops;
        for (const size_t id : part.ops) {
            const impl::op &o = g.op(id);
            // What files cannot name by a kind has its kind in its name.
            const bool is_named = o.kind == onefold_op_wildcard && !o.name.empty();
            ops.append(is_named ? to_str(printable(o.name)) : nb::str(o.schema().name.data()));
        }
        partitions.append(partition_object{part.partition.get_id(), nb::tuple(ops), names_of(g, part.inputs),
                                           names_of(g, part.outputs), part.is_view || part.partition.is_supported(),
                                           made ? steps_of(made->steps_texts()[i]) : nb::none()});
    }
    return nb::tuple(partitions);
}

/// The arrays in the order of the graph's inputs, whether they come by position or by name.
std::vector<nb::handle> arrange(const partitioned_graph &g, const nb::args &arrays, const nb::kwargs &named) {
    const std::vector<graph_port> &inputs = g.inputs();
    if (arrays.size() > inputs.size())
        impl::fail(onefold_invalid_arguments, "{} arrays are given, but the graph has {} inputs", arrays.size(), inputs.size());
    std::vector<nb::handle> arranged(inputs.size());
    std::copy(arrays.begin(), arrays.end(), arranged.begin());
    for (const auto &[key, array] : named) {
        const std::string name = nb::cast<std::string>(key);
        const auto input = std::find_if(inputs.begin(), inputs.end(), [&](const auto &port) { return port.name == name; });
        if (input == inputs.end())
            impl::fail(onefold_invalid_arguments, "\"{}\": the graph has no input of that name", printable(name));
        nb::handle &place = arranged[static_cast<size_t>(input - inputs.begin())];
        if (place) impl::fail(onefold_invalid_arguments, "input \"{}\": is given twice", printable(name));
        place = array;
    }
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!arranged[i]) impl::fail(onefold_invalid_arguments, "input \"{}\": is missing", printable(inputs[i].name));
    return arranged;
}

impl::data_type type_of(const partitioned_graph &g, size_t tensor_id) {
    const auto tensor = g.tensors().find(tensor_id);
    return tensor == g.tensors().end() ? onefold_data_type_undef : tensor->second.type;
}

std::vector<array_view> take_inputs(const partitioned_graph &g, const nb::args &arrays, const nb::kwargs &named,
                                    call_arrays &taken) {
    const std::vector<nb::handle> arranged = arrange(g, arrays, named);
    std::vector<array_view> views;
    for (size_t i = 0; i < arranged.size(); ++i)
        views.push_back(taken.take_input(g.inputs()[i].name, type_of(g, g.inputs()[i].id), arranged[i]));
    return views;
}

/// `out`: None, an array where the graph has one output, or a sequence with an array or None for each.
std::vector<nb::object> outputs_in(const partitioned_graph &g, nb::handle out) {
    const size_t count = g.outputs().size();
    if (out.is_none()) return std::vector<nb::object>(count, nb::none());
    if (!nb::isinstance<nb::tuple>(out) && !nb::isinstance<nb::list>(out)) {
        if (count == 1) return {nb::borrow(out)};
        impl::fail(onefold_invalid_arguments, "out: the graph has {} outputs; it takes a tuple or a list of as many", count);
    }
    std::vector<nb::object> objects;
    for (const nb::handle object : nb::iter(out))
        objects.push_back(nb::borrow(object));
    if (objects.size() != count)
        impl::fail(onefold_invalid_arguments, "out: {} arrays are given, but the graph has {} outputs", objects.size(), count);
    return objects;
}

std::vector<std::optional<array_view>> take_outputs(const partitioned_graph &g, const std::vector<nb::object> &objects,
                                                    call_arrays &taken) {
    std::vector<std::optional<array_view>> views;
    for (size_t i = 0; i < objects.size(); ++i) {
        const graph_port &port = g.outputs()[i];
        views.emplace_back();
        if (!objects[i].is_none()) views.back() = taken.take_output(port.name, type_of(g, port.id), objects[i]);
    }
    return views;
}

/// Throws where an output lies where it would be overwritten, or overwrite what is still to be read.
void check_overlaps(const plan &p, const std::vector<array_view> &inputs,
                    const std::vector<std::optional<array_view>> &outputs) {
    const partitioned_graph &g = p.graph();
    for (size_t o = 0; o < outputs.size(); ++o) {
        if (!outputs[o]) continue;
        const std::string name = printable(g.outputs()[o].name);
        for (size_t other = 0; other < o; ++other)
            if (outputs[other] && overlap(*outputs[o], *outputs[other]))
                impl::fail(onefold_invalid_arguments, "output \"{}\": its memory overlaps that of output \"{}\"", name,
                           printable(g.outputs()[other].name));
        for (size_t i = 0; i < inputs.size(); ++i) {
            if (!overlap(*outputs[o], inputs[i])) continue;
            const bool is_same = outputs[o]->data == inputs[i].data && outputs[o]->layout == inputs[i].layout;
            if (!is_same || !p.may_share(i, o))
                impl::fail(onefold_invalid_arguments,
                           "output \"{}\": its memory overlaps that of input \"{}\", which cannot be computed "
                           "in place",
                           name, printable(g.inputs()[i].name));
        }
    }
}

nb::object call(compiled_graph &g, const nb::args &arrays, nb::handle out, const nb::kwargs &named) {
    call_arrays taken;
    const std::vector<array_view> inputs = take_inputs(g.graph(), arrays, named, taken);
    std::vector<nb::object> results = outputs_in(g.graph(), out);
    const std::vector<std::optional<array_view>> outputs = take_outputs(g.graph(), results, taken);
    std::shared_ptr<const plan> p;
    {
        const nb::gil_scoped_release release;
        p = g.plan_for(inputs, outputs);
    }
    check_overlaps(*p, inputs, outputs);
    std::vector<void *> sources, destinations;
    for (const array_view &input : inputs)
        sources.push_back(input.data);
    for (size_t i = 0; i < results.size(); ++i) {
        destinations.push_back(outputs[i] ? outputs[i]->data : nullptr);
        if (!outputs[i]) results[i] = make_array(p->outputs()[i], destinations.back());
    }
    {
        const nb::gil_scoped_release release;
        g.execute(*p, sources, destinations);
    }
    if (results.size() == 1) return results[0];
    nb::list list;
    for (const nb::object &result : results)
        list.append(result);
    return nb::tuple(list);
}

nb::tuple inspect(compiled_graph &g, const nb::args &arrays, const nb::kwargs &named) {
    call_arrays taken;
    const std::vector<array_view> inputs = take_inputs(g.graph(), arrays, named, taken);
    std::shared_ptr<const plan> p;
    {
        const nb::gil_scoped_release release;
        p = g.plan_for(inputs, std::vector<std::optional<array_view>>(g.graph().outputs().size()));
    }
    return partitions_of(p->graph(), p.get());
}

std::unique_ptr<compiled_graph> load(nb::handle path, const std::string &policy, unsigned threads) {
    const nb::object text = nb::module_::import_("os").attr("fsencode")(path);
    const std::filesystem::path file(nb::cast<nb::bytes>(text).c_str());
    const auto chosen = policy_of(policy);
    const nb::gil_scoped_release release;
    return std::make_unique<compiled_graph>(read_source(file), std::filesystem::absolute(file), chosen, threads);
}

nb::tuple unsupported(const compiled_graph &g) {
    nb::list sentences;
    for (const std::string &sentence : g.graph().unsupported())
        sentences.append(to_str(sentence));
    return nb::tuple(sentences);
}

constexpr const char *call_doc =
    "Executes the graph: takes an array for each input, by position or by name, and returns its output, or a tuple where it "
    "has "
    "more than one.\n\n"
    "Arrays are read where they are, whatever their strides. They are NumPy's, or anything in CPU memory with DLPack or the "
    "buffer protocol. bf16 elements are those of DLPack, of ml_dtypes, or uint16 words; what is returned are uint16 words.\n"
    "out: an array that the output is written to, of any strides; a tuple or list of arrays (or None) where there are more.\n"
    "Layouts that come for the first time are compiled for; the plans of the last 64 are kept. May be called from many "
    "threads.";

} // namespace

void bind_compiled_graph(nb::module_ &m) {
    nb::class_<port_object>(m, "Port", "An input or output of a compiled graph.")
        .def_ro("name", &port_object::name, "Its name, or the tensor's id where it has none.")
        .def_ro("dtype", &port_object::dtype,
                "Its element type by the Graph API's name; \"undef\" for an input that no op reads.")
        .def_ro("shape", &port_object::shape, nb::sig("def shape(self, /) -> tuple[int | None, ...] | None"),
                "Its dims as the graph tells them, None where one is not known; None where not even the rank is.")
        .def("__repr__",
             [](const port_object &p) { return nb::str("<onefold.Port {}: {} {}>").format(p.name, p.dtype, p.shape); });
    nb::class_<partition_object>(m, "Partition", "Ops that are compiled and executed as one.")
        .def_ro("id", &partition_object::id, "Unique in the process.")
        .def_ro("ops", &partition_object::ops, nb::sig("def ops(self, /) -> tuple[str, ...]"),
                "The kinds of its ops, in order.")
        .def_ro("inputs", &partition_object::inputs, nb::sig("def inputs(self, /) -> tuple[str, ...]"),
                "The names of its inputs.")
        .def_ro("outputs", &partition_object::outputs, nb::sig("def outputs(self, /) -> tuple[str, ...]"),
                "The names of its outputs.")
        .def_ro("supported", &partition_object::is_supported, "Whether onefold can compile it.")
        .def_ro("steps", &partition_object::steps, nb::sig("def steps(self, /) -> tuple[str, ...] | None"),
                "The lowerings that were chosen, e.g. \"simd:reduce_rows:avx3\"; None where nothing was compiled.")
        .def("__repr__", [](const partition_object &p) {
            return nb::str("<onefold.Partition {}: {} -> {}>").format(p.id, p.ops, p.steps);
        });
    nb::class_<compiled_graph>(m, "CompiledGraph", "A graph that is called with arrays; Graph.compile() and load() make it.")
        .def("__call__", call, "arrays"_a, "out"_a = nb::none(), "named"_a,
             nb::sig("def __call__(self, *arrays: object, out: object | None = None, **named: object) -> typing.Any"), call_doc)
        .def("inspect", inspect, "arrays"_a, "named"_a,
             nb::sig("def inspect(self, *arrays: object, **named: object) -> tuple[Partition, ...]"),
             "The partitions and their steps for arrays like these; nothing is executed.")
        .def_prop_ro(
            "partitions", [](const compiled_graph &g) { return partitions_of(g.graph(), g.plan_of_graph().get()); },
            nb::sig("def partitions(self) -> tuple[Partition, ...]"),
            "The partitions in the order in which they execute; with steps where the graph itself tells the shapes.")
        .def_prop_ro(
            "inputs", [](const compiled_graph &g) { return ports_of(g.graph(), g.graph().inputs()); },
            nb::sig("def inputs(self) -> tuple[Port, ...]"), "The inputs, in the order in which arrays are taken.")
        .def_prop_ro(
            "outputs", [](const compiled_graph &g) { return ports_of(g.graph(), g.graph().outputs()); },
            nb::sig("def outputs(self) -> tuple[Port, ...]"), "The outputs, in the order in which arrays are returned.")
        .def_prop_ro("unsupported", unsupported, nb::sig("def unsupported(self) -> tuple[str, ...]"),
                     "A sentence for each op that onefold does not compile. Where there are any, calling raises Error.");
    m.def("load", load, "path"_a, nb::kw_only(), "policy"_a = "fusion", "threads"_a = 0,
          nb::sig("def load(path: str | os.PathLike[str], *, policy: str = 'fusion', threads: int = 0) -> CompiledGraph"),
          "Reads a graph file: an ONNX model (.onnx), or JSON in oneDNN's format.\n\n"
          "What onefold does not compile is told by CompiledGraph.unsupported. policy and threads: as in Graph.compile().");
}

} // namespace onefold::python
