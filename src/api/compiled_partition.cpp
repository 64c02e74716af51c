#include <array>

#include "api/guard.hpp"
#include "api/handles.hpp"

using namespace onefold::impl;
using namespace onefold::impl::api;

namespace {

// oneDNN primitives want scratch memory that begins at a multiple of this.
constexpr size_t scratch_alignment = 64;

/// What execute() takes of an array of tensor handles; allocates nothing for up to 16 of them.
class bound_tensors {
public:
    bound_tensors(const onefold_tensor *tensors, size_t count, const char *name) : count_(count) {
        require_array(tensors, count, name);
        if (count > few_.size()) {
            many_.resize(count);
            data_ = many_.data();
        }
        for (size_t i = 0; i < count; ++i) {
            if (!tensors[i]) fail_for_null_element(name, i);
            data_[i] = {&tensors[i]->description->value, tensors[i]->data};
        }
    }
    bound_tensors(const bound_tensors &) = delete;
    bound_tensors &operator=(const bound_tensors &) = delete;

    std::span<const bound_tensor> all() const { return {data_, count_}; }

private:
    std::array<bound_tensor, 16> few_;
    std::vector<bound_tensor> many_;
    bound_tensor *data_ = few_.data();
    size_t count_;
};

struct scratch_memory {
    void *data = nullptr;
    size_t size = 0;
};

/// The bytes to ask of the user: enough to align inside them.
size_t scratchpad_size(const compiled_partition &compiled) {
    const size_t needed = compiled.scratch_bytes();
    return needed == 0 ? 0 : needed + scratch_alignment - 1;
}

/// The aligned part of the user's scratchpad.
scratch_memory user_scratch(const compiled_partition &compiled, onefold_tensor scratchpad) {
    if (!scratchpad || compiled.scratch_bytes() == 0) return {};
    if (!scratchpad->data) fail(onefold_invalid_arguments, "the scratchpad has no buffer");
    const size_t size = mem_size(scratchpad->description->value);
    const auto address = reinterpret_cast<uintptr_t>(scratchpad->data);
    const size_t skipped = (scratch_alignment - address % scratch_alignment) % scratch_alignment;
    if (size == SIZE_MAX || size < skipped || size - skipped < compiled.scratch_bytes())
        fail(onefold_invalid_arguments, "the scratchpad ({}) is too small, {} bytes are needed",
             to_string(scratchpad->description->value), scratchpad_size(compiled));
    return {static_cast<std::byte *>(scratchpad->data) + skipped, size - skipped};
}

} // namespace

onefold_status onefold_set_compiled_partition_cache_capacity(int capacity) {
    return guard([&] {
        if (capacity < 0)
            fail(onefold_invalid_arguments, "compiled partition cache: the capacity {} is negative; 0 switches it off",
                 capacity);
        compiled_partition_cache::set_capacity(capacity);
    });
}

onefold_status onefold_get_compiled_partition_cache_capacity(int *capacity) {
    return guard([&] {
        require(capacity, "capacity");
        *capacity = compiled_partition_cache::capacity();
    });
}

onefold_status onefold_compiled_partition_destroy(onefold_compiled_partition compiled) {
    delete compiled;
    return onefold_success;
}

onefold_status onefold_compiled_partition_query_logical_tensor(onefold_compiled_partition compiled, size_t id,
                                                               onefold_logical_tensor *tensor) {
    return guard([&] {
        require(compiled, "compiled");
        require(tensor, "tensor");
        *tensor = new onefold_logical_tensor_s(compiled->value->port(id));
    });
}

onefold_status onefold_compiled_partition_get_inplace_ports(onefold_compiled_partition compiled, size_t *count,
                                                            const onefold_inplace_pair **pairs) {
    return guard([&] {
        require(compiled, "compiled");
        require(count, "count");
        require(pairs, "pairs");
        *count = compiled->value->inplace_pairs().size();
        *pairs = compiled->value->inplace_pairs().data();
    });
}

onefold_status onefold_compiled_partition_get_scratchpad_logical_tensor(onefold_compiled_partition compiled,
                                                                        onefold_logical_tensor *tensor) {
    return guard([&] {
        require(compiled, "compiled");
        require(tensor, "tensor");
        const auto size = static_cast<int64_t>(scratchpad_size(*compiled->value));
        *tensor = new onefold_logical_tensor_s(make_dense(SIZE_MAX, onefold_u8, {size}));
    });
}

onefold_status onefold_compiled_partition_get_info(onefold_compiled_partition compiled, const char **info) {
    return guard([&] {
        require(compiled, "compiled");
        require(info, "info");
        *info = compiled->value->info().c_str();
    });
}

onefold_status onefold_compiled_partition_get_program(onefold_compiled_partition compiled, const char **program) {
    return guard([&] {
        require(compiled, "compiled");
        require(program, "program");
        *program = compiled->value->program_text().c_str();
    });
}

onefold_status onefold_compiled_partition_execute(onefold_compiled_partition compiled, onefold_stream stream,
                                                  const onefold_tensor *inputs, size_t input_count,
                                                  const onefold_tensor *outputs, size_t output_count,
                                                  onefold_tensor scratchpad) {
    return guard([&] {
        require(compiled, "compiled");
        require(stream, "stream");
        const bound_tensors srcs(inputs, input_count, "inputs");
        const bound_tensors dsts(outputs, output_count, "outputs");
        const scratch_memory scratch = user_scratch(*compiled->value, scratchpad);
        compiled->value->execute(stream->value, srcs.all(), dsts.all(), scratch.data, scratch.size);
    });
}
