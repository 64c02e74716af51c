#pragma once

#include <nanobind/nanobind.h>

namespace onefold::python {

// Each adds its classes to the module.
void bind_graph(nanobind::module_ &m);
void bind_compiled_graph(nanobind::module_ &m);

} // namespace onefold::python
