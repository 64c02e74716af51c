// The part of row_worker that computes results: one value for all elements that are reduced into it.
#include <algorithm>

#include "simd/row_worker.hpp"

namespace onefold::impl::simd {

void row_worker::compute_common_results() {
    const int64_t width = width_;
    width_ = geometry_.width; // the first piece may have fewer results than others
    for (const size_t i : job_.common_results)
        compute_result(i, nullptr);
    width_ = width;
}

void row_worker::convert_common_loads() {
    if (!job_.rows) return;
    const auto &loads = job_.rows->converted_loads();
    for (size_t n = 0; n < loads.size(); ++n) {
        const row_kernel &load = job_.kernels.of(loads[n]);
        load.convert.load(piece_[load.operand], 1, converted_load(n), static_cast<size_t>(geometry_.reduced.length));
    }
}

void row_worker::compute_first_results() {
    for (const size_t i : job_.first_results)
        compute_result(i, nullptr);
}

void row_worker::clear(size_t phase, std::byte *totals) const {
    for_each_reduction(phase,
                       [&](const row_reduction &r) { r.kernels.clear(totals_of(r, totals), static_cast<size_t>(width_)); });
}

void row_worker::combine(size_t phase, std::byte *totals, const std::byte *others) const {
    for_each_reduction(phase, [&](const row_reduction &r) {
        r.kernels.combine(totals_of(r, totals), totals_of(r, others), static_cast<size_t>(width_));
    });
}

void row_worker::finish_pass(size_t phase, const std::byte *totals) {
    phase_ = phase;
    for (const size_t i : job_.schedule.phases[phase].results)
        compute_result(i, totals);
}

void row_worker::finish_part(size_t phase, const std::byte *totals, int64_t elements) {
    part_ = elements;
    finish_pass(phase, totals);
    part_.reset();
}

void row_worker::move_sums(std::byte *totals, const float *results, int64_t elements) const {
    const auto count = static_cast<double>(elements);
    const auto sums_of = [&](size_t reduction) {
        return reinterpret_cast<double *>(totals_of(job_.kernels.reduction_of(reduction), totals));
    };
    const auto move = [&](const online_sum &s, int64_t k) {
        double &sum = sums_of(s.reduction)[k];
        const double own = results[job_.result_offset(s.centre) + k];
        const double whole = results_of(s.centre)[k];
        const double shift = s.is_negated ? whole - own : own - whole;
        switch (s.what) {
        case online_sum::form::deviations:
            return moved_deviations(sum, count, shift);
        case online_sum::form::squares:
            return moved_squares(sum, sums_of(s.deviations)[k], count, shift);
        case online_sum::form::exponentials:
            break;
        }
        return moved_exponentials(sum, own, whole);
    };
    for (const bool are_squares : {true, false}) // they are moved by deviations that are not
        for (const online_sum &s : job_.online_sums)
            if ((s.what == online_sum::form::squares) == are_squares)
                for (int64_t k = 0; k < width_; ++k)
                    sums_of(s.reduction)[k] = move(s, k);
}

void row_worker::compute_result(size_t i, const std::byte *totals) {
    const row_kernel &k = job_.kernels.of(i);
    const auto count = static_cast<size_t>(width_);
    float *dst = results_of(i);
    const auto argument = [&](size_t a) { return results_of(k.arguments[a]); };
    switch (k.by) {
    case row_kernel::way::constant:
        std::fill_n(dst, count, k.alpha);
        break;
    case row_kernel::way::converted: {
        const int64_t size = size_of(job_.program.inputs[k.operand].type);
        k.convert.load(piece_[k.operand], geometry_.kept.strides[k.operand] / size, dst, count);
        break;
    }
    case row_kernel::way::unary:
    case row_kernel::way::root:
    case row_kernel::way::round:
        apply(k, argument(0), dst, count);
        break;
    case row_kernel::way::reduction:
        finish_reduction(i, totals);
        break;
    default:
        k.binary(argument(0), argument(1), dst, count);
        break;
    }
    check_divisor(i);
}

void row_worker::check_divisor(size_t i) {
    if (job_.kernels.of(i).is_divisor)
        may_multiply_[i] = job_.kernels.are_reciprocals_exact()(results_of(i), static_cast<size_t>(width_));
}

void row_worker::check_divisors() {
    for (size_t i = 0; i < job_.program.instructions.size(); ++i)
        check_divisor(i);
}

void row_worker::finish_reduction(size_t i, const std::byte *totals) {
    const row_reduction &r = job_.kernels.reduction_of(i);
    const std::byte *own = totals_of(r, totals);
    float *results = results_of(i);
    const int64_t elements = part_.value_or(geometry_.elements_a_result());
    const bool are_doubtful = r.kernels.finish(own, static_cast<size_t>(width_), elements, results);
    if (!are_doubtful || part_) return;
    for (int64_t k = 0; k < width_; ++k) {
        const double total = reinterpret_cast<const double *>(own)[k];
        if (is_doubtful(r.op, onefold_f32, total)) results[k] = static_cast<float>(sum_carefully(i, k));
    }
}

/// Goes over the piece once more for one result.
double row_worker::sum_carefully(size_t i, int64_t which) {
    const row_reduction &r = job_.kernels.reduction_of(i);
    careful_sum sum(r.squares ? onefold_op_reduce_sum_square : r.op);
    const careful_request request{i, which, &sum};
    careful_ = &request;
    run_tiles(phase_, 0, geometry_.tiles(), nullptr);
    careful_ = nullptr;
    const int64_t elements = geometry_.elements_a_result();
    const double result = sum.result(elements);
    return r.squares && r.op == onefold_op_reduce_mean ? result / static_cast<double>(elements) : result;
}

void row_worker::store_results() {
    const row_program &p = job_.program;
    for (size_t o = 0; o < p.outputs.size(); ++o) {
        if (p.instructions[p.outputs[o].value].varies) continue;
        const size_t number = p.inputs.size() + o;
        const row_store &s = job_.kernels.store_of(o);
        s.convert.store(results_of(p.outputs[o].value), piece_[number], geometry_.kept.strides[number] / s.size,
                        static_cast<size_t>(width_));
    }
}

} // namespace onefold::impl::simd
