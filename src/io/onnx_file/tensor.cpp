#include "io/onnx_file/tensor.hpp"

#include <cstring>
#include <span>

#include "graph/error.hpp"
#include "graph/logical_tensor.hpp"
#include "io/json.hpp"
#include "io/onnx_file/external_data.hpp"

namespace onefold::impl::io {

namespace {

bool is_held(data_type type) { return type != onefold_data_type_undef && bits_of(type) % 8 == 0; }

/// The bytes that the dims ask for; dims and product are checked.
size_t byte_count(const pb::TensorProto &tensor, data_type type, const std::string &place) {
    for (const int64_t dim : tensor.dims())
        if (dim < 0) fail(onefold_invalid_arguments, "{}: has a dim of {}", place, dim);
    size_t bytes = 0;
    try {
        const int64_t count = element_count({tensor.dims().begin(), tensor.dims().end()});
        if (!__builtin_mul_overflow(count, size_of(type), &bytes)) return bytes;
    } catch (const error &) { // the message below says it
    }
    fail(onefold_invalid_arguments, "{}: its dims ask for more than 2^63 bytes", place);
}

template <typename To, typename List>
void append(const List &list, std::vector<std::byte> &data, const std::string &place) {
    data.resize(static_cast<size_t>(list.size()) * sizeof(To));
    std::byte *out = data.data();
    for (const auto value : list) {
        const To element = static_cast<To>(value);
        if (static_cast<std::remove_cv_t<decltype(value)>>(element) != value && value == value)
            fail(onefold_invalid_arguments, "{}: the element {} is outside the range of its type", place, value);
        std::memcpy(out, &element, sizeof(To));
        out += sizeof(To);
    }
}

/// The typed form: which field holds a type is ONNX's rule.
void append_typed(const pb::TensorProto &tensor, data_type type, std::vector<std::byte> &data, const std::string &place) {
    switch (type) {
    case onefold_f32:
        return append<float>(tensor.float_data(), data, place);
    case onefold_f64:
        return append<double>(tensor.double_data(), data, place);
    case onefold_s64:
        return append<int64_t>(tensor.int64_data(), data, place);
    case onefold_u64:
        return append<uint64_t>(tensor.uint64_data(), data, place);
    case onefold_u32:
        return append<uint32_t>(tensor.uint64_data(), data, place);
    case onefold_s32:
        return append<int32_t>(tensor.int32_data(), data, place);
    case onefold_s16:
        return append<int16_t>(tensor.int32_data(), data, place);
    case onefold_s8:
        return append<int8_t>(tensor.int32_data(), data, place);
    case onefold_u16:
    case onefold_f16:
    case onefold_bf16:
        return append<uint16_t>(tensor.int32_data(), data, place);
    default:
        return append<uint8_t>(tensor.int32_data(), data, place);
    }
}

bool has_typed_data(const pb::TensorProto &t) {
    return t.float_data_size() + t.double_data_size() + t.int32_data_size() + t.int64_data_size() + t.uint64_data_size() +
               t.string_data_size() !=
           0;
}

} // namespace

std::optional<onnx_array> read_tensor(const pb::TensorProto &tensor, const std::filesystem::path &folder,
                                      const std::string &place) {
    onnx_array array{type_from_onnx(tensor.data_type()), {tensor.dims().begin(), tensor.dims().end()}, {}};
    if (!is_held(array.type)) return std::nullopt;
    if (tensor.has_segment()) fail(onefold_invalid_arguments, "{}: is stored in segments, which nothing reads", place);
    const size_t needed = byte_count(tensor, array.type, place);
    const bool is_external = tensor.data_location() == pb::TensorProto::EXTERNAL;
    if (is_external + tensor.has_raw_data() + has_typed_data(tensor) > 1)
        fail(onefold_invalid_arguments, "{}: has its elements in more than one place", place);
    if (is_external) {
        array.data = read_external_data(tensor, folder, needed, place);
    } else if (tensor.has_raw_data()) {
        const auto raw = std::as_bytes(std::span(tensor.raw_data()));
        if (raw.size() == needed)
            array.data.assign(raw.begin(), raw.end());
        else
            fail(onefold_invalid_arguments, "{}: its dims {} ask for {} bytes, its raw data has {}", place,
                 to_string(array.dims), needed, raw.size());
    } else {
        append_typed(tensor, array.type, array.data, place);
        const auto size = static_cast<size_t>(size_of(array.type));
        if (array.data.size() != needed)
            fail(onefold_invalid_arguments, "{}: its dims {} ask for {} elements of type {}, it has {}", place,
                 to_string(array.dims), needed / size, name_of(array.type), array.data.size() / size);
    }
    return array;
}

} // namespace onefold::impl::io
