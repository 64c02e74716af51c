#include "api/graph_dump.hpp"
#include "api/guard.hpp"
#include "api/handles.hpp"
#include "compile/compile_cached.hpp"
#include "compile/infer_shape.hpp"
#include "partitions/partition_kinds.hpp"

using namespace onefold::impl;
using namespace onefold::impl::api;

namespace {

std::vector<logical_tensor> copy_of(const onefold_logical_tensor *tensors, size_t count, const char *name) {
    require_array(tensors, count, name);
    std::vector<logical_tensor> copies;
    copies.reserve(count);
    for (size_t i = 0; i < count; ++i) {
        if (!tensors[i]) fail_for_null_element(name, i);
        copies.push_back(tensors[i]->value);
    }
    return copies;
}

onefold_logical_tensor port(const std::vector<logical_tensor> &ports, size_t index, const char *what) {
    if (index >= ports.size())
        fail(onefold_invalid_arguments, "partition: there is no {} {}, it has {}", what, index, ports.size());
    return new onefold_logical_tensor_s(ports[index]);
}

void check_supported(const partition &p, std::string_view consequence) {
    if (p.is_supported()) return;
    std::string ops;
    for (const op &o : p.ops)
        ops += (ops.empty() ? "" : ", ") + to_string(o);
    fail(onefold_invalid_arguments, "partition {} of {} is not supported, {}", p.id, ops, consequence);
}

} // namespace

onefold_status onefold_partition_create_with_op(onefold_partition *partition, onefold_op op, onefold_engine_kind kind) {
    return guard([&] {
        require(partition, "partition");
        require(op, "op");
        graph g(kind);
        g.add_op(op->value);
        g.finalize();
        *partition = new onefold_partition_s{make_partitions(g, partition_kinds(onefold_policy_debug)).at(0)};
    });
}

onefold_status onefold_partition_destroy(onefold_partition partition) {
    delete partition;
    return onefold_success;
}

onefold_status onefold_partition_get_id(onefold_partition partition, size_t *id) {
    return guard([&] {
        require(partition, "partition");
        require(id, "id");
        *id = partition->value->id;
    });
}

onefold_status onefold_partition_get_engine_kind(onefold_partition partition, onefold_engine_kind *kind) {
    return guard([&] {
        require(partition, "partition");
        require(kind, "kind");
        *kind = partition->value->kind;
    });
}

onefold_status onefold_partition_is_supported(onefold_partition partition, int *supported) {
    return guard([&] {
        require(partition, "partition");
        require(supported, "supported");
        *supported = partition->value->is_supported() ? 1 : 0;
    });
}

onefold_status onefold_partition_get_op_count(onefold_partition partition, size_t *count) {
    return guard([&] {
        require(partition, "partition");
        require(count, "count");
        *count = partition->value->ops.size();
    });
}

onefold_status onefold_partition_get_ops(onefold_partition partition, size_t *ids, size_t count) {
    return guard([&] {
        require(partition, "partition");
        require_array(ids, count, "ids");
        const auto &ops = partition->value->ops;
        if (count != ops.size())
            fail(onefold_invalid_arguments, "partition: {} op ids asked for, it has {}", count, ops.size());
        for (size_t i = 0; i < count; ++i)
            ids[i] = ops[i].id;
    });
}

onefold_status onefold_partition_get_input_count(onefold_partition partition, size_t *count) {
    return guard([&] {
        require(partition, "partition");
        require(count, "count");
        *count = partition->value->inputs.size();
    });
}

onefold_status onefold_partition_get_output_count(onefold_partition partition, size_t *count) {
    return guard([&] {
        require(partition, "partition");
        require(count, "count");
        *count = partition->value->outputs.size();
    });
}

onefold_status onefold_partition_get_input(onefold_partition partition, size_t index, onefold_logical_tensor *tensor) {
    return guard([&] {
        require(partition, "partition");
        require(tensor, "tensor");
        *tensor = port(partition->value->inputs, index, "input");
    });
}

onefold_status onefold_partition_get_output(onefold_partition partition, size_t index, onefold_logical_tensor *tensor) {
    return guard([&] {
        require(partition, "partition");
        require(tensor, "tensor");
        *tensor = port(partition->value->outputs, index, "output");
    });
}

onefold_status onefold_partition_infer_shape(onefold_partition partition, const onefold_logical_tensor *inputs,
                                             size_t input_count, const onefold_logical_tensor *outputs, size_t output_count,
                                             onefold_logical_tensor *inferred) {
    return guard([&] {
        require(partition, "partition");
        const auto srcs = copy_of(inputs, input_count, "inputs");
        const auto dsts = copy_of(outputs, output_count, "outputs");
        require_array(inferred, output_count, "inferred");
        check_supported(*partition->value, "its shapes cannot be inferred");
        std::vector<std::unique_ptr<onefold_logical_tensor_s>> made;
        for (logical_tensor &dst : infer_shape(*partition->value, srcs, dsts))
            made.push_back(std::make_unique<onefold_logical_tensor_s>(std::move(dst)));
        for (size_t i = 0; i < made.size(); ++i)
            inferred[i] = made[i].release();
    });
}

onefold_status onefold_partition_compile(onefold_partition partition, onefold_compiled_partition *compiled,
                                         const onefold_logical_tensor *inputs, size_t input_count,
                                         const onefold_logical_tensor *outputs, size_t output_count, onefold_engine engine) {
    return guard([&] {
        require(partition, "partition");
        require(compiled, "compiled");
        require(engine, "engine");
        const auto srcs = copy_of(inputs, input_count, "inputs");
        const auto dsts = copy_of(outputs, output_count, "outputs");
        check_supported(*partition->value, "it cannot be compiled");
        dump(*partition->value, srcs, dsts);
        auto made = compile_cached(*partition->value, srcs, dsts, *engine->value);
        *compiled = new onefold_compiled_partition_s{engine->value, std::move(made)};
    });
}
