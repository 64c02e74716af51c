#pragma once

#include <span>
#include <variant>

#include "graph/attributes.hpp"
#include "graph/logical_tensor.hpp"

namespace onefold::impl {

struct op;

/// Data types, one bit each.
using type_set = uint32_t;
constexpr type_set types(std::initializer_list<data_type> list) {
    type_set set = 0;
    for (const data_type type : list)
        set |= type_set{1} << type;
    return set;
}
constexpr bool contains(type_set set, data_type type) { return (set >> type & 1) != 0; }

/// Floats that are computed in f32, and may be mixed where an op allows it.
inline constexpr type_set small_floats = types({onefold_f32, onefold_bf16, onefold_f16});
inline constexpr type_set all_floats = small_floats | types({onefold_f64});
inline constexpr type_set signed_integers = types({onefold_s8, onefold_s16, onefold_s32, onefold_s64});
inline constexpr type_set unsigned_integers = types({onefold_u8, onefold_u16, onefold_u32, onefold_u64});
inline constexpr type_set all_integers = signed_integers | unsigned_integers;
inline constexpr type_set all_numbers = all_floats | all_integers;
/// What logarithms are taken of, and sums of exponentials, as in ONNX.
inline constexpr type_set wide_numbers = all_floats | types({onefold_s32, onefold_u32, onefold_s64, onefold_u64});
inline constexpr type_set numbers_and_boolean = all_numbers | types({onefold_boolean});

enum class port_need { required, optional, variadic };

/// An input or output of an op kind.
struct port_schema {
    std::string_view name;
    type_set allowed;
    char type_variable = 0; // ports of one op with the same letter have the same type; 0: free
    port_need need = port_need::required;
};

/// A default value, in a form that a constexpr table can hold.
using default_value = std::variant<std::monostate, float, int64_t, bool, std::string_view, std::span<const int64_t>>;

enum class attribute_need { required, optional };

/// An attribute of an op kind.
struct attribute_schema {
    op_attr name;
    attribute_need need = attribute_need::optional;
    default_value value_if_absent = {};
    std::span<const std::string_view> allowed_strings = {}; // empty: any
};

/// Which ops are handled alike.
enum class op_family {
    reduction,
    binary,
    nary, // one input or more, all of one type
    unary,
    conversion,    // TypeCast, Reorder
    normalization, // over some dims of one source; may give statistics beside dst
    structural,    // End, Wildcard: never executed
    foreign        // validated, not compiled
};

/// The dims of each output from the inputs' dims; throws invalid_shape or invalid_arguments. Shape rules never see unknown
/// dims.
using shape_rule = std::vector<dims> (*)(const op &, std::span<const logical_tensor> inputs);

/// One row describes an op kind: all that validation, inference, graph files and documents need to know.
struct op_schema {
    op_kind kind;
    std::string_view name;
    op_family family;
    std::span<const port_schema> inputs;
    std::span<const port_schema> outputs;
    std::span<const attribute_schema> attributes = {};
    shape_rule infer = nullptr;
    void (*check)(const op &) = nullptr; // what ports and attributes cannot say alone
};

// One table per op family; schema.cpp joins them.
std::span<const op_schema> reduction_schemas();
std::span<const op_schema> binary_schemas();
std::span<const op_schema> nary_schemas();
std::span<const op_schema> unary_schemas();
std::span<const op_schema> conversion_schemas();
std::span<const op_schema> normalization_schemas();
std::span<const op_schema> structural_schemas();
std::span<const op_schema> foreign_schemas();

/// The row of a kind; throws invalid_arguments for a kind that does not exist.
const op_schema &schema_of(op_kind kind);
/// nullptr where no kind has that name.
const op_schema *schema_by_name(std::string_view name);
/// True for the families that onefold compiles.
bool is_compiled(op_family family);

/// Checks arity, port types and attributes; throws invalid_graph_op with a sentence.
void validate(const op &o);

/// The family's struct, defaults filled in. The op must be valid.
op_attributes make_attributes(const op &o);

} // namespace onefold::impl
