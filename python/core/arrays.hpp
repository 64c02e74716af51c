#pragma once

#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "python/core/compiled_graph.hpp"

namespace onefold::python {

namespace nb = nanobind;

/// The element type that a Python object names: "f32" and the like, or anything that NumPy takes for a dtype. Throws
/// impl::error.
impl::data_type data_type_of(nb::handle dtype);

/// A name from outside as a Python string, whatever bytes it has.
nb::str to_str(const std::string &text);

/// A tuple with None for dims that are not known; None where the rank is not known.
nb::object shape_of(const impl::logical_tensor &tensor);

/// The arrays of one call, kept alive as long as this lives.
class call_arrays {
public:
    /// Takes an array as the graph's input of that name and type: any object with DLPack or the buffer protocol, in CPU memory,
    /// without a copy unless a stride is negative. Throws impl::error.
    array_view take_input(const std::string &name, impl::data_type type, nb::handle array);
    /// The same for an array that is to be written.
    array_view take_output(const std::string &name, impl::data_type type, nb::handle array);

private:
    std::vector<nb::ndarray<nb::ro, nb::device::cpu>> inputs_;
    std::vector<nb::ndarray<nb::device::cpu>> outputs_;
};

/// A new NumPy array laid out as the tensor says, its elements not set; `data` is its memory. bf16 elements are uint16.
nb::object make_array(const impl::logical_tensor &tensor, void *&data);

/// A row-major copy of the array's elements. The type undef: as the array has it. Throws impl::error.
impl::io::onnx_array copy_of(const std::string &name, nb::handle array, impl::data_type type);

/// Whether the memory of two arrays may overlap, by the first and last byte that each reaches.
bool overlap(const array_view &a, const array_view &b);

} // namespace onefold::python
