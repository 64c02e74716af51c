#pragma once

#include "compile/row_program.hpp"

namespace onefold::impl {

/// Collects the instructions of a row program, simplified: equal ones are one, x * x is a square, powers are products,
/// roots and quotients, a division by a result is a multiplication. Each function gives the number of the value.
class row_instructions {
public:
    /// `type`: what an input that is no float is cast to.
    size_t load(size_t input, bool varies, data_type type = onefold_f32);
    size_t constant(float value);
    /// True if there are instructions for a power.
    static bool has_power(float exponent);
    size_t unary(op_kind op, const unary_attributes &attributes, size_t a);
    /// As a number of a type of 16 bits.
    size_t round(data_type type, size_t a);
    /// What is as good as `a` where it is stored in that type: storing rounds.
    size_t unrounded(data_type type, size_t a) const;
    size_t binary(op_kind op, size_t a, size_t b);
    /// Of an n-ary op's sources.
    size_t nary(op_kind op, std::vector<size_t> values);
    /// Over the reduced dims.
    size_t reduce(op_kind op, size_t a);

    /// What the results need, in order, neighbours fused; `results` are renumbered.
    std::vector<row_instruction> finish(std::vector<size_t> &results);

private:
    size_t add(row_instruction next);
    size_t square(size_t a) { return unary(onefold_op_square, {}, a); }
    using power_maker = size_t (*)(row_instructions &, size_t a);
    /// nullptr where there are no instructions for it.
    static power_maker find_power(float exponent);
    size_t root(size_t a);
    size_t reciprocal_root(size_t a);
    size_t divide(size_t a, size_t b);
    bool is_unary(size_t value, op_kind op) const;

    std::vector<size_t> count_uses(const std::vector<size_t> &results) const;
    void fuse(const std::vector<size_t> &results);
    void fuse_difference(row_instruction &product, size_t which) const;

    std::vector<row_instruction> instructions_;
};

} // namespace onefold::impl
