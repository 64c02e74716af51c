#include "simd/nary_step.hpp"

#include <algorithm>

#include "simd/careful_sum.hpp"

namespace onefold::impl::simd {

namespace {

constexpr size_t group = most_few;
constexpr int64_t part_size = 256; // that many totals and, of sources that are not dense, a group's elements fit L1

op_kind reduction_over_sources(op_kind op) {
    switch (op) {
    case onefold_op_mean:
        return onefold_op_reduce_mean;
    case onefold_op_max:
        return onefold_op_reduce_max;
    case onefold_op_min:
        return onefold_op_reduce_min;
    default:
        return onefold_op_reduce_sum;
    }
}

data_type row_type_of(const computation &c) {
    const auto has_type_of_first = [&](const operand &src) { return src.type == c.src[0].type; };
    return std::all_of(c.src.begin(), c.src.end(), has_type_of_first) ? c.src[0].type : c.arithmetic();
}

} // namespace

nary_step::nary_step(const computation &c, const isa &on)
    : elementwise_step(c, on, "nary"),
      op_(reduction_over_sources(c.op)),
      row_type_(row_type_of(c)),
      arithmetic_(c.arithmetic()),
      reduce_(reduction_of(on, op_, row_type_, arithmetic_)),
      copy_(conversion_of(on, onefold_u16)) {}

void nary_step::compute_tile(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                             int64_t count) const {
    for (int64_t i = 0; i < count; i += part_size)
        compute_part(values + i * size_of(arithmetic_), buffers, where, begin + i, std::min(part_size, count - i));
}

void nary_step::compute_part(std::byte *values, buffer_list buffers, const position &where, int64_t begin,
                             int64_t count) const {
    alignas(64) std::byte totals[static_cast<size_t>(part_size * largest_total)];
    alignas(64) std::byte room[group][static_cast<size_t>(part_size) * sizeof(double)];
    const auto columns = static_cast<size_t>(count);
    const auto sources = static_cast<int64_t>(src_.size());
    if (src_.size() <= group && reduce_.few_columns) {
        const void *rows[group];
        for (size_t k = 0; k < src_.size(); ++k)
            rows[k] = row(k, buffers, where, room[k], begin, count);
        if (!reduce_.few_columns(rows, src_.size(), columns, sources, values)) return;
    }
    reduce_.clear(totals, columns);
    for (size_t first = 0; first < src_.size(); first += group) {
        const void *rows[group];
        const size_t here = std::min(group, src_.size() - first);
        for (size_t k = 0; k < here; ++k)
            rows[k] = row(first + k, buffers, where, room[k], begin, count);
        reduce_.columns(rows, here, columns, totals);
    }
    if (!reduce_.finish(totals, columns, sources, values)) return;
    for (int64_t i = 0; i < count; ++i)
        if (is_doubtful(op_, arithmetic_, reinterpret_cast<const double *>(totals)[i]))
            put_float(arithmetic_, compute_carefully(buffers, where, begin + i), values, i);
}

const std::byte *nary_step::row(size_t which, buffer_list buffers, const position &where, std::byte *room, int64_t begin,
                                int64_t count) const {
    const operand_row &src = src_[which];
    const std::byte *from = src.at(buffers, where, begin);
    if (row_type_ == arithmetic_) return src.load(from, room, count);
    if (src.stride == 1 || count == 1) return from;
    copy_.load(from, src.stride, room, static_cast<size_t>(count));
    return room;
}

double nary_step::compute_carefully(buffer_list buffers, const position &where, int64_t i) const {
    careful_sum sum(op_);
    for (size_t which = 0; which < src_.size(); ++which) {
        alignas(8) std::byte room[sizeof(double)];
        add_floats(arithmetic_, source(which, buffers, where, room, i, 1), 1, sum);
    }
    return sum.result(static_cast<int64_t>(src_.size()));
}

} // namespace onefold::impl::simd
