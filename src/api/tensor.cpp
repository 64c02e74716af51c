// Logical tensors and tensors.
#include "api/guard.hpp"
#include "api/handles.hpp"

using namespace onefold::impl;
using namespace onefold::impl::api;

onefold_status onefold_logical_tensor_create(onefold_logical_tensor *tensor, size_t id, onefold_data_type type, int64_t ndims,
                                             const int64_t *dims, const int64_t *strides, onefold_layout_type layout,
                                             size_t layout_id, onefold_property_type property) {
    return guard([&] {
        require(tensor, "tensor");
        *tensor =
            new onefold_logical_tensor_s(make_logical_tensor(id, type, ndims, dims, strides, layout, layout_id, property));
    });
}

onefold_status onefold_logical_tensor_clone(onefold_logical_tensor *clone, onefold_logical_tensor tensor) {
    return guard([&] {
        require(clone, "clone");
        require(tensor, "tensor");
        *clone = retained(tensor);
    });
}

onefold_status onefold_logical_tensor_destroy(onefold_logical_tensor tensor) {
    drop(tensor);
    return onefold_success;
}

onefold_status onefold_logical_tensor_get_view(onefold_logical_tensor tensor, onefold_logical_tensor_view *view) {
    return guard([&] {
        require(tensor, "tensor");
        require(view, "view");
        const logical_tensor &lt = tensor->value;
        *view = {lt.id,
                 lt.type,
                 lt.ndims,
                 lt.dims.empty() ? nullptr : lt.dims.data(),
                 lt.strides.empty() ? nullptr : lt.strides.data(),
                 lt.layout,
                 lt.layout_id,
                 lt.property};
    });
}

onefold_status onefold_logical_tensor_get_mem_size(onefold_logical_tensor tensor, size_t *size) {
    return guard([&] {
        require(tensor, "tensor");
        require(size, "size");
        *size = mem_size(tensor->value);
    });
}

onefold_status onefold_logical_tensor_is_equal(onefold_logical_tensor a, onefold_logical_tensor b, int *equal) {
    return guard([&] {
        require(a, "a");
        require(b, "b");
        require(equal, "equal");
        *equal = a->value == b->value ? 1 : 0;
    });
}

onefold_status onefold_tensor_create(onefold_tensor *tensor, onefold_logical_tensor logical_tensor, onefold_engine engine,
                                     void *data) {
    return guard([&] {
        require(tensor, "tensor");
        require(logical_tensor, "logical_tensor");
        require(engine, "engine");
        *tensor = new onefold_tensor_s(logical_tensor, engine, data);
    });
}

onefold_status onefold_tensor_create_allocated(onefold_tensor *tensor, onefold_logical_tensor logical_tensor,
                                               onefold_engine engine) {
    return guard([&] {
        require(tensor, "tensor");
        require(logical_tensor, "logical_tensor");
        require(engine, "engine");
        const size_t size = mem_size(logical_tensor->value);
        if (size == SIZE_MAX)
            fail(onefold_invalid_arguments, "tensor {} ({}): no buffer can be allocated, its size cannot be told",
                 logical_tensor->value.id, to_string(logical_tensor->value));
        auto made = std::make_unique<onefold_tensor_s>(logical_tensor, engine, nullptr);
        made->own = std::make_unique<scratch_buffer>(engine->value->memory());
        made->data = made->own->at_least(size);
        *tensor = made.release();
    });
}

onefold_status onefold_tensor_destroy(onefold_tensor tensor) {
    delete tensor;
    return onefold_success;
}

onefold_status onefold_tensor_get_data_handle(onefold_tensor tensor, void **data) {
    return guard([&] {
        require(tensor, "tensor");
        require(data, "data");
        *data = tensor->data;
    });
}

onefold_status onefold_tensor_set_data_handle(onefold_tensor tensor, void *data) {
    return guard([&] {
        require(tensor, "tensor");
        if (data != tensor->data) tensor->own.reset();
        tensor->data = data;
    });
}

onefold_status onefold_tensor_get_engine(onefold_tensor tensor, onefold_engine *engine) {
    return guard([&] {
        require(tensor, "tensor");
        require(engine, "engine");
        *engine = retained(tensor->engine.get());
    });
}

onefold_status onefold_tensor_get_logical_tensor(onefold_tensor tensor, onefold_logical_tensor *logical_tensor) {
    return guard([&] {
        require(tensor, "tensor");
        require(logical_tensor, "logical_tensor");
        *logical_tensor = retained(tensor->description.get());
    });
}
