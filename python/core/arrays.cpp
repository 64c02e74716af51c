#include "python/core/arrays.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string_view>

#include "graph/error.hpp"
#include "io/json.hpp"

namespace onefold::python {

namespace {

using impl::io::printable;

struct element_type {
    impl::data_type type;
    nb::dlpack::dtype_code code;
    uint8_t bits;
    std::string_view numpy;
};

/// The types that arrays have.
constexpr std::array element_types = {
    element_type{onefold_f16, nb::dlpack::dtype_code::Float, 16, "float16"},
    element_type{onefold_bf16, nb::dlpack::dtype_code::Bfloat, 16, "bfloat16"},
    element_type{onefold_f32, nb::dlpack::dtype_code::Float, 32, "float32"},
    element_type{onefold_f64, nb::dlpack::dtype_code::Float, 64, "float64"},
    element_type{onefold_s8, nb::dlpack::dtype_code::Int, 8, "int8"},
    element_type{onefold_s16, nb::dlpack::dtype_code::Int, 16, "int16"},
    element_type{onefold_s32, nb::dlpack::dtype_code::Int, 32, "int32"},
    element_type{onefold_s64, nb::dlpack::dtype_code::Int, 64, "int64"},
    element_type{onefold_u8, nb::dlpack::dtype_code::UInt, 8, "uint8"},
    element_type{onefold_u16, nb::dlpack::dtype_code::UInt, 16, "uint16"},
    element_type{onefold_u32, nb::dlpack::dtype_code::UInt, 32, "uint32"},
    element_type{onefold_u64, nb::dlpack::dtype_code::UInt, 64, "uint64"},
    element_type{onefold_boolean, nb::dlpack::dtype_code::Bool, 8, "bool"},
};

std::string text_of(nb::handle object) {
    try {
        return printable(nb::cast<std::string>(nb::str(object)));
    } catch (const std::exception &) {
        return "?";
    }
}

/// "ndarray of float32" as far as the object tells.
std::string description_of(nb::handle object) {
    std::string text = text_of(object.type().attr("__name__"));
    if (nb::hasattr(object, "dtype")) text += " of " + text_of(object.attr("dtype"));
    return text;
}

impl::data_type type_of(nb::dlpack::dtype dtype) {
    for (const element_type &row : element_types)
        if (static_cast<uint8_t>(row.code) == dtype.code && row.bits == dtype.bits && dtype.lanes == 1) return row.type;
    return onefold_data_type_undef;
}

const element_type *row_of(impl::data_type type) {
    const auto row = std::find_if(element_types.begin(), element_types.end(), [&](const auto &r) { return r.type == type; });
    return row == element_types.end() ? nullptr : &*row;
}

/// NumPy's arrays of ml_dtypes.bfloat16 have neither DLPack nor a buffer, but their words have.
nb::object words_of(nb::handle array) {
    if (!nb::hasattr(array, "dtype") || !nb::hasattr(array, "view")) return nb::borrow(array);
    return text_of(array.attr("dtype")) == "bfloat16" ? array.attr("view")("uint16") : nb::borrow(array);
}

/// What an object gives: nothing where it cannot be taken in place.
template <typename Array>
struct imported {
    Array array;
    bool is_taken;
    bool is_bf16; // the array's elements are bfloat16, though it says uint16
};

template <typename Array>
imported<Array> take_in_place(nb::handle object) {
    imported<Array> result{};
    result.is_taken = nb::try_cast(object, result.array, false);
    if (result.is_taken) return result;
    const nb::object words = words_of(object);
    result.is_bf16 = !words.is(object);
    result.is_taken = result.is_bf16 && nb::try_cast(words, result.array, false);
    return result;
}

template <typename Array>
array_view view_of(const imported<Array> &object) {
    const Array &array = object.array;
    array_view view{object.is_bf16 ? onefold_bf16 : type_of(array.dtype()),
                    {},
                    const_cast<void *>(static_cast<const void *>(array.data()))};
    bool is_empty = false;
    for (size_t d = 0; d < array.ndim(); ++d) {
        view.layout.dims.push_back(static_cast<int64_t>(array.shape(d)));
        view.layout.strides.push_back(array.stride(d));
        is_empty = is_empty || array.shape(d) == 0;
    }
    // Strides that lead nowhere are what a row-major array has: plans are kept by them.
    if (!is_empty && std::find(view.layout.dims.begin(), view.layout.dims.end(), 1) == view.layout.dims.end()) return view;
    const impl::dims row_major = impl::row_major_strides(view.layout.dims);
    for (size_t d = 0; d < array.ndim(); ++d)
        if (is_empty || view.layout.dims[d] == 1) view.layout.strides[d] = row_major[d];
    return view;
}

bool has_negative_stride(const array_view &view) {
    return std::any_of(view.layout.strides.begin(), view.layout.strides.end(), [](int64_t s) { return s < 0; });
}

void check_type(const char *what, const std::string &name, impl::data_type type, const array_view &view, nb::handle array) {
    if (type == onefold_data_type_undef || view.type == type) return;
    if (type == onefold_bf16 && view.type == onefold_u16) return;
    impl::fail(onefold_invalid_data_type, "{} \"{}\": is {} in the graph, but {} is given", what, printable(name),
               impl::name_of(type), description_of(array));
}

} // namespace

impl::data_type data_type_of(nb::handle dtype) {
    if (nb::isinstance<nb::str>(dtype)) {
        const std::string name = nb::cast<std::string>(dtype);
        if (const auto type = impl::data_type_from_name(name); type && *type != onefold_data_type_undef) return *type;
    }
    std::string name = "bfloat16";
    if (text_of(dtype) != name) {
        try {
            name = text_of(nb::module_::import_("numpy").attr("dtype")(dtype).attr("name"));
        } catch (nb::python_error &) {
            name.clear();
        }
    }
    for (const element_type &row : element_types)
        if (row.numpy == name) return row.type;
    impl::fail(onefold_invalid_data_type,
               "{}: is no element type; it takes those of the Graph API (\"f32\", \"bf16\", ...) and "
               "NumPy's dtypes for them",
               text_of(dtype));
}

nb::str to_str(const std::string &text) {
    PyObject *decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
    if (!decoded) nb::raise_python_error();
    return nb::steal<nb::str>(decoded);
}

nb::object shape_of(const impl::logical_tensor &tensor) {
    if (tensor.ndims == impl::unknown_ndims) return nb::none();
    nb::list dims;
    for (const int64_t dim : tensor.dims)
        dims.append(dim == impl::unknown_dim ? nb::object(nb::none()) : nb::object(nb::int_(dim)));
    return nb::tuple(dims);
}

array_view call_arrays::take_input(const std::string &name, impl::data_type type, nb::handle array) {
    auto object = take_in_place<nb::ndarray<nb::ro, nb::device::cpu>>(array);
    if (!object.is_taken)
        impl::fail(onefold_invalid_arguments,
                   "input \"{}\": a {} cannot be read in place; it takes arrays in CPU memory that have "
                   "DLPack or the buffer protocol",
                   printable(name), description_of(array));
    array_view view = view_of(object);
    if (has_negative_stride(view)) { // logical tensors have none
        const nb::object words = words_of(array);
        if (!nb::try_cast(nb::module_::import_("numpy").attr("ascontiguousarray")(words), object.array, false))
            impl::fail(onefold_invalid_arguments, "input \"{}\": has a negative stride", printable(name));
        view = view_of(object);
    }
    check_type("input", name, type, view, array);
    inputs_.push_back(std::move(object.array));
    return view;
}

array_view call_arrays::take_output(const std::string &name, impl::data_type type, nb::handle array) {
    auto object = take_in_place<nb::ndarray<nb::device::cpu>>(array);
    if (!object.is_taken)
        impl::fail(onefold_invalid_arguments,
                   "output \"{}\": a {} cannot be written in place; it takes writable arrays in CPU memory "
                   "that have DLPack or the buffer protocol",
                   printable(name), description_of(array));
    const array_view view = view_of(object);
    check_type("output", name, type, view, array);
    if (has_negative_stride(view))
        impl::fail(onefold_invalid_arguments, "output \"{}\": has a negative stride", printable(name));
    for (size_t d = 0; d < view.layout.dims.size(); ++d)
        if (view.layout.dims[d] > 1 && view.layout.strides[d] == 0)
            impl::fail(onefold_invalid_arguments, "output \"{}\": dim {} has the stride 0: its elements are one",
                       printable(name), d);
    outputs_.push_back(std::move(object.array));
    return view;
}

nb::object make_array(const impl::logical_tensor &tensor, void *&data) {
    const element_type *row = row_of(tensor.type == onefold_bf16 ? onefold_u16 : tensor.type);
    if (!row) impl::fail(onefold_unimplemented, "tensor {}: NumPy has no type for {}", tensor.id, impl::name_of(tensor.type));
    constexpr std::align_val_t alignment{64};
    const size_t size = impl::mem_size(tensor);
    if (size > static_cast<size_t>(PTRDIFF_MAX)) throw std::bad_alloc();
    data = ::operator new(std::max<size_t>(size, 1), alignment);
    const nb::capsule owner(data, [](void *memory) noexcept { ::operator delete(memory, alignment); });
    const std::vector<size_t> shape(tensor.dims.begin(), tensor.dims.end());
    const nb::dlpack::dtype dtype{static_cast<uint8_t>(row->code), row->bits, 1};
    return nb::cast(nb::ndarray<nb::numpy>(data, shape.size(), shape.data(), owner, tensor.strides.data(), dtype));
}

impl::io::onnx_array copy_of(const std::string &name, nb::handle array, impl::data_type type) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object words = words_of(array);
    if (type == onefold_data_type_undef && !words.is(array)) type = onefold_bf16;
    // A constant is copied anyway: lists and numbers do too, and are cast if need be.
    const element_type *row = type == onefold_bf16 ? nullptr : row_of(type);
    const nb::object dtype = row ? nb::object(nb::str(row->numpy.data())) : nb::none();
    const nb::object dense = numpy.attr("array")(row ? nb::borrow(array) : words, dtype, nb::arg("order") = "C");
    call_arrays arrays;
    const array_view view = arrays.take_input(name, type, dense);
    impl::io::onnx_array copy{type == onefold_data_type_undef ? view.type : type, view.layout.dims, {}};
    if (copy.type == onefold_data_type_undef)
        impl::fail(onefold_invalid_data_type, "constant \"{}\": {} has no element type of the Graph API", printable(name),
                   description_of(array));
    const auto size = static_cast<size_t>(impl::element_count(copy.dims) * impl::size_of(copy.type));
    copy.data.resize(size);
    if (size > 0) std::memcpy(copy.data.data(), view.data, size);
    return copy;
}

bool overlap(const array_view &a, const array_view &b) {
    const auto bytes = [](const array_view &v) {
        return static_cast<size_t>(impl::span_of(v.layout.dims, v.layout.strides) *
                                   std::max<int64_t>(impl::size_of(v.type), 1));
    };
    const auto *const a_begin = static_cast<const std::byte *>(a.data), *const b_begin = static_cast<const std::byte *>(b.data);
    return std::less<>()(a_begin, b_begin + bytes(b)) && std::less<>()(b_begin, a_begin + bytes(a));
}

} // namespace onefold::python
