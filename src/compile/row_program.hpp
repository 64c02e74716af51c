#pragma once

#include <array>
#include <string>
#include <vector>

#include "compile/computation.hpp"

namespace onefold::impl {

/// What an instruction of a row program does. Its arguments are values of instructions before it.
enum class row_opcode {
    load,              // an element of an input; of one that is no float, what a cast to `type` makes of it
    constant,          // alpha
    unary,             // op(a)
    reciprocal_sqrt,   // 1 / sqrt(a), infinite at both zeros and 0 at -inf: pow(a, -0.5)
    root,              // pow(a, 0.5): the square root, but 0 at -0 and inf at -inf
    round,             // a as a number of `type`
    binary,            // op(a, b)
    quotient,          // a / b, where c is 1 / b: a * c where 1 / b loses nothing
    subtract_multiply, // (a - b) * c
    subtract_quotient, // (a - b) / c, where d is 1 / c: likewise
    multiply_add,      // a * b + c
    reduce,            // op over the reduced dims of a
};

/// An instruction and the value that it makes, in f32. A value varies along reduced dims, or there is one for each result.
struct row_instruction {
    row_opcode code = row_opcode::load;
    op_kind op = onefold_op_wildcard; // of unary, binary and reduce
    bool squares = false;             // of a reduce: of the squares of a
    bool varies = false;              // along a reduced dim
    data_type type = onefold_f32;     // of a round, and of a load that casts
    unary_attributes attributes;      // of a unary; alpha of a constant
    std::vector<size_t> arguments;    // of a load: which input
};

/// A value that is stored.
struct row_output {
    size_t value = 0;
    operand to;
};

/// Element-wise ops and reductions over one loop space, all over the same dims, as a list of instructions: whatever the types
/// of inputs and outputs, arithmetic is in f32. Integers and booleans are cast where they are loaded or stored.
struct row_program {
    loop_space space;
    std::vector<operand> inputs; // strides 0 where one does not vary
    std::vector<row_instruction> instructions;
    std::vector<row_output> outputs;
};

/// True of a load that casts: its input is no float.
inline bool is_cast(const row_program &p, const row_instruction &i) {
    return i.code == row_opcode::load && arithmetic_type(p.inputs[i.arguments[0]].type) != onefold_f32;
}

/// One instruction a line: "%3 = reduce_mean %0".
std::string to_string(const row_program &p);

} // namespace onefold::impl
