/// The C ABI of onefold: a compiled operator backend for x86 CPUs in the style of the oneDNN Graph API.
///
/// Handles are opaque. Every function returns a status; onefold_last_error() gives a sentence on the last failure of the
/// calling thread. No function throws, aborts or prints. A function that fails leaves its output arguments untouched.
/// An argument that must not be NULL and is gives invalid_arguments; destroying NULL does nothing. Pointers that are returned
/// (names, dims) live as long as the handle they came from. Handles that a getter returns are new references, to be destroyed
/// by the caller. Objects of any kind may be used from many threads at once as long as none of them changes it; executing and
/// compiling change nothing.
///
/// C++ programs use graph.hpp, a header-only layer over this file.
#ifndef ONEFOLD_ONEFOLD_H
#define ONEFOLD_ONEFOLD_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ONEFOLD_API __attribute__((visibility("default")))
#else
#define ONEFOLD_API
#endif

// In C++ too an enumeration can hold any value, so that one which is none of its own arrives and can be refused.
#ifdef __cplusplus
#define ONEFOLD_ENUM_BASE : int
#else
#define ONEFOLD_ENUM_BASE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A rank that is not known yet (as oneDNN's DNNL_GRAPH_UNKNOWN_NDIMS).
#define ONEFOLD_UNKNOWN_NDIMS (-1)
/// A dim or stride that is not known yet (as oneDNN's DNNL_GRAPH_UNKNOWN_DIM).
#define ONEFOLD_UNKNOWN_DIM INT64_MIN

/// What a call came to. The values and meanings are those of dnnl_status_t.
typedef enum onefold_status ONEFOLD_ENUM_BASE {
    onefold_success = 0,
    onefold_out_of_memory = 1,
    onefold_invalid_arguments = 2,
    onefold_unimplemented = 3,
    onefold_last_impl_reached = 4,
    onefold_runtime_error = 5,
    onefold_not_required = 6,
    onefold_invalid_graph = 7,
    onefold_invalid_graph_op = 8,
    onefold_invalid_shape = 9,
    onefold_invalid_data_type = 10
} onefold_status;

/// Element types. Those from f64 on are an extension of the Graph specification.
typedef enum onefold_data_type ONEFOLD_ENUM_BASE {
    onefold_data_type_undef = 0,
    onefold_f16 = 1,
    onefold_bf16 = 2,
    onefold_f32 = 3,
    onefold_s32 = 4,
    onefold_s8 = 5,
    onefold_u8 = 6,
    onefold_f64 = 7,
    onefold_boolean = 8,
    onefold_f8_e5m2 = 9,
    onefold_f8_e4m3 = 10,
    onefold_s4 = 11,
    onefold_u4 = 12,
    onefold_s16 = 13,
    onefold_u16 = 14,
    onefold_u32 = 15,
    onefold_s64 = 16,
    onefold_u64 = 17
} onefold_data_type;

/// How a tensor lies in memory: undef (not said), any (the library may choose at compile), strided (by its strides),
/// opaque (by a layout id that only the library understands).
typedef enum onefold_layout_type ONEFOLD_ENUM_BASE {
    onefold_layout_undef = 0,
    onefold_layout_any = 1,
    onefold_layout_strided = 2,
    onefold_layout_opaque = 3
} onefold_layout_type;

/// Whether a tensor's values change between executions.
typedef enum onefold_property_type ONEFOLD_ENUM_BASE {
    onefold_property_undef = 0,
    onefold_property_variable = 1,
    onefold_property_constant = 2
} onefold_property_type;

/// Engine kinds. onefold has one engine: the CPU.
typedef enum onefold_engine_kind ONEFOLD_ENUM_BASE {
    onefold_any_engine = 0,
    onefold_cpu = 1,
    onefold_gpu = 2
} onefold_engine_kind;

/// How far f32 arithmetic may be relaxed. onefold computes strictly whatever the mode; it is kept for graph files.
typedef enum onefold_fpmath_mode ONEFOLD_ENUM_BASE {
    onefold_fpmath_strict = 0,
    onefold_fpmath_bf16 = 1,
    onefold_fpmath_f16 = 2,
    onefold_fpmath_any = 3,
    onefold_fpmath_tf32 = 4
} onefold_fpmath_mode;

/// fusion: partitions as large as pays; debug: one op a partition.
typedef enum onefold_partition_policy ONEFOLD_ENUM_BASE {
    onefold_policy_fusion = 1,
    onefold_policy_debug = 2
} onefold_partition_policy;

/// The op kinds of the Graph specification, and behind them those that are an extension. Kinds that onefold does not compile
/// come back as unsupported partitions.
///
/// Ops take f32, bf16, f16 and, as an extension, f64. Reductions, Add, Subtract, Multiply, Divide, Maximum, Minimum,
/// SquaredDifference, Max, Min, Sum, Abs, Clamp, Pow, ReLU, Square, Reorder and TypeCast take the integers from 8 to 64 bits
/// too, Neg those that have a sign, ReduceLogSum and ReduceLogSumExp those of 32 and 64 bits. boolean, whose bytes are true
/// unless they are 0, and 1 where onefold writes them: TypeCast, Reorder, ReduceMax (is any true?), ReduceMin (are all?). All
/// ports of an op have one type, but Multiply and Divide may mix f32, bf16 and f16, and TypeCast is between any two types. What
/// the specification leaves open:
/// - Of integers, sums, differences, products, squares, their sums, magnitudes (Abs, ReduceL1), Neg, and Pow whose exponent is
///   a whole number from 0 on are exact, modulo 2 to the power of the type's bits: the lowest value's magnitude is the lowest
///   value.
///   ReduceMean truncates the exact sum's quotient toward zero. ReduceL2 truncates the root of the exact sum of squares, modulo
///   as above. Divide truncates toward zero; the lowest value by -1 is the lowest, anything by 0 is any value. Pow with another
///   exponent is computed in f64 and cast back. ReduceLogSum and ReduceLogSumExp truncate the logarithm of the exact sum toward
///   zero; -inf is the type's lowest value, the logarithm of a negative sum 0. Clamp is to the whole numbers between the
///   bounds, a bound beyond the type's range is its end.
/// - ReduceLogSumExp is computed around the maximum, so that nothing overflows: of one element it is that element.
/// - TypeCast of floats to integers truncates toward zero; what is beyond the range becomes its end, a NaN 0. Integers wrap. To
///   a float is rounded once, to nearest even. To boolean: 1 unless 0.
/// - A NaN among floats makes a maximum or minimum NaN; +0 is larger than -0.
/// - A reduction's axes are its attribute axes or its second input of that name: an s32 tensor of rank 1 or, as an extension,
/// an
///   s64 one. A tensor is read at each execution; see onefold_partition_compile() and onefold_compiled_partition_execute().
/// - Reducing no elements gives 0, a product 1, a mean 0 of integers and NaN of floats, a maximum (minimum) -inf (+inf) of
///   floats and the type's lowest (highest) value of integers, ReduceLogSum and ReduceLogSumExp -inf.
typedef enum onefold_op_kind ONEFOLD_ENUM_BASE {
    onefold_op_abs,
    onefold_op_abs_backward,
    onefold_op_add,
    onefold_op_avg_pool,
    onefold_op_avg_pool_backward,
    onefold_op_batch_norm_forward_training,
    onefold_op_batch_norm_inference,
    onefold_op_batch_norm_backward,
    onefold_op_bias_add,
    onefold_op_bias_add_backward,
    onefold_op_clamp,
    onefold_op_clamp_backward,
    onefold_op_concat,
    onefold_op_convolution,
    onefold_op_convolution_backward_data,
    onefold_op_convolution_backward_weights,
    onefold_op_conv_transpose,
    onefold_op_conv_transpose_backward_data,
    onefold_op_conv_transpose_backward_weights,
    onefold_op_dequantize,
    onefold_op_divide,
    onefold_op_dynamic_dequantize,
    onefold_op_dynamic_quantize,
    onefold_op_elu,
    onefold_op_elu_backward,
    onefold_op_end,
    onefold_op_exp,
    onefold_op_gelu,
    onefold_op_gelu_backward,
    onefold_op_gen_index,
    onefold_op_greater_equal,
    onefold_op_group_norm,
    onefold_op_hard_sigmoid,
    onefold_op_hard_sigmoid_backward,
    onefold_op_hard_swish,
    onefold_op_hard_swish_backward,
    onefold_op_interpolate,
    onefold_op_interpolate_backward,
    onefold_op_layer_norm,
    onefold_op_layer_norm_backward,
    onefold_op_leaky_relu,
    onefold_op_log,
    onefold_op_log_softmax,
    onefold_op_log_softmax_backward,
    onefold_op_matmul,
    onefold_op_maximum,
    onefold_op_max_pool,
    onefold_op_max_pool_backward,
    onefold_op_minimum,
    onefold_op_mish,
    onefold_op_mish_backward,
    onefold_op_multiply,
    onefold_op_pow,
    onefold_op_prelu,
    onefold_op_prelu_backward,
    onefold_op_quantize,
    onefold_op_reciprocal,
    onefold_op_reduce_l1,
    onefold_op_reduce_l2,
    onefold_op_reduce_max,
    onefold_op_reduce_mean,
    onefold_op_reduce_min,
    onefold_op_reduce_prod,
    onefold_op_reduce_sum,
    onefold_op_relu,
    onefold_op_relu_backward,
    onefold_op_reorder,
    onefold_op_round,
    onefold_op_select,
    onefold_op_sigmoid,
    onefold_op_sigmoid_backward,
    onefold_op_softmax,
    onefold_op_softmax_backward,
    onefold_op_softplus,
    onefold_op_softplus_backward,
    onefold_op_sqrt,
    onefold_op_sqrt_backward,
    onefold_op_square,
    onefold_op_squared_difference,
    onefold_op_static_reshape,
    onefold_op_static_transpose,
    onefold_op_subtract,
    onefold_op_tanh,
    onefold_op_tanh_backward,
    onefold_op_type_cast,
    onefold_op_wildcard,
    // Extensions: element-wise over one input or more, which are broadcast to each other (as in ONNX), without attributes
    onefold_op_mean,
    onefold_op_max,
    onefold_op_min,
    onefold_op_sum,
    // Extensions: reductions like the others
    onefold_op_reduce_sum_square,
    onefold_op_reduce_log_sum,
    onefold_op_reduce_log_sum_exp,
    // Extension: element-wise over one input, without attributes
    onefold_op_neg,
    // Of newer versions of the specification
    onefold_op_rms_norm,
    onefold_op_kind_count
} onefold_op_kind;

/// The attributes of the Graph specification, and an extension. The high bits tell the value's type (see each group).
typedef enum onefold_op_attr ONEFOLD_ENUM_BASE {
    onefold_op_attr_undef = 0,
    // one f32
    onefold_op_attr_alpha = 0x1,
    onefold_op_attr_beta,
    onefold_op_attr_epsilon,
    onefold_op_attr_max,
    onefold_op_attr_min,
    onefold_op_attr_momentum,
    // a list of f32
    onefold_op_attr_scales = 0x20,
    // one s64
    onefold_op_attr_axis = 0x30,
    onefold_op_attr_begin_norm_axis,
    onefold_op_attr_groups,
    // a list of s64
    onefold_op_attr_axes = 0x40,
    onefold_op_attr_dilations,
    onefold_op_attr_dst_shape,
    onefold_op_attr_kernel,
    onefold_op_attr_order,
    onefold_op_attr_output_padding,
    onefold_op_attr_pads_begin,
    onefold_op_attr_pads_end,
    onefold_op_attr_shape,
    onefold_op_attr_sizes,
    onefold_op_attr_src_shape,
    onefold_op_attr_strides,
    onefold_op_attr_weights_shape,
    onefold_op_attr_zps,
    onefold_op_attr_group_shape,
    // one bool
    onefold_op_attr_exclude_pad = 0x60,
    onefold_op_attr_keep_dims,
    onefold_op_attr_keep_stats,
    onefold_op_attr_per_channel_broadcast,
    onefold_op_attr_special_zero,
    onefold_op_attr_transpose_a,
    onefold_op_attr_transpose_b,
    onefold_op_attr_use_affine,
    onefold_op_attr_use_dst,
    // extension: what a reduction does whose list or tensor of axes is empty. Not given: it is the identity, as in the Graph
    // specification. false: it reduces all axes. true: it reduces none, as in ONNX: dst has src's dims whatever keep_dims says,
    // and what the op does to each element still happens (ReduceL1 and ReduceL2: |x|, ReduceSumSquare: x * x). Where it is
    // given, neither the attribute nor the tensor axes need be: there are none, then.
    onefold_op_attr_noop_with_empty_axes = 0x70,
    // one string
    onefold_op_attr_auto_broadcast = 0x80,
    onefold_op_attr_auto_pad,
    onefold_op_attr_coordinate_transformation_mode,
    onefold_op_attr_data_format,
    onefold_op_attr_mode,
    onefold_op_attr_qtype,
    onefold_op_attr_rounding_type,
    onefold_op_attr_weights_format,
    /// Above every attribute; not one itself.
    onefold_op_attr_end = 0xff
} onefold_op_attr;

typedef struct onefold_allocator_s *onefold_allocator;
typedef struct onefold_engine_s *onefold_engine;
typedef struct onefold_stream_s *onefold_stream;
/// A description of a tensor: id, type, dims, layout, property. Immutable.
typedef const struct onefold_logical_tensor_s *onefold_logical_tensor;
typedef struct onefold_tensor_s *onefold_tensor;
typedef struct onefold_op_s *onefold_op;
typedef struct onefold_graph_s *onefold_graph;
typedef const struct onefold_partition_s *onefold_partition;
typedef const struct onefold_compiled_partition_s *onefold_compiled_partition;

/// An input and an output, by tensor id, that may share one buffer.
typedef struct onefold_inplace_pair {
    size_t input_id;
    size_t output_id;
} onefold_inplace_pair;

/// The last failure's sentence in this thread; "" if nothing failed yet. Valid until this thread's next failing call.
ONEFOLD_API const char *onefold_last_error(void);

/// The library's version, e.g. "0.1.0".
ONEFOLD_API const char *onefold_version(void);

// Allocators. `allocate` gets a size in bytes and an alignment (a power of two); NULL from it means out of memory. Both may
// be NULL together: the C library's allocation; one without the other is invalid_arguments. They are called from any thread
// that compiles, executes or destroys, possibly from several at once.
typedef void *(*onefold_allocate_function)(size_t size, size_t alignment);
typedef void (*onefold_deallocate_function)(void *pointer);
ONEFOLD_API onefold_status onefold_allocator_create(onefold_allocator *allocator, onefold_allocate_function allocate,
                                                    onefold_deallocate_function deallocate);
ONEFOLD_API onefold_status onefold_allocator_destroy(onefold_allocator allocator);

// Engines. The index must be 0, the kind CPU (or any), else invalid_arguments. A NULL allocator means the default one; it is
// copied, so it may be destroyed before the engine.
ONEFOLD_API onefold_status onefold_engine_create(onefold_engine *engine, onefold_engine_kind kind, size_t index,
                                                 onefold_allocator allocator);
/// Another reference to the same engine: `*clone == engine`. Streams and tensors hold references of their own.
ONEFOLD_API onefold_status onefold_engine_clone(onefold_engine *clone, onefold_engine engine);
ONEFOLD_API onefold_status onefold_engine_destroy(onefold_engine engine);
ONEFOLD_API onefold_status onefold_engine_get_kind(onefold_engine engine, onefold_engine_kind *kind);
/// How many engines of a kind there are: 1 for the CPU, 0 for others.
ONEFOLD_API size_t onefold_engine_get_count(onefold_engine_kind kind);

// Streams. threads = 0: execution uses the caller's TBB arena; otherwise an arena of its own with that many threads, but no
// more than TBB allows the process when the stream is made. Executions are synchronous, so onefold_stream_wait() returns at
// once.
ONEFOLD_API onefold_status onefold_stream_create(onefold_stream *stream, onefold_engine engine, unsigned threads);
// Extension: a host's own thread pool in place of TBB. onefold calls its `parallel_for` with a number of tasks (2 or more);
// it calls task(argument, i) once for each i in [0, tasks), in any order, on any threads, the calling one included, and returns
// when all have returned. A task never fails, never blocks and calls nothing of the host's.
typedef void (*onefold_task_function)(void *argument, size_t index);
typedef void (*onefold_parallel_for_function)(void *context, size_t tasks, onefold_task_function task, void *argument);
/// A stream whose executions share out their work by `parallel_for`, which is handed `context`; no thread of TBB's works for
/// it. Steps that oneDNN computes run on the thread that executes alone. `threads`, how many threads the pool has (the caller's
/// included, if it takes part), tells how small to cut the work: into no more than 4 tasks a thread; 0 is invalid_arguments,
/// and with 1 `parallel_for` is not called at all, nor is it for little work. The bits of results do not depend on it.
/// `parallel_for` is called from within execute(), on its thread, by as many threads at once as execute. It may throw, if it is
/// written in C++, when none of the tasks that it began is running any more: onefold_compiled_partition_execute() then returns
/// what an exception inside the library gives: out_of_memory for std::bad_alloc, else runtime_error with its what(). One that
/// returns without having run all tasks gives runtime_error. Outputs are undefined after both.
ONEFOLD_API onefold_status onefold_stream_create_with_parallel_for(onefold_stream *stream, onefold_engine engine,
                                                                   onefold_parallel_for_function parallel_for, void *context,
                                                                   unsigned threads);
ONEFOLD_API onefold_status onefold_stream_destroy(onefold_stream stream);
ONEFOLD_API onefold_status onefold_stream_get_engine(onefold_stream stream, onefold_engine *engine);
ONEFOLD_API onefold_status onefold_stream_wait(onefold_stream stream);

// Logical tensors.
/// Makes a logical tensor. ndims may be ONEFOLD_UNKNOWN_NDIMS (then dims and strides are NULL) and each dim or stride
/// ONEFOLD_UNKNOWN_DIM. strides may be NULL: row-major where the layout is strided and the dims are known, else unknown.
/// layout_id counts only for the opaque layout. invalid_arguments: an enumerator that does not exist, a negative dim or
/// stride, a rank below -1. invalid_shape: more than 2^63 - 1 elements or bits.
ONEFOLD_API onefold_status onefold_logical_tensor_create(onefold_logical_tensor *tensor, size_t id, onefold_data_type type,
                                                         int64_t ndims, const int64_t *dims, const int64_t *strides,
                                                         onefold_layout_type layout, size_t layout_id,
                                                         onefold_property_type property);
/// Another reference to the same logical tensor: `*clone == tensor`.
ONEFOLD_API onefold_status onefold_logical_tensor_clone(onefold_logical_tensor *clone, onefold_logical_tensor tensor);
ONEFOLD_API onefold_status onefold_logical_tensor_destroy(onefold_logical_tensor tensor);

/// Everything a logical tensor says. dims and strides point into the handle; NULL where the rank is unknown or 0, strides
/// also where the layout is not strided.
typedef struct onefold_logical_tensor_view {
    size_t id;
    onefold_data_type type;
    int64_t ndims;
    const int64_t *dims;
    const int64_t *strides;
    onefold_layout_type layout;
    size_t layout_id;
    onefold_property_type property;
} onefold_logical_tensor_view;
ONEFOLD_API onefold_status onefold_logical_tensor_get_view(onefold_logical_tensor tensor, onefold_logical_tensor_view *view);
/// The size in bytes of a strided tensor with known dims; SIZE_MAX where it cannot be told.
ONEFOLD_API onefold_status onefold_logical_tensor_get_mem_size(onefold_logical_tensor tensor, size_t *size);
/// 1 if all that both say is the same, id included.
ONEFOLD_API onefold_status onefold_logical_tensor_is_equal(onefold_logical_tensor a, onefold_logical_tensor b, int *equal);

// Tensors: a logical tensor and a buffer.
/// `data` is not copied and must outlive the tensor's use; NULL: a tensor without a buffer, to be set before it is executed
/// with (needless where the size is 0).
ONEFOLD_API onefold_status onefold_tensor_create(onefold_tensor *tensor, onefold_logical_tensor logical_tensor,
                                                 onefold_engine engine, void *data);
/// A tensor with a buffer of its own from the engine's allocator, not initialized, aligned to 64 bytes. invalid_arguments
/// where the logical tensor's size cannot be told.
ONEFOLD_API onefold_status onefold_tensor_create_allocated(onefold_tensor *tensor, onefold_logical_tensor logical_tensor,
                                                           onefold_engine engine);
ONEFOLD_API onefold_status onefold_tensor_destroy(onefold_tensor tensor);
ONEFOLD_API onefold_status onefold_tensor_get_data_handle(onefold_tensor tensor, void **data);
/// Frees the buffer that the tensor owns, unless `data` is just that.
ONEFOLD_API onefold_status onefold_tensor_set_data_handle(onefold_tensor tensor, void *data);
ONEFOLD_API onefold_status onefold_tensor_get_engine(onefold_tensor tensor, onefold_engine *engine);
ONEFOLD_API onefold_status onefold_tensor_get_logical_tensor(onefold_tensor tensor, onefold_logical_tensor *logical_tensor);

// Ops.
/// `name` shows in logs and graph dumps; it may be NULL. invalid_arguments: a kind that does not exist.
ONEFOLD_API onefold_status onefold_op_create(onefold_op *op, size_t id, onefold_op_kind kind, const char *name);
ONEFOLD_API onefold_status onefold_op_destroy(onefold_op op);
/// Ports in order. What fits the op's kind is checked when the op is added to a graph.
ONEFOLD_API onefold_status onefold_op_add_input(onefold_op op, onefold_logical_tensor tensor);
ONEFOLD_API onefold_status onefold_op_add_output(onefold_op op, onefold_logical_tensor tensor);
// Attributes: invalid_arguments where the attribute does not exist or its values have another type; setting one again replaces
// its value. A list may be empty (then NULL will do).
ONEFOLD_API onefold_status onefold_op_set_attr_f32(onefold_op op, onefold_op_attr attr, float value);
ONEFOLD_API onefold_status onefold_op_set_attr_f32s(onefold_op op, onefold_op_attr attr, const float *values, size_t count);
ONEFOLD_API onefold_status onefold_op_set_attr_s64(onefold_op op, onefold_op_attr attr, int64_t value);
ONEFOLD_API onefold_status onefold_op_set_attr_s64s(onefold_op op, onefold_op_attr attr, const int64_t *values, size_t count);
ONEFOLD_API onefold_status onefold_op_set_attr_bool(onefold_op op, onefold_op_attr attr, int value);
ONEFOLD_API onefold_status onefold_op_set_attr_string(onefold_op op, onefold_op_attr attr, const char *value);

// Graphs. The engine kind must be the CPU.
ONEFOLD_API onefold_status onefold_graph_create(onefold_graph *graph, onefold_engine_kind kind, onefold_fpmath_mode mode);
ONEFOLD_API onefold_status onefold_graph_destroy(onefold_graph graph);
ONEFOLD_API onefold_status onefold_graph_set_fpmath_mode(onefold_graph graph, onefold_fpmath_mode mode, int apply_to_int);
ONEFOLD_API onefold_status onefold_graph_get_fpmath_mode(onefold_graph graph, onefold_fpmath_mode *mode, int *apply_to_int);
/// Adds a copy of the op. invalid_graph_op: ports or attributes break the op's schema. invalid_graph: the graph is
/// finalized, or holds an op of that id.
ONEFOLD_API onefold_status onefold_graph_add_op(onefold_graph graph, onefold_op op);
/// Checks the graph as a whole: no cycle, no tensor produced twice, no id used for two different tensors. invalid_graph.
ONEFOLD_API onefold_status onefold_graph_finalize(onefold_graph graph);
ONEFOLD_API onefold_status onefold_graph_is_finalized(onefold_graph graph, int *finalized);
/// Cuts the finalized graph into partitions; every op is in exactly one, unsupported ones included, in an order in which
/// they can be executed. They belong to the graph until fetched. invalid_graph: not finalized.
ONEFOLD_API onefold_status onefold_graph_get_partition_count(onefold_graph graph, onefold_partition_policy policy,
                                                             size_t *count);
/// Fetches the partitions just counted; `count` must be that number, else invalid_arguments.
ONEFOLD_API onefold_status onefold_graph_get_partitions(onefold_graph graph, onefold_partition *partitions, size_t count);

// Partitions.
/// A partition of one op, outside any graph. The op is checked as onefold_graph_add_op() does.
ONEFOLD_API onefold_status onefold_partition_create_with_op(onefold_partition *partition, onefold_op op,
                                                            onefold_engine_kind kind);
ONEFOLD_API onefold_status onefold_partition_destroy(onefold_partition partition);
ONEFOLD_API onefold_status onefold_partition_get_id(onefold_partition partition, size_t *id);
ONEFOLD_API onefold_status onefold_partition_get_engine_kind(onefold_partition partition, onefold_engine_kind *kind);
ONEFOLD_API onefold_status onefold_partition_is_supported(onefold_partition partition, int *supported);
ONEFOLD_API onefold_status onefold_partition_get_op_count(onefold_partition partition, size_t *count);
/// The ids of the ops in execution order; `count` must be their number, else invalid_arguments.
ONEFOLD_API onefold_status onefold_partition_get_ops(onefold_partition partition, size_t *ids, size_t count);
ONEFOLD_API onefold_status onefold_partition_get_input_count(onefold_partition partition, size_t *count);
ONEFOLD_API onefold_status onefold_partition_get_output_count(onefold_partition partition, size_t *count);
/// The ports in order; invalid_arguments: an index that is too large.
ONEFOLD_API onefold_status onefold_partition_get_input(onefold_partition partition, size_t index,
                                                       onefold_logical_tensor *tensor);
ONEFOLD_API onefold_status onefold_partition_get_output(onefold_partition partition, size_t index,
                                                        onefold_logical_tensor *tensor);
/// Extension (as in oneDNN Graph before it became part of oneDNN): what the outputs become with inputs of known dims, without
/// compiling. Tensors are matched to ports by id, in any order. inferred[i], a new reference, is outputs[i] with its type, dims
/// and strides filled in, as onefold_partition_compile() would: what is known of an output already must be so. Inputs' layouts
/// may be left open: what they are is seen only in strides that an output leaves open. The dst of a reduction whose axes are a
/// tensor needs known dims. invalid_arguments: not supported, a port missing, an input's dims unknown, an axis out of range;
/// invalid_shape, invalid_data_type: an output that contradicts what the ops give, inputs that do not go together.
ONEFOLD_API onefold_status onefold_partition_infer_shape(onefold_partition partition, const onefold_logical_tensor *inputs,
                                                         size_t input_count, const onefold_logical_tensor *outputs,
                                                         size_t output_count, onefold_logical_tensor *inferred);
/// Compiles the partition for the given tensors, matched to its ports by id, in any order. Inputs need a known rank and a
/// layout: strided, or any, which is row-major where the dims are known. Outputs may leave dims, strides or layout open; query
/// them afterwards. Only the dst of a reduction whose axes are a tensor needs known dims, here or in the graph. If src, dst and
/// the number of axes leave one way to reduce, it is compiled at once; else each set of axes is compiled at its first execution
/// and kept.
/// Extension: dims and strides of inputs may be unknown, all or some. Executions bring them, and each set of them is compiled
/// at its first execution and kept; no output needs known dims here then. Of what is compiled at executions, 1024 are kept for
/// one compiled partition: those that were used last. Compiling again for the same tensors gives the same object, see
/// onefold_set_compiled_partition_cache_capacity(). invalid_arguments: not supported, a port missing, an axis out of range;
/// invalid_shape, invalid_data_type: an output that contradicts what the ops give; unimplemented: nothing computes it.
ONEFOLD_API onefold_status onefold_partition_compile(onefold_partition partition, onefold_compiled_partition *compiled,
                                                     const onefold_logical_tensor *inputs, size_t input_count,
                                                     const onefold_logical_tensor *outputs, size_t output_count,
                                                     onefold_engine engine);

// An engine keeps what was compiled for it, with all that it was compiled from: the partition's id, the logical tensors, the
// environment's settings. When the same is compiled again, it gives another reference to the same object.
/// How many compiled partitions each engine keeps, 1024 if never set; those that were asked for least recently go first. One
/// number for the process; an engine follows it when it compiles next. 0: none are kept. A compiled partition in use outlives
/// its engine's keeping it. invalid_arguments: a negative number.
ONEFOLD_API onefold_status onefold_set_compiled_partition_cache_capacity(int capacity);
ONEFOLD_API onefold_status onefold_get_compiled_partition_cache_capacity(int *capacity);

// Compiled partitions.
ONEFOLD_API onefold_status onefold_compiled_partition_destroy(onefold_compiled_partition compiled);
/// The port of that tensor id as compiled: dims and strides known, but for those that executions bring, and outputs that depend
/// on them. invalid_arguments: no such port.
ONEFOLD_API onefold_status onefold_compiled_partition_query_logical_tensor(onefold_compiled_partition compiled, size_t id,
                                                                           onefold_logical_tensor *tensor);
/// Pairs that may share a buffer, none where dims or sets of axes are compiled at execution; the array lives as long as the
/// compiled partition.
ONEFOLD_API onefold_status onefold_compiled_partition_get_inplace_ports(onefold_compiled_partition compiled, size_t *count,
                                                                        const onefold_inplace_pair **pairs);
/// The scratch memory that an execution needs, as a u8 vector (dims {0} if none), whatever its alignment; extension. Its id,
/// SIZE_MAX, belongs to no port. Where dims or sets of axes are compiled at execution, what they need is not known yet: it is
/// {0} then, and executions use the engine's.
ONEFOLD_API onefold_status onefold_compiled_partition_get_scratchpad_logical_tensor(onefold_compiled_partition compiled,
                                                                                    onefold_logical_tensor *tensor);
/// The steps chosen at compile(), separated by "; ", e.g. "onednn:reduction:jit:avx512_core"; extension. Lives as long as
/// the compiled partition.
ONEFOLD_API onefold_status onefold_compiled_partition_get_info(onefold_compiled_partition compiled, const char **info);
/// What the steps compute that are programs of several ops, one instruction a line, e.g. "%2 = ReduceMean %0 (a result)"; empty
/// where none is; extension. Lives as long as the compiled partition.
ONEFOLD_API onefold_status onefold_compiled_partition_get_program(onefold_compiled_partition compiled, const char **program);
/// Runs the compiled partition. Tensors are matched to ports by id, in any order. scratchpad may be NULL: the engine's.
/// Returns when the outputs are written. Many threads may execute the same compiled partition at once, on different outputs.
/// invalid_arguments: a port missing, a NULL buffer of a tensor that is not empty, a scratchpad that is too small; in a tensor
/// of axes: one out of range, or twice. invalid_shape: axes that do not lead from src's dims to dst's. Nothing is written then.
/// Where compile() did not know the inputs' dims, all tensors need known dims here, those of outputs as
/// onefold_partition_infer_shape() tells them, else invalid_shape; a tensor's layout may be any: then inputs are row-major, and
/// outputs as that function tells. Other failures of compile() come from here then, too.
ONEFOLD_API onefold_status onefold_compiled_partition_execute(onefold_compiled_partition compiled, onefold_stream stream,
                                                              const onefold_tensor *inputs, size_t input_count,
                                                              const onefold_tensor *outputs, size_t output_count,
                                                              onefold_tensor scratchpad);

// The names that JSON graph files use. NULL for an enumerator that does not exist.
ONEFOLD_API const char *onefold_op_kind_name(onefold_op_kind kind);
ONEFOLD_API const char *onefold_op_attr_name(onefold_op_attr attr);
ONEFOLD_API const char *onefold_data_type_name(onefold_data_type type);
ONEFOLD_API const char *onefold_status_name(onefold_status status);

#ifdef __cplusplus
}
#endif

#endif
