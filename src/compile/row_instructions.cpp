#include "compile/row_instructions.hpp"

#include <algorithm>

namespace onefold::impl {

namespace {

bool is_equal(const row_instruction &a, const row_instruction &b) {
    const auto attributes = [](const row_instruction &i) {
        return std::tuple(i.attributes.alpha, i.attributes.beta, i.attributes.tanh_approximation);
    };
    return a.code == b.code && a.op == b.op && a.squares == b.squares && a.varies == b.varies && a.type == b.type &&
           a.arguments == b.arguments && attributes(a) == attributes(b);
}

bool is_binary(const row_instruction &i, op_kind op) { return i.code == row_opcode::binary && i.op == op; }

/// The binary op that an n-ary one is made of.
op_kind term_op(op_kind op) {
    switch (op) {
    case onefold_op_max:
        return onefold_op_maximum;
    case onefold_op_min:
        return onefold_op_minimum;
    default:
        return onefold_op_add;
    }
}

/// ReduceSumSquare is the sum of squares, so that a square in front of a sum or mean is one kind of instruction.
op_kind reduction_of_squares(op_kind op) { return op == onefold_op_reduce_sum_square ? onefold_op_reduce_sum : op; }

} // namespace

size_t row_instructions::add(row_instruction next) {
    if (next.code != row_opcode::load && next.code != row_opcode::constant && next.code != row_opcode::reduce && !next.varies)
        next.varies = std::any_of(next.arguments.begin(), next.arguments.end(),
                                  [&](size_t argument) { return instructions_[argument].varies; });
    const auto same = std::find_if(instructions_.begin(), instructions_.end(),
                                   [&](const row_instruction &known) { return is_equal(known, next); });
    if (same != instructions_.end()) return static_cast<size_t>(same - instructions_.begin());
    instructions_.push_back(std::move(next));
    return instructions_.size() - 1;
}

size_t row_instructions::load(size_t input, bool varies, data_type type) {
    return add({row_opcode::load, onefold_op_wildcard, false, varies, type, {}, {input}});
}

size_t row_instructions::constant(float value) {
    return add({row_opcode::constant, onefold_op_wildcard, false, false, onefold_f32, {value, 0, false}, {}});
}

size_t row_instructions::unary(op_kind op, const unary_attributes &attributes, size_t a) {
    if (op == onefold_op_pow) return find_power(attributes.alpha)(*this, a);
    return add({row_opcode::unary, op, false, false, onefold_f32, attributes, {a}});
}

/// Those that lose no more than a power itself may, and overflow only where it does. Of roots only the magnitude is taken
/// along: pow(-inf, 1.5) is inf.
row_instructions::power_maker row_instructions::find_power(float exponent) {
    using maker = row_instructions;
    static constexpr std::pair<float, power_maker> powers[] = {
        {1.0F, [](maker &, size_t a) { return a; }},
        {2.0F, [](maker &m, size_t a) { return m.square(a); }},
        {3.0F, [](maker &m, size_t a) { return m.binary(onefold_op_multiply, a, m.square(a)); }},
        {4.0F, [](maker &m, size_t a) { return m.square(m.square(a)); }},
        {-1.0F, [](maker &m, size_t a) { return m.unary(onefold_op_reciprocal, {}, a); }},
        {-2.0F, [](maker &m, size_t a) { return m.square(m.unary(onefold_op_reciprocal, {}, a)); }},
        {0.25F, [](maker &m, size_t a) { return m.root(m.root(a)); }},
        {0.5F, [](maker &m, size_t a) { return m.root(a); }},
        {1.5F,
         [](maker &m, size_t a) {
             const size_t root = m.root(a);
             return m.binary(onefold_op_multiply, root, m.unary(onefold_op_abs, {}, a));
         }},
        {-0.25F, [](maker &m, size_t a) { return m.reciprocal_root(m.root(a)); }},
        {-0.5F, [](maker &m, size_t a) { return m.reciprocal_root(a); }},
        {-1.5F,
         [](maker &m, size_t a) {
             const size_t root = m.reciprocal_root(a);
             return m.divide(root, m.unary(onefold_op_abs, {}, a));
         }},
    };
    const auto *found =
        std::find_if(std::begin(powers), std::end(powers), [&](const auto &power) { return power.first == exponent; });
    return found == std::end(powers) ? nullptr : found->second;
}

bool row_instructions::has_power(float exponent) { return find_power(exponent) != nullptr; }

size_t row_instructions::root(size_t a) {
    return add({row_opcode::root, onefold_op_wildcard, false, false, onefold_f32, {}, {a}});
}

size_t row_instructions::reciprocal_root(size_t a) {
    return add({row_opcode::reciprocal_sqrt, onefold_op_wildcard, false, false, onefold_f32, {}, {a}});
}

size_t row_instructions::round(data_type type, size_t a) {
    if (unrounded(type, a) != a) return a;
    return add({row_opcode::round, onefold_op_wildcard, false, false, type, {}, {a}});
}

size_t row_instructions::unrounded(data_type type, size_t a) const {
    const row_instruction &i = instructions_[a];
    return i.code == row_opcode::round && i.type == type ? i.arguments[0] : a;
}

size_t row_instructions::binary(op_kind op, size_t a, size_t b) {
    if (op == onefold_op_multiply && a == b) return square(a);
    if (op == onefold_op_squared_difference) return square(binary(onefold_op_subtract, a, b));
    if (op == onefold_op_divide) return divide(a, b);
    return add({row_opcode::binary, op, false, false, onefold_f32, {}, {a, b}});
}

size_t row_instructions::divide(size_t a, size_t b) {
    if (!instructions_[a].varies || instructions_[b].varies)
        return add({row_opcode::binary, onefold_op_divide, false, false, onefold_f32, {}, {a, b}});
    return add({row_opcode::quotient,
                onefold_op_wildcard,
                false,
                false,
                onefold_f32,
                {},
                {a, b, unary(onefold_op_reciprocal, {}, b)}});
}

size_t row_instructions::nary(op_kind op, std::vector<size_t> values) {
    const auto count = static_cast<float>(values.size());
    // The sum of values near the largest may overflow, their mean may not.
    if (op == onefold_op_mean && values.size() > 1)
        for (size_t &value : values)
            value = binary(onefold_op_divide, value, constant(count));
    for (; values.size() > 1; values.resize((values.size() + 1) / 2))
        for (size_t k = 0; 2 * k < values.size(); ++k)
            values[k] = 2 * k + 1 < values.size() ? binary(term_op(op), values[2 * k], values[2 * k + 1]) : values[2 * k];
    return values[0];
}

bool row_instructions::is_unary(size_t value, op_kind op) const {
    return instructions_[value].code == row_opcode::unary && instructions_[value].op == op;
}

size_t row_instructions::reduce(op_kind op, size_t a) {
    if (!instructions_[a].varies) // the same element as often as there are indices
        a = add({row_opcode::binary, onefold_op_multiply, false, true, onefold_f32, {}, {a, constant(1)}});
    row_instruction next{
        row_opcode::reduce, reduction_of_squares(op), op == onefold_op_reduce_sum_square, false, onefold_f32, {}, {a}};
    if ((op == onefold_op_reduce_sum || op == onefold_op_reduce_mean) && is_unary(a, onefold_op_square)) {
        next.squares = true;
        next.arguments = instructions_[a].arguments;
    }
    return add(std::move(next));
}

std::vector<size_t> row_instructions::count_uses(const std::vector<size_t> &results) const {
    std::vector<size_t> uses(instructions_.size(), 0);
    for (const size_t result : results)
        ++uses[result];
    for (size_t i = instructions_.size(); i-- > 0;)
        if (uses[i] > 0 && instructions_[i].code != row_opcode::load)
            for (const size_t argument : instructions_[i].arguments)
                ++uses[argument];
    return uses;
}

void row_instructions::fuse_difference(row_instruction &product, size_t which) const {
    const auto &difference = instructions_[product.arguments[which]];
    std::vector<size_t> arguments = difference.arguments;
    for (size_t k = 0; k < product.arguments.size(); ++k)
        if (k != which) arguments.push_back(product.arguments[k]);
    product.code = product.code == row_opcode::quotient ? row_opcode::subtract_quotient : row_opcode::subtract_multiply;
    product.op = onefold_op_wildcard;
    product.arguments = std::move(arguments);
}

/// What is used once only, by an instruction that can do it on the way, goes into that one. That a reduction uses it too does
/// not count: it is another pass, which computes it again.
void row_instructions::fuse(const std::vector<size_t> &results) {
    auto uses = count_uses(results);
    for (size_t i = 0; i < instructions_.size(); ++i)
        if (instructions_[i].code == row_opcode::reduce && uses[i] > 0) --uses[instructions_[i].arguments[0]];
    const auto is_once = [&](size_t value, op_kind op) {
        return instructions_[value].varies && uses[value] == 1 && is_binary(instructions_[value], op);
    };
    for (auto &i : instructions_) {
        if (!i.varies) continue;
        if (i.code == row_opcode::quotient && is_once(i.arguments[0], onefold_op_subtract)) fuse_difference(i, 0);
        if (is_binary(i, onefold_op_multiply))
            for (const size_t which : {size_t{0}, size_t{1}})
                if (is_binary(i, onefold_op_multiply) && is_once(i.arguments[which], onefold_op_subtract))
                    fuse_difference(i, which);
        if (is_binary(i, onefold_op_add))
            for (const size_t which : {size_t{0}, size_t{1}})
                if (is_binary(i, onefold_op_add) && is_once(i.arguments[which], onefold_op_multiply)) {
                    const auto &factors = instructions_[i.arguments[which]].arguments;
                    i = {row_opcode::multiply_add,
                         onefold_op_wildcard,
                         false,
                         true,
                         onefold_f32,
                         {},
                         {factors[0], factors[1], i.arguments[1 - which]}};
                }
    }
}

std::vector<row_instruction> row_instructions::finish(std::vector<size_t> &results) {
    fuse(results);
    const auto uses = count_uses(results);
    std::vector<size_t> number(instructions_.size());
    std::vector<row_instruction> needed;
    for (size_t i = 0; i < instructions_.size(); ++i) {
        if (uses[i] == 0) continue;
        number[i] = needed.size();
        needed.push_back(instructions_[i]);
        if (needed.back().code != row_opcode::load)
            for (size_t &argument : needed.back().arguments)
                argument = number[argument];
    }
    for (size_t &result : results)
        result = number[result];
    return needed;
}

} // namespace onefold::impl
