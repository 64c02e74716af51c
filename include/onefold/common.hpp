/// What every C++ API of onefold shares: status, error, handles, engine, stream, fpmath_mode. A header-only layer over
/// onefold.h with the names and meanings of oneDNN's dnnl_common.hpp; what differs is said where it does.
///
/// Every function that can fail throws onefold::error, an empty handle included, unless its comment says otherwise.
#ifndef ONEFOLD_COMMON_HPP
#define ONEFOLD_COMMON_HPP

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "onefold/onefold.h"

namespace onefold {

/// What a call came to, as dnnl::status and dnnl::graph::status.
enum class status {
    success = onefold_success,
    out_of_memory = onefold_out_of_memory,
    invalid_arguments = onefold_invalid_arguments,
    unimplemented = onefold_unimplemented,
    last_impl_reached = onefold_last_impl_reached,
    runtime_error = onefold_runtime_error,
    not_required = onefold_not_required,
    invalid_graph = onefold_invalid_graph,
    invalid_graph_op = onefold_invalid_graph_op,
    invalid_shape = onefold_invalid_shape,
    invalid_data_type = onefold_invalid_data_type
};

/// What every failure throws, as dnnl::error. Unlike there, the message is the library's own sentence on what is wrong where,
/// and the error keeps its text alive.
struct error : public std::exception {
    onefold_status status;
    const char *message;

    error(onefold_status code, std::string text)
        : status(code), message(nullptr), text_(std::make_shared<const std::string>(std::move(text))) {
        message = text_->c_str();
    }
    // Copies share the text. No moves: a moved-from error's message would dangle.
    error(const error &) = default;
    error &operator=(const error &) = default;

    const char *what() const noexcept override { return message; }

    /// Throws unless the status is success. Without a message of the caller's, it is the library's for the last failure.
    static void wrap_c_api(onefold_status code, const char *text = nullptr) {
        if (code != onefold_success) throw error(code, text ? text : onefold_last_error());
    }

private:
    std::shared_ptr<const std::string> text_;
};

/// How a C handle is destroyed and what messages call it; specialized for each handle type.
template <typename T>
struct handle_traits;

/// A shared C handle, as dnnl::handle: copies refer to the same object, the last one destroys it.
template <typename T, typename traits = handle_traits<T>>
struct handle {
public:
    /// An empty handle.
    handle() = default;
    /// Takes over a C handle; a weak wrapper does not destroy it.
    explicit handle(T t, bool weak = false) { reset(t, weak); }

    /// Lets go of the object and takes over another; a weak wrapper does not destroy it.
    void reset(T t, bool weak = false) { data_.reset(t, weak ? &keep : &traits::destructor); }

    /// The C handle, still owned by this object. An empty one gives nullptr if allowed, else invalid_arguments.
    T get(bool allow_empty = false) const {
        if (!data_ && !allow_empty)
            throw error(onefold_invalid_arguments, std::string("the ") + traits::name + " is empty: it was never made");
        return data_.get();
    }
    explicit operator T() const { return data_.get(); }
    explicit operator bool() const { return data_ != nullptr; }

    /// Whether both refer to the same object; empty handles are equal.
    bool operator==(const handle &other) const { return data_ == other.data_; }
    bool operator!=(const handle &other) const { return data_ != other.data_; }

private:
    static onefold_status keep(T) { return onefold_success; }

    std::shared_ptr<std::remove_pointer_t<T>> data_;
};

template <>
struct handle_traits<onefold_engine> {
    static constexpr const char *name = "engine";
    static onefold_status destructor(onefold_engine e) { return onefold_engine_destroy(e); }
};

template <>
struct handle_traits<onefold_stream> {
    static constexpr const char *name = "stream";
    static onefold_status destructor(onefold_stream s) { return onefold_stream_destroy(s); }
};

/// What compiles and executes, as dnnl::engine: here, the CPU.
struct engine : public handle<onefold_engine> {
    /// As dnnl::engine::kind.
    enum class kind { any = onefold_any_engine, cpu = onefold_cpu, gpu = onefold_gpu };

    using handle::handle;
    /// An empty engine.
    engine() = default;

    /// The engine of a kind and index. invalid_arguments unless the kind is the CPU (or any) and the index is 0.
    engine(kind akind, size_t index) {
        onefold_engine e = nullptr;
        error::wrap_c_api(onefold_engine_create(&e, static_cast<onefold_engine_kind>(akind), index, nullptr));
        reset(e);
    }

    /// How many engines of a kind there are: 1 for the CPU, 0 for others. Does not throw.
    static size_t get_count(kind akind) { return onefold_engine_get_count(static_cast<onefold_engine_kind>(akind)); }

    kind get_kind() const {
        onefold_engine_kind akind = onefold_any_engine;
        error::wrap_c_api(onefold_engine_get_kind(get(), &akind));
        return static_cast<kind>(akind);
    }
};

inline onefold_engine_kind convert_to_c(engine::kind akind) { return static_cast<onefold_engine_kind>(akind); }

/// Where executions run, as dnnl::stream. Executions are synchronous whatever the flags: they return when the outputs are
/// written.
struct stream : public handle<onefold_stream> {
    /// As dnnl::stream::flags; accepted, and without effect.
    enum class flags : unsigned { in_order = 1, out_of_order = 2, default_flags = in_order };

    using handle::handle;
    /// An empty stream.
    stream() = default;

    /// Executions run in the TBB arena of the thread that calls execute().
    explicit stream(const engine &aengine, flags = flags::default_flags) : stream(aengine, 0U) {}

    /// Extension: executions run in an arena of their own with that many threads, the caller's included, but no more than TBB
    /// allows the process now; 0 as above.
    stream(const engine &aengine, unsigned threads) {
        onefold_stream s = nullptr;
        error::wrap_c_api(onefold_stream_create(&s, aengine.get(), threads));
        reset(s);
    }

    /// Extension: executions share out their work by a host's own parallel_for, to a pool of that many threads, instead of TBB;
    /// what it must do, and what happens where it throws, is told at onefold_stream_create_with_parallel_for(). `context` must
    /// outlive the stream. invalid_arguments: parallel_for is nullptr, threads 0.
    stream(const engine &aengine, onefold_parallel_for_function parallel_for, void *context, unsigned threads) {
        onefold_stream s = nullptr;
        error::wrap_c_api(onefold_stream_create_with_parallel_for(&s, aengine.get(), parallel_for, context, threads));
        reset(s);
    }

    /// The engine that the stream was made with, kept alive by what is returned.
    engine get_engine() const {
        onefold_engine e = nullptr;
        error::wrap_c_api(onefold_stream_get_engine(get(), &e));
        return engine(e);
    }

    /// Returns at once: no execution is ever pending.
    stream &wait() {
        error::wrap_c_api(onefold_stream_wait(get()));
        return *this;
    }
};

constexpr stream::flags operator|(stream::flags a, stream::flags b) {
    return static_cast<stream::flags>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr stream::flags operator&(stream::flags a, stream::flags b) {
    return static_cast<stream::flags>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr stream::flags operator^(stream::flags a, stream::flags b) {
    return static_cast<stream::flags>(static_cast<unsigned>(a) ^ static_cast<unsigned>(b));
}
constexpr stream::flags operator~(stream::flags a) { return static_cast<stream::flags>(~static_cast<unsigned>(a)); }
constexpr stream::flags &operator|=(stream::flags &a, stream::flags b) { return a = a | b; }
constexpr stream::flags &operator&=(stream::flags &a, stream::flags b) { return a = a & b; }
constexpr stream::flags &operator^=(stream::flags &a, stream::flags b) { return a = a ^ b; }

/// How far f32 arithmetic may be relaxed, as dnnl::fpmath_mode. onefold computes strictly whatever the mode.
enum class fpmath_mode {
    strict = onefold_fpmath_strict,
    bf16 = onefold_fpmath_bf16,
    f16 = onefold_fpmath_f16,
    tf32 = onefold_fpmath_tf32,
    any = onefold_fpmath_any
};

inline onefold_fpmath_mode convert_to_c(fpmath_mode mode) { return static_cast<onefold_fpmath_mode>(mode); }

} // namespace onefold

#endif
