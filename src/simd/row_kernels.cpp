#include "simd/row_kernels.hpp"

#include <algorithm>

namespace onefold::impl::simd {

namespace {

tile_op to_tile_op(op_kind op) {
    switch (op) {
    case onefold_op_subtract:
        return tile_op::subtract;
    case onefold_op_multiply:
        return tile_op::multiply;
    case onefold_op_divide:
        return tile_op::divide;
    case onefold_op_maximum:
        return tile_op::maximum;
    case onefold_op_minimum:
        return tile_op::minimum;
    default:
        return tile_op::add;
    }
}

} // namespace

row_kernels::row_kernels(const row_program &p, const isa &on, const row_geometry &g, const row_schedule &s)
    : check_(reciprocal_check_of(on)), floats_(conversion_of(on, onefold_f32)) {
    for (const row_instruction &i : p.instructions) {
        kernels_.push_back(make(p, on, i, g));
        reductions_.emplace_back();
        if (i.code == row_opcode::reduce) {
            reductions_.back() = make_reduction(p, on, i);
            reductions_.back().totals = total_size_;
            total_size_ += std::max(sizeof(double), reductions_.back().kernels.total_size);
        }
        if (kernels_.back().by == row_kernel::way::quotient) kernels_[i.arguments[i.arguments.size() - 2]].is_divisor = true;
    }
    for (size_t number = 0; number < s.cached.size(); ++number)
        kernels_[s.cached[number]].cache = number;
    add_stores(p, on, g);
}

void row_kernels::add_stores(const row_program &p, const isa &on, const row_geometry &g) {
    for (size_t o = 0; o < p.outputs.size(); ++o) {
        const operand &to = p.outputs[o].to;
        const int64_t size = size_of(to.type);
        stores_.push_back({float_conversion(on, to.type), g.along_a_row().strides[p.inputs.size() + o] / size, size});
        row_kernel &k = kernels_[p.outputs[o].value];
        const bool is_computed = k.by == row_kernel::way::unary || k.by == row_kernel::way::root ||
                                 k.by == row_kernel::way::round || k.by == row_kernel::way::tile ||
                                 k.by == row_kernel::way::quotient;
        if (is_computed && !k.is_alike && k.cache == not_cached && p.instructions[p.outputs[o].value].varies &&
            to.type == onefold_f32 && stores_.back().inner_stride == 1)
            k.direct_output = o;
    }
}

row_kernel row_kernels::make(const row_program &p, const isa &on, const row_instruction &i, const row_geometry &g) const {
    row_kernel k;
    k.alpha = i.attributes.alpha;
    k.beta = i.attributes.beta;
    k.is_alike = i.varies ? std::all_of(i.arguments.begin(), i.arguments.end(),
                                        [&](size_t a) { return i.code != row_opcode::load && kernels_[a].is_alike; })
                          : g.results_are_rows;
    switch (i.code) {
    case row_opcode::load:
        set_load(k, p, on, i, g);
        return k;
    case row_opcode::constant:
        k.by = row_kernel::way::constant;
        return k;
    case row_opcode::reduce:
        k.by = row_kernel::way::reduction;
        return k;
    case row_opcode::unary:
        k.by = row_kernel::way::unary;
        k.unary = unary_of(on, i.op, i.attributes, onefold_f32);
        k.arguments[0] = i.arguments[0];
        return k;
    case row_opcode::root:
    case row_opcode::reciprocal_sqrt:
        k.by = row_kernel::way::root;
        k.root = root_of(on, i.code == row_opcode::reciprocal_sqrt);
        k.arguments[0] = i.arguments[0];
        return k;
    case row_opcode::round:
        k.by = row_kernel::way::round;
        k.convert = float_conversion(on, i.type);
        k.arguments[0] = i.arguments[0];
        return k;
    default:
        set_tile(k, i, on);
        return k;
    }
}

void row_kernels::set_load(row_kernel &k, const row_program &p, const isa &on, const row_instruction &i,
                           const row_geometry &g) const {
    k.operand = i.arguments[0];
    const operand &input = p.inputs[k.operand];
    k.convert = float_conversion(on, input.type, i.type);
    k.inner_stride = g.along_a_row().strides[k.operand] / size_of(input.type);
    k.by = row_kernel::way::converted;
    if (!i.varies) return;
    k.is_alike = k.inner_stride == 0;
    if (is_cast(p, i)) k.by = row_kernel::way::cast;
    if (k.is_alike) k.by = row_kernel::way::repeated;
    if (k.inner_stride == 1 && input.type == onefold_f32) k.by = row_kernel::way::in_place;
}

void row_kernels::set_tile(row_kernel &k, const row_instruction &i, const isa &on) const {
    const auto kernel_of = [&](tile_op op, std::initializer_list<size_t> which, std::array<size_t, 3> &arguments) {
        row_values alike{};
        size_t count = 0;
        for (const size_t argument : which) {
            arguments[count] = i.arguments[argument];
            // Where all are, one value a row is as good as an element.
            alike[count++] = kernels_[i.arguments[argument]].is_alike && !k.is_alike;
        }
        k.argument_count = count;
        return tile_kernel_of(on, op, alike);
    };
    k.by = row_kernel::way::tile;
    switch (i.code) {
    case row_opcode::quotient:
        k.by = row_kernel::way::quotient;
        k.kernel = kernel_of(tile_op::multiply, {0, 2}, k.arguments);
        k.division = kernel_of(tile_op::divide, {0, 1}, k.divided);
        return;
    case row_opcode::subtract_quotient:
        k.by = row_kernel::way::quotient;
        k.kernel = kernel_of(tile_op::subtract_multiply, {0, 1, 3}, k.arguments);
        k.division = kernel_of(tile_op::subtract_divide, {0, 1, 2}, k.divided);
        return;
    case row_opcode::subtract_multiply:
        k.kernel = kernel_of(tile_op::subtract_multiply, {0, 1, 2}, k.arguments);
        return;
    case row_opcode::multiply_add:
        k.kernel = kernel_of(tile_op::multiply_add, {0, 1, 2}, k.arguments);
        return;
    default:
        k.kernel = kernel_of(to_tile_op(i.op), {0, 1}, k.arguments);
        k.binary = binary_of(on, i.op, onefold_f32);
        return;
    }
}

row_reduction row_kernels::make_reduction(const row_program &p, const isa &on, const row_instruction &i) const {
    row_reduction r;
    r.source = i.arguments[0];
    r.op = i.op;
    r.squares = i.squares;
    const row_instruction &source = p.instructions[r.source];
    r.reads_memory = source.code == row_opcode::load && !is_cast(p, source) && kernels_[r.source].inner_stride == 1;
    set_kernels(r, r.reads_memory ? p.inputs[source.arguments[0]].type : onefold_f32, on);
    return r;
}

void row_kernels::set_kernels(row_reduction &r, data_type type, const isa &on) {
    r.kernels = simd::reduction_of(on, r.squares ? onefold_op_reduce_sum_square : r.op, type, onefold_f32);
    // Totals of sums and means are the same.
    if (r.squares) r.kernels.finish = simd::reduction_of(on, r.op, type, onefold_f32).finish;
}

void row_kernels::reduce_floats(size_t instruction, const isa &on) { set_kernels(reductions_[instruction], onefold_f32, on); }

} // namespace onefold::impl::simd
