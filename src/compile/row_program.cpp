#include "compile/row_program.hpp"

#include <fmt/format.h>

#include "graph/schema.hpp"

namespace onefold::impl {

namespace {

std::string_view name_of(row_opcode code) {
    switch (code) {
    case row_opcode::load:
        return "load";
    case row_opcode::constant:
        return "constant";
    case row_opcode::reciprocal_sqrt:
        return "reciprocal_sqrt";
    case row_opcode::root:
        return "root";
    case row_opcode::round:
        return "round";
    case row_opcode::quotient:
        return "quotient";
    case row_opcode::subtract_multiply:
        return "subtract_multiply";
    case row_opcode::subtract_quotient:
        return "subtract_quotient";
    case row_opcode::multiply_add:
        return "multiply_add";
    case row_opcode::unary:
    case row_opcode::binary:
    case row_opcode::reduce:
        break;
    }
    return "";
}

std::string to_string(const row_instruction &i, const row_program &p) {
    std::string text = fmt::format("{}", name_of(i.code).empty() ? schema_of(i.op).name : name_of(i.code));
    if (i.squares) text += " of squares";
    if (i.code == row_opcode::round) text += fmt::format(" to {}", impl::name_of(i.type));
    if (is_cast(p, i)) {
        const data_type from = p.inputs[i.arguments[0]].type;
        return text + fmt::format(" input {}, {} cast to {}", i.arguments[0], impl::name_of(from), impl::name_of(i.type));
    }
    if (i.code == row_opcode::load) return text + fmt::format(" input {}", i.arguments[0]);
    if (i.code == row_opcode::constant) return text + fmt::format(" {}", i.attributes.alpha);
    for (size_t k = 0; k < i.arguments.size(); ++k)
        text += fmt::format("{}%{}", k == 0 ? " " : ", ", i.arguments[k]);
    if (i.attributes.alpha != 0 || i.attributes.beta != 0)
        text += fmt::format(" ({}, {})", i.attributes.alpha, i.attributes.beta);
    return text;
}

} // namespace

std::string to_string(const row_program &p) {
    std::string text;
    for (size_t i = 0; i < p.instructions.size(); ++i)
        text += fmt::format("%{} = {}{}\n", i, to_string(p.instructions[i], p), p.instructions[i].varies ? "" : " (a result)");
    for (size_t i = 0; i < p.outputs.size(); ++i)
        text += fmt::format("output {} = %{} as {}\n", i, p.outputs[i].value, name_of(p.outputs[i].to.type));
    return text;
}

} // namespace onefold::impl
