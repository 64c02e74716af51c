// Allocators, engines and streams.
#include "api/guard.hpp"
#include "api/handles.hpp"

using namespace onefold::impl;
using namespace onefold::impl::api;

onefold_status onefold_allocator_create(onefold_allocator *allocator, onefold_allocate_function allocate,
                                        onefold_deallocate_function deallocate) {
    return guard([&] {
        require(allocator, "allocator");
        if (!allocate != !deallocate)
            fail(onefold_invalid_arguments, "allocator: '{}' is NULL and '{}' is not; give both or neither",
                 allocate ? "deallocate" : "allocate", allocate ? "allocate" : "deallocate");
        *allocator = new onefold_allocator_s{{allocate, deallocate}};
    });
}

onefold_status onefold_allocator_destroy(onefold_allocator allocator) {
    delete allocator;
    return onefold_success;
}

onefold_status onefold_engine_create(onefold_engine *engine, onefold_engine_kind kind, size_t index,
                                     onefold_allocator allocator) {
    return guard([&] {
        require(engine, "engine");
        const auto memory = allocator ? allocator->value : onefold::impl::allocator{};
        *engine = new onefold_engine_s(std::make_shared<onefold::impl::engine>(kind, index, memory));
    });
}

onefold_status onefold_engine_clone(onefold_engine *clone, onefold_engine engine) {
    return guard([&] {
        require(clone, "clone");
        require(engine, "engine");
        *clone = retained(engine);
    });
}

onefold_status onefold_engine_destroy(onefold_engine engine) {
    drop(engine);
    return onefold_success;
}

onefold_status onefold_engine_get_kind(onefold_engine engine, onefold_engine_kind *kind) {
    return guard([&] {
        require(engine, "engine");
        require(kind, "kind");
        *kind = engine->value->kind();
    });
}

size_t onefold_engine_get_count(onefold_engine_kind kind) { return kind == onefold_cpu ? 1 : 0; }

onefold_status onefold_stream_create(onefold_stream *stream, onefold_engine engine, unsigned threads) {
    return guard([&] {
        require(stream, "stream");
        require(engine, "engine");
        *stream = new onefold_stream_s(engine, threads);
    });
}

onefold_status onefold_stream_create_with_parallel_for(onefold_stream *stream, onefold_engine engine,
                                                       onefold_parallel_for_function parallel_for, void *context,
                                                       unsigned threads) {
    return guard([&] {
        require(stream, "stream");
        require(engine, "engine");
        require(parallel_for, "parallel_for");
        *stream = new onefold_stream_s(engine, parallel_for, context, threads);
    });
}

onefold_status onefold_stream_destroy(onefold_stream stream) {
    delete stream;
    return onefold_success;
}

onefold_status onefold_stream_get_engine(onefold_stream stream, onefold_engine *engine) {
    return guard([&] {
        require(stream, "stream");
        require(engine, "engine");
        *engine = retained(stream->engine.get());
    });
}

onefold_status onefold_stream_wait(onefold_stream stream) {
    return guard([&] { require(stream, "stream"); });
}
