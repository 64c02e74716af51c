// Graph and Tensor: how a graph is built.
#include <nanobind/nanobind.h>
#include <nanobind/stl/unique_ptr.h>

#include <fmt/format.h>

#include "graph/error.hpp"
#include "io/json.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"
#include "python/core/builder.hpp"
#include "python/core/policy.hpp"

namespace onefold::python {

namespace {

using namespace nb::literals;

/// A tensor of a graph that is being built.
struct tensor_of_graph {
    std::shared_ptr<builder> graph;
    size_t id;

    const impl::logical_tensor &get() const { return graph->tensor(id); }
};

struct graph_object {
    std::shared_ptr<builder> graph = std::make_shared<builder>();
};

int64_t integer_of(nb::handle value) {
    PyObject *index = PyNumber_Index(value.ptr()); // no float is one
    if (!index) nb::raise_python_error();
    return nb::cast<int64_t>(nb::steal(index));
}

template <typename Read>
auto list_of(nb::handle values, Read &&read) {
    std::vector<decltype(read(values))> result;
    for (const nb::handle value : nb::iter(values))
        result.push_back(read(value));
    return result;
}

float float_of(nb::handle value) { return nb::cast<float>(nb::float_(value)); }

/// Throws what Python throws for a value of the wrong type.
impl::attribute_value value_of(impl::attribute_type type, nb::handle value) {
    switch (type) {
    case impl::attribute_type::f32:
        return float_of(value);
    case impl::attribute_type::f32_list:
        return list_of(value, float_of);
    case impl::attribute_type::s64:
        return integer_of(value);
    case impl::attribute_type::s64_list:
        // One axis needs no list.
        if (PyIndex_Check(value.ptr()) && !nb::hasattr(value, "__iter__")) return std::vector{integer_of(value)};
        return list_of(value, integer_of);
    case impl::attribute_type::boolean:
        return nb::cast<bool>(nb::bool_(value));
    default:
        return nb::cast<std::string>(value);
    }
}

impl::attribute_map attributes_of(const std::string &kind, const nb::kwargs &named) {
    impl::attribute_map attributes;
    for (const auto &[key, value] : named) {
        const std::string name = nb::cast<std::string>(key);
        const std::optional<impl::op_attr> attr = impl::op_attr_from_name(name);
        if (!attr)
            impl::fail(onefold_invalid_arguments, "op of kind {}: there is no attribute \"{}\"", impl::io::printable(kind),
                       impl::io::printable(name));
        const impl::attribute_type type = *impl::type_of(*attr);
        try {
            attributes.emplace(*attr, value_of(type, value));
        } catch (const std::exception &) { // Python's, of whatever went wrong
            impl::fail(onefold_invalid_arguments, "op of kind {}: attribute {} takes a value of type {}, not {}",
                       impl::io::printable(kind), name, impl::name_of(type),
                       impl::io::printable(nb::cast<std::string>(nb::repr(value))));
        }
    }
    return attributes;
}

std::optional<impl::dims> dims_of(nb::handle shape) {
    if (shape.is_none()) return std::nullopt;
    return list_of(shape, [](nb::handle dim) {
        if (dim.is_none()) return impl::unknown_dim;
        const int64_t size = integer_of(dim);
        if (size < 0) impl::fail(onefold_invalid_arguments, "shape: a dim of {}; one that is not known is None", size);
        return size;
    });
}

nb::object add_op(graph_object &g, const std::string &kind, const nb::args &inputs, nb::handle dtype, nb::handle dims,
                  size_t outputs, const std::string &name, const nb::kwargs &attributes) {
    op_request request;
    request.kind = kind;
    for (const nb::handle input : inputs) {
        const tensor_of_graph *tensor = nullptr;
        if (!nb::try_cast(input, tensor, false) || !tensor || tensor->graph != g.graph)
            impl::fail(onefold_invalid_arguments, "op of kind {}: input {} is no tensor of this graph",
                       impl::io::printable(kind), request.inputs.size());
        request.inputs.push_back(tensor->id);
    }
    request.attributes = attributes_of(kind, attributes);
    if (!dtype.is_none()) request.dst_type = data_type_of(dtype);
    request.dst_dims = dims_of(dims);
    if (outputs > 64) impl::fail(onefold_invalid_graph_op, "op of kind {}: {} outputs", impl::io::printable(kind), outputs);
    request.outputs = outputs;
    request.name = name;
    nb::list results;
    for (const size_t id : g.graph->add_op(std::move(request)))
        results.append(tensor_of_graph{g.graph, id});
    return outputs == 1 ? nb::object(results[0]) : nb::object(nb::tuple(results));
}

std::string describe(const tensor_of_graph &tensor) {
    return fmt::format("<onefold.Tensor {}: {}>", impl::io::printable(name_of(tensor.graph->source(), tensor.id)),
                       impl::to_string(tensor.get()));
}

void bind_tensor(nb::module_ &m) {
    nb::class_<tensor_of_graph>(m, "Tensor", "A tensor of a graph that is being built; Graph makes them.")
        .def_prop_ro(
            "name", [](const tensor_of_graph &t) { return to_str(name_of(t.graph->source(), t.id)); },
            "Its name, or its id where it has none.")
        .def_prop_ro(
            "dtype", [](const tensor_of_graph &t) { return std::string(impl::name_of(t.get().type)); },
            "Its element type, by the Graph API's name: \"f32\", \"bf16\", ...")
        .def_prop_ro(
            "shape", [](const tensor_of_graph &t) { return shape_of(t.get()); },
            nb::sig("def shape(self) -> tuple[int | None, ...] | None"),
            "Its dims, None where one is not known; None where not even the rank is.")
        .def("__repr__", describe);
}

constexpr const char *op_doc =
    "Adds an op and returns its output, a tensor, or a tuple of them where `outputs` is not 1.\n\n"
    "kind and attributes have the names of the Graph API: graph.op(\"ReduceMean\", x, axes=[-1], keep_dims=True).\n"
    "dtype: the output's element type, if it is not the first input's (TypeCast).\n"
    "dims: the output's shape, where the inputs do not tell it (a reduction whose axes are a tensor).";

} // namespace

void bind_graph(nb::module_ &m) {
    bind_tensor(m);
    nb::class_<graph_object>(m, "Graph", "A graph of ops as it is built: inputs, ops, outputs; then compile().")
        .def(nb::init<>())
        .def(
            "input",
            [](graph_object &g, const std::string &name, nb::handle dtype, nb::handle shape) {
                return tensor_of_graph{g.graph, g.graph->add_input(name, data_type_of(dtype), dims_of(shape))};
            },
            "name"_a = "", "dtype"_a = "f32", "shape"_a = nb::none(),
            nb::sig(
                "def input(self, name: str = '', dtype: object = 'f32', shape: collections.abc.Sequence[int | None] | None = "
                "None) -> Tensor"),
            "Adds an input. A dim that is None, or a shape that is, comes from the arrays.")
        .def(
            "constant",
            [](graph_object &g, nb::handle value, nb::handle dtype, const std::string &name) {
                const impl::data_type type = dtype.is_none() ? onefold_data_type_undef : data_type_of(dtype);
                return tensor_of_graph{g.graph, g.graph->add_constant(name, copy_of(name, value, type))};
            },
            "value"_a, "dtype"_a = nb::none(), "name"_a = "",
            nb::sig("def constant(self, value: object, dtype: object | None = None, name: str = '') -> Tensor"),
            "Adds a tensor with the elements of an array, a list or a number, which are copied.")
        .def("op", add_op, "kind"_a, "inputs"_a, "dtype"_a = nb::none(), "dims"_a = nb::none(), "outputs"_a = 1, "name"_a = "",
             "attributes"_a,
             nb::sig(
                 "def op(self, kind: str, *inputs: Tensor, dtype: object | None = None, dims: collections.abc.Sequence[int] | "
                 "None = None, outputs: int = 1, name: str = '', **attributes: object) -> typing.Any"),
             op_doc)
        .def(
            "output",
            [](graph_object &g, const tensor_of_graph &tensor, const std::string &name) {
                if (tensor.graph != g.graph)
                    impl::fail(onefold_invalid_arguments, "output \"{}\": is no tensor of this graph",
                               impl::io::printable(name));
                g.graph->add_output(tensor.id, name);
            },
            "tensor"_a, "name"_a = "", "Makes a tensor an output of the graph; results come in the order of these calls.")
        .def(
            "compile",
            [](const graph_object &g, const std::string &policy, unsigned threads) {
                const graph_source source = g.graph->source();
                if (source.file.output_ports->empty()) impl::fail(onefold_invalid_graph, "the graph has no output");
                const auto chosen = policy_of(policy);
                const nb::gil_scoped_release release;
                auto compiled = std::make_unique<compiled_graph>(source, std::filesystem::path(), chosen, threads);
                compiled->graph().check_supported();
                return compiled;
            },
            nb::kw_only(), "policy"_a = "fusion", "threads"_a = 0,
            "Compiles the graph as it is now.\n\n"
            "policy: \"fusion\", or \"debug\": one op a partition. threads: of its own; 0: as many as the process may use.");
}

} // namespace onefold::python
