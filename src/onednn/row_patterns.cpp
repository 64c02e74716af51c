#include "onednn/row_patterns.hpp"

namespace onefold::impl::onednn {

namespace {

using arguments = std::vector<size_t>;

/// The arguments of the value's instruction if that is what it is; else nullptr.
const arguments *match(const row_program &p, size_t value, row_opcode code, op_kind op = onefold_op_wildcard) {
    const row_instruction &i = p.instructions[value];
    return i.code == code && i.op == op ? &i.arguments : nullptr;
}

bool is_mean(const row_program &p, size_t value, size_t of, bool squares) {
    const arguments *mean = match(p, value, row_opcode::reduce, onefold_op_reduce_mean);
    return mean && (*mean)[0] == of && p.instructions[value].squares == squares;
}

/// variance + epsilon
bool match_sum(const row_program &p, size_t value, size_t src, size_t mean, layer_norm &found) {
    const arguments *sum = match(p, value, row_opcode::binary, onefold_op_add);
    if (!sum || !match(p, (*sum)[1], row_opcode::constant)) return false;
    const arguments *variance = match(p, (*sum)[0], row_opcode::reduce, onefold_op_reduce_mean);
    if (!variance || !is_mean(p, (*sum)[0], (*variance)[0], true)) return false;
    const arguments *centred = match(p, (*variance)[0], row_opcode::binary, onefold_op_subtract);
    found.epsilon = p.instructions[(*sum)[1]].attributes.alpha;
    return centred && *centred == arguments{src, mean};
}

/// (src - mean) * (1 / sqrt(variance + epsilon))
bool match_normal(const row_program &p, size_t value, layer_norm &found) {
    const arguments *product = match(p, value, row_opcode::subtract_multiply);
    if (!product) return false;
    const size_t src = (*product)[0];
    const size_t mean = (*product)[1];
    const arguments *load = match(p, src, row_opcode::load);
    const arguments *inverse = match(p, (*product)[2], row_opcode::unary, onefold_op_reciprocal);
    if (!load || !inverse || !is_mean(p, mean, src, false)) return false;
    const arguments *root = match(p, (*inverse)[0], row_opcode::unary, onefold_op_sqrt);
    found.src = (*load)[0];
    return root && match_sum(p, (*root)[0], src, mean, found);
}

/// Of two values one that is loaded: the input's number; `other` becomes the other value.
std::optional<size_t> take_load(const row_program &p, size_t a, size_t b, size_t &other) {
    const arguments *load = match(p, b, row_opcode::load);
    if (!load) {
        std::swap(a, b);
        load = match(p, b, row_opcode::load);
    }
    if (!load) return std::nullopt;
    other = a;
    return (*load)[0];
}

/// normal, normal * scale, normal + shift, normal * scale + shift
bool match_affine(const row_program &p, size_t value, layer_norm &found) {
    size_t normal = value;
    if (const arguments *both = match(p, value, row_opcode::multiply_add)) {
        const arguments *shift = match(p, (*both)[2], row_opcode::load);
        found.scale = take_load(p, (*both)[0], (*both)[1], normal);
        if (!shift || !found.scale) return false;
        found.shift = (*shift)[0];
    } else if (const arguments *product = match(p, value, row_opcode::binary, onefold_op_multiply)) {
        found.scale = take_load(p, (*product)[0], (*product)[1], normal);
        if (!found.scale) return false;
    } else if (const arguments *sum = match(p, value, row_opcode::binary, onefold_op_add)) {
        found.shift = take_load(p, (*sum)[0], (*sum)[1], normal);
        if (!found.shift) return false;
    }
    return match_normal(p, normal, found);
}

} // namespace

std::optional<layer_norm> match_layer_norm(const row_program &p) {
    layer_norm found;
    const bool is_one = p.outputs.size() == 1 && match_affine(p, p.outputs[0].value, found);
    return is_one ? std::optional(found) : std::nullopt;
}

} // namespace onefold::impl::onednn
