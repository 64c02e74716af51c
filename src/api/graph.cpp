#include "api/graph_dump.hpp"
#include "api/guard.hpp"
#include "api/handles.hpp"
#include "partitions/partition_kinds.hpp"

using namespace onefold::impl;
using namespace onefold::impl::api;

namespace {

void check_fpmath_mode(onefold_fpmath_mode mode) {
    if (name_of(mode).empty())
        fail(onefold_invalid_arguments, "graph: there is no floating-point math mode {}", static_cast<int>(mode));
}

} // namespace

onefold_status onefold_graph_create(onefold_graph *graph, onefold_engine_kind kind, onefold_fpmath_mode mode) {
    return guard([&] {
        require(graph, "graph");
        check_fpmath_mode(mode);
        *graph = new onefold_graph_s(kind, mode);
    });
}

onefold_status onefold_graph_destroy(onefold_graph graph) {
    delete graph;
    return onefold_success;
}

onefold_status onefold_graph_set_fpmath_mode(onefold_graph graph, onefold_fpmath_mode mode, int apply_to_int) {
    return guard([&] {
        require(graph, "graph");
        check_fpmath_mode(mode);
        graph->value.fpmath = mode;
        graph->value.fpmath_applies_to_int = apply_to_int != 0;
    });
}

onefold_status onefold_graph_get_fpmath_mode(onefold_graph graph, onefold_fpmath_mode *mode, int *apply_to_int) {
    return guard([&] {
        require(graph, "graph");
        require(mode, "mode");
        require(apply_to_int, "apply_to_int");
        *mode = graph->value.fpmath;
        *apply_to_int = graph->value.fpmath_applies_to_int ? 1 : 0;
    });
}

onefold_status onefold_graph_add_op(onefold_graph graph, onefold_op op) {
    return guard([&] {
        require(graph, "graph");
        require(op, "op");
        graph->value.add_op(op->value);
    });
}

onefold_status onefold_graph_finalize(onefold_graph graph) {
    return guard([&] {
        require(graph, "graph");
        graph->value.finalize();
    });
}

onefold_status onefold_graph_is_finalized(onefold_graph graph, int *finalized) {
    return guard([&] {
        require(graph, "graph");
        require(finalized, "finalized");
        *finalized = graph->value.is_finalized() ? 1 : 0;
    });
}

onefold_status onefold_graph_get_partition_count(onefold_graph graph, onefold_partition_policy policy, size_t *count) {
    return guard([&] {
        require(graph, "graph");
        require(count, "count");
        if (policy != onefold_policy_fusion && policy != onefold_policy_debug)
            fail(onefold_invalid_arguments, "graph: there is no partition policy {}", static_cast<int>(policy));
        if (!graph->value.is_finalized()) fail(onefold_invalid_graph, "the graph is not finalized, it cannot be partitioned");
        dump(graph->value);
        graph->partitions = make_partitions(graph->value, partition_kinds(policy));
        *count = graph->partitions.size();
    });
}

onefold_status onefold_graph_get_partitions(onefold_graph graph, onefold_partition *partitions, size_t count) {
    return guard([&] {
        require(graph, "graph");
        require_array(partitions, count, "partitions");
        if (count != graph->partitions.size())
            fail(onefold_invalid_arguments, "graph: {} partitions asked for, {} were counted", count, graph->partitions.size());
        std::vector<std::unique_ptr<const onefold_partition_s>> made;
        made.reserve(count);
        for (const auto &partition : graph->partitions)
            made.push_back(std::make_unique<onefold_partition_s>(onefold_partition_s{partition}));
        for (size_t i = 0; i < count; ++i)
            partitions[i] = made[i].release();
    });
}
