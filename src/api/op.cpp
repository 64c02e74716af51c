#include "api/guard.hpp"
#include "api/handles.hpp"

using namespace onefold::impl;
using namespace onefold::impl::api;

namespace {

void set_attribute(onefold_op op, onefold_op_attr attr, attribute_value value) {
    require(op, "op");
    const auto expected = type_of(attr);
    if (!expected)
        fail(onefold_invalid_arguments, "{}: there is no attribute {}", to_string(op->value), static_cast<int>(attr));
    if (*expected != type_of(value))
        fail(onefold_invalid_arguments, "{}: attribute {} takes {}, not {}", to_string(op->value), name_of(attr),
             name_of(*expected), name_of(type_of(value)));
    op->value.raw_attributes.insert_or_assign(attr, std::move(value));
}

template <typename T>
onefold_status set_list(onefold_op op, onefold_op_attr attr, const T *values, size_t count) {
    return guard([&] {
        require_array(values, count, "values");
        set_attribute(op, attr, count == 0 ? std::vector<T>() : std::vector<T>(values, values + count));
    });
}

} // namespace

onefold_status onefold_op_create(onefold_op *op, size_t id, onefold_op_kind kind, const char *name) {
    return guard([&] {
        require(op, "op");
        auto made = std::make_unique<onefold_op_s>();
        made->value.id = id;
        made->value.kind = schema_of(kind).kind; // throws where there is no such kind
        made->value.name = name ? name : "";
        *op = made.release();
    });
}

onefold_status onefold_op_destroy(onefold_op op) {
    delete op;
    return onefold_success;
}

onefold_status onefold_op_add_input(onefold_op op, onefold_logical_tensor tensor) {
    return guard([&] {
        require(op, "op");
        require(tensor, "tensor");
        op->value.inputs.push_back(tensor->value);
    });
}

onefold_status onefold_op_add_output(onefold_op op, onefold_logical_tensor tensor) {
    return guard([&] {
        require(op, "op");
        require(tensor, "tensor");
        op->value.outputs.push_back(tensor->value);
    });
}

onefold_status onefold_op_set_attr_f32(onefold_op op, onefold_op_attr attr, float value) {
    return guard([&] { set_attribute(op, attr, value); });
}

onefold_status onefold_op_set_attr_f32s(onefold_op op, onefold_op_attr attr, const float *values, size_t count) {
    return set_list(op, attr, values, count);
}

onefold_status onefold_op_set_attr_s64(onefold_op op, onefold_op_attr attr, int64_t value) {
    return guard([&] { set_attribute(op, attr, value); });
}

onefold_status onefold_op_set_attr_s64s(onefold_op op, onefold_op_attr attr, const int64_t *values, size_t count) {
    return set_list(op, attr, values, count);
}

onefold_status onefold_op_set_attr_bool(onefold_op op, onefold_op_attr attr, int value) {
    return guard([&] { set_attribute(op, attr, value != 0); });
}

onefold_status onefold_op_set_attr_string(onefold_op op, onefold_op_attr attr, const char *value) {
    return guard([&] {
        require(value, "value");
        set_attribute(op, attr, std::string(value));
    });
}
