/// Allocators, logical tensors and tensors of the Graph API; graph.hpp includes it and says how it all fits together.
#ifndef ONEFOLD_GRAPH_TENSOR_HPP
#define ONEFOLD_GRAPH_TENSOR_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "onefold/common.hpp"

/// Special values of a tensor's buffer, as DNNL_MEMORY_NONE and DNNL_MEMORY_ALLOCATE: none yet; one of the library's.
#define ONEFOLD_MEMORY_NONE (nullptr)
#define ONEFOLD_MEMORY_ALLOCATE (reinterpret_cast<void *>(static_cast<std::size_t>(-1)))

namespace onefold {

template <>
struct handle_traits<onefold_allocator> {
    static constexpr const char *name = "allocator";
    static onefold_status destructor(onefold_allocator a) { return onefold_allocator_destroy(a); }
};

template <>
struct handle_traits<onefold_logical_tensor> {
    static constexpr const char *name = "logical tensor";
    static onefold_status destructor(onefold_logical_tensor t) { return onefold_logical_tensor_destroy(t); }
};

template <>
struct handle_traits<onefold_tensor> {
    static constexpr const char *name = "tensor";
    static onefold_status destructor(onefold_tensor t) { return onefold_tensor_destroy(t); }
};

namespace graph {

using engine = onefold::engine;
using stream = onefold::stream;
using fpmath_mode = onefold::fpmath_mode;
using status = onefold::status;

/// Where an engine's memory comes from, as dnnl::graph::allocator.
class allocator : public handle<onefold_allocator> {
public:
    using handle::handle;

    /// The C library's allocation.
    allocator() : allocator(nullptr, nullptr) {}

    /// `host_malloc` gets a size in bytes and an alignment (a power of two); nullptr from it means out of memory. Both are
    /// called from any thread that compiles, executes or destroys, possibly from several at once. invalid_arguments: one of
    /// them is nullptr and the other is not.
    allocator(onefold_allocate_function host_malloc, onefold_deallocate_function host_free) {
        onefold_allocator a = nullptr;
        error::wrap_c_api(onefold_allocator_create(&a, host_malloc, host_free));
        reset(a);
    }
};

/// An engine that takes its memory from the allocator, as dnnl::graph::make_engine_with_allocator. The allocator object itself
/// may go before the engine. Throws as the engine's constructor.
inline engine make_engine_with_allocator(engine::kind kind, size_t index, const allocator &alloc) {
    onefold_engine e = nullptr;
    error::wrap_c_api(onefold_engine_create(&e, convert_to_c(kind), index, alloc.get()));
    return engine(e);
}

/// A tensor's description, as dnnl::graph::logical_tensor: id, element type, dims, layout, property. Immutable. Equal ids
/// connect ops; what is not known when a graph is built is given, under the same id, at compile().
class logical_tensor : public handle<onefold_logical_tensor> {
public:
    using dim = int64_t;
    using dims = std::vector<dim>;

    /// Element types.
    enum class data_type {
        undef = onefold_data_type_undef,
        f16 = onefold_f16,
        bf16 = onefold_bf16,
        f32 = onefold_f32,
        s32 = onefold_s32,
        s8 = onefold_s8,
        u8 = onefold_u8,
        boolean = onefold_boolean,
        f8_e5m2 = onefold_f8_e5m2,
        f8_e4m3 = onefold_f8_e4m3,
        s4 = onefold_s4,
        u4 = onefold_u4,
        // extension: not in the Graph specification
        f64 = onefold_f64,
        s16 = onefold_s16,
        u16 = onefold_u16,
        u32 = onefold_u32,
        s64 = onefold_s64,
        u64 = onefold_u64
    };

    /// How a tensor lies in memory: not said, the library's choice at compile(), by strides, by an id of the library's.
    enum class layout_type {
        undef = onefold_layout_undef,
        any = onefold_layout_any,
        strided = onefold_layout_strided,
        opaque = onefold_layout_opaque
    };

    /// Whether the values change between executions.
    enum class property_type {
        undef = onefold_property_undef,
        variable = onefold_property_variable,
        constant = onefold_property_constant
    };

    using handle::handle;
    /// An empty logical tensor.
    logical_tensor() = default;

    // The constructors throw invalid_arguments for a negative dim or stride (other than ONEFOLD_UNKNOWN_DIM) and for a rank
    // below -1, invalid_shape for more than 2^63 - 1 elements or bits.

    /// A rank with unknown dims; ONEFOLD_UNKNOWN_NDIMS: an unknown rank; 0: a scalar.
    logical_tensor(size_t tid, data_type dtype, int32_t ndims, layout_type ltype, property_type ptype = property_type::undef) {
        const dims unknown(ndims > 0 ? static_cast<size_t>(ndims) : 0, ONEFOLD_UNKNOWN_DIM);
        create(tid, dtype, ndims, unknown.data(), nullptr, ltype, 0, ptype);
    }

    /// An unknown rank.
    logical_tensor(size_t tid, data_type dtype, layout_type ltype = layout_type::undef)
        : logical_tensor(tid, dtype, ONEFOLD_UNKNOWN_NDIMS, ltype) {}

    /// Known dims, or ONEFOLD_UNKNOWN_DIM for some; none: a scalar. A strided one is row-major.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, layout_type ltype,
                   property_type ptype = property_type::undef) {
        create(tid, dtype, static_cast<int64_t>(adims.size()), adims.data(), nullptr, ltype, 0, ptype);
    }

    /// Dims and strides, both in elements; a stride may be ONEFOLD_UNKNOWN_DIM. invalid_arguments: not as many strides as dims.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, const dims &strides,
                   property_type ptype = property_type::undef) {
        if (adims.size() != strides.size())
            throw error(onefold_invalid_arguments, "logical tensor " + std::to_string(tid) + ": " +
                                                       std::to_string(adims.size()) + " dims, but " +
                                                       std::to_string(strides.size()) + " strides");
        create(tid, dtype, static_cast<int64_t>(adims.size()), adims.data(), strides.data(), layout_type::strided, 0, ptype);
    }

    /// An opaque layout by its id.
    logical_tensor(size_t tid, data_type dtype, const dims &adims, size_t lid, property_type ptype = property_type::undef) {
        create(tid, dtype, static_cast<int64_t>(adims.size()), adims.data(), nullptr, layout_type::opaque, lid, ptype);
    }

    size_t get_id() const { return view().id; }
    data_type get_data_type() const { return static_cast<data_type>(view().type); }
    layout_type get_layout_type() const { return static_cast<layout_type>(view().layout); }
    property_type get_property_type() const { return static_cast<property_type>(view().property); }

    /// invalid_arguments: the rank is unknown.
    dims get_dims() const {
        const auto v = view();
        if (v.ndims < 0) refuse(v, "its rank is unknown, it has no dims");
        return v.ndims == 0 ? dims() : dims(v.dims, v.dims + v.ndims);
    }

    /// In elements. invalid_arguments: the layout is not strided or the rank is unknown.
    dims get_strides() const {
        const auto v = view();
        if (v.layout != onefold_layout_strided) refuse(v, "its layout is not strided, it has no strides");
        if (v.ndims < 0) refuse(v, "its rank is unknown, it has no strides");
        return v.ndims == 0 ? dims() : dims(v.strides, v.strides + v.ndims);
    }

    /// invalid_arguments: the layout is not opaque.
    size_t get_layout_id() const {
        const auto v = view();
        if (v.layout != onefold_layout_opaque) refuse(v, "its layout is not opaque, it has no layout id");
        return v.layout_id;
    }

    /// The size in bytes of a strided tensor with known dims; SIZE_MAX where it cannot be told.
    size_t get_mem_size() const {
        size_t size = 0;
        error::wrap_c_api(onefold_logical_tensor_get_mem_size(get(), &size));
        return size;
    }

    /// Whether both say the same, id included.
    bool is_equal(const logical_tensor &lt) const {
        int equal = 0;
        error::wrap_c_api(onefold_logical_tensor_is_equal(get(), lt.get(), &equal));
        return equal != 0;
    }

    // Whether they should compare by what they say or by identity is not obvious: is_equal() tells.
    bool operator==(const logical_tensor &) const = delete;
    bool operator!=(const logical_tensor &) const = delete;

private:
    void create(size_t tid, data_type dtype, int64_t ndims, const dim *adims, const dim *strides, layout_type ltype, size_t lid,
                property_type ptype) {
        onefold_logical_tensor t = nullptr;
        error::wrap_c_api(onefold_logical_tensor_create(&t, tid, static_cast<onefold_data_type>(dtype), ndims, adims, strides,
                                                        static_cast<onefold_layout_type>(ltype), lid,
                                                        static_cast<onefold_property_type>(ptype)));
        reset(t);
    }

    onefold_logical_tensor_view view() const {
        onefold_logical_tensor_view v{};
        error::wrap_c_api(onefold_logical_tensor_get_view(get(), &v));
        return v;
    }

    [[noreturn]] static void refuse(const onefold_logical_tensor_view &v, const char *why) {
        throw error(onefold_invalid_arguments, "logical tensor " + std::to_string(v.id) + ": " + why);
    }
};

/// A logical tensor and a buffer, as dnnl::graph::tensor.
class tensor : public handle<onefold_tensor> {
public:
    using handle::handle;
    /// An empty tensor.
    tensor() = default;

    /// `data` is the user's and must outlive the executions; ONEFOLD_MEMORY_NONE: to be set later; ONEFOLD_MEMORY_ALLOCATE:
    /// a buffer of the tensor's own.
    tensor(const logical_tensor &lt, const engine &aengine, void *data) {
        onefold_tensor t = nullptr;
        error::wrap_c_api(data == ONEFOLD_MEMORY_ALLOCATE ? onefold_tensor_create_allocated(&t, lt.get(), aengine.get())
                                                          : onefold_tensor_create(&t, lt.get(), aengine.get(), data));
        reset(t);
    }

    /// A buffer of the tensor's own, from the engine's allocator, not initialized. invalid_arguments: the logical tensor's size
    /// cannot be told; out_of_memory.
    tensor(const logical_tensor &lt, const engine &aengine) : tensor(lt, aengine, ONEFOLD_MEMORY_ALLOCATE) {}

    void *get_data_handle() const {
        void *data = nullptr;
        error::wrap_c_api(onefold_tensor_get_data_handle(get(), &data));
        return data;
    }

    /// Another buffer, the user's; one that the tensor owns is freed.
    void set_data_handle(void *data) { error::wrap_c_api(onefold_tensor_set_data_handle(get(), data)); }

    engine get_engine() const {
        onefold_engine e = nullptr;
        error::wrap_c_api(onefold_tensor_get_engine(get(), &e));
        return engine(e);
    }

    logical_tensor get_logical_tensor() const {
        onefold_logical_tensor t = nullptr;
        error::wrap_c_api(onefold_tensor_get_logical_tensor(get(), &t));
        return logical_tensor(t);
    }
};

} // namespace graph
} // namespace onefold

#endif
