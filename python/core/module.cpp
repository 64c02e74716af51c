// The extension module onefold._core: what the package onefold is made of. Errors become onefold.Error.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "graph/error.hpp"
#include "onefold/graph.hpp"
#include "python/core/bindings.hpp"

namespace nb = nanobind;

namespace {

void raise(const char *message, onefold_status status) {
    try {
        const nb::object type = nb::module_::import_("onefold._error").attr("Error");
        PyObject *text =
            PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::char_traits<char>::length(message)), "replace");
        if (!text) return; // Python's own error is set
        const nb::object instance = type(nb::steal(text), onefold_status_name(status));
        PyErr_SetObject(type.ptr(), instance.ptr());
    } catch (nb::python_error &e) {
        e.restore();
    }
}

void translate(const std::exception_ptr &exception, void *) {
    try {
        std::rethrow_exception(exception);
    } catch (const onefold::error &e) {
        raise(e.message, e.status);
    } catch (const onefold::impl::error &e) {
        raise(e.what(), e.code());
    }
}

} // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled part of the package onefold; its names are those of the package.";
    nb::register_exception_translator(translate);
    m.def(
        "version", [] { return std::string(onefold_version()); }, "The library's version.");
    onefold::python::bind_graph(m);
    onefold::python::bind_compiled_graph(m);
}
