#include "simd/reduction_step.hpp"

#include <fmt/format.h>

#include "compile/loop_space.hpp"

namespace onefold::impl::simd {

namespace {

/// What f64 loses by adding in sequence is bounded by the length of the sequence; totals of other types lose nothing that
/// counts.
int64_t longest_sequence(data_type arithmetic) {
    constexpr int64_t any = int64_t{1} << 40;
    return arithmetic == onefold_f64 ? 32 : any;
}

/// The dims around the innermost one that are kept, or reduced.
nest outer_dims(const computation &c, bool reduced) {
    const auto operands = operands_of(c);
    nest n(operands.size());
    for (size_t d = 0; d + 1 < c.space.rank(); ++d)
        if (c.space.reduced[d] == reduced) n.add_dim(c.space, d, operands);
    return n;
}

} // namespace

reduction_step::reduction_step(const computation &c, const isa &on, std::string_view family, size_t epilogue_dim)
    : op_(c.op),
      arithmetic_(c.arithmetic()),
      kept_(outer_dims(c, false)),
      reduced_(outer_dims(c, true)),
      length_(c.space.sizes.back()),
      src_(on, c.src[0], arithmetic_, c.space.rank() - 1, src_number),
      prologue_(on, c.pre_ops, c.arithmetic(), c.space.rank() - 1, c.src.size()),
      reads_memory_(c.pre_ops.empty() && (src_.stride == 1 || length_ == 1)),
      reduce_(reduction_of(on, c.op, reads_memory_ ? c.src[0].type : arithmetic_, arithmetic_)),
      total_size_(static_cast<int64_t>(reduce_.total_size)),
      longest_sequence_(longest_sequence(arithmetic_)),
      name_(fmt::format("simd:{}:{}", family, on.name)),
      dst_(on, c.dst, arithmetic_, epilogue_dim, dst_number(c)),
      epilogue_(on, c.post_ops, c.arithmetic(), epilogue_dim, dst_number(c) + 1),
      elements_a_result_(reduced_count(c.space)) {}

const std::byte *reduction_step::elements(buffer_list buffers, const position &where, int64_t begin, int64_t count,
                                          std::byte *room) const {
    if (reads_memory_) return src_.at(buffers, where, begin);
    return arithmetic_elements(buffers, where, begin, count, room);
}

const std::byte *reduction_step::arithmetic_elements(buffer_list buffers, const position &where, int64_t begin, int64_t count,
                                                     std::byte *room) const {
    const std::byte *values = src_.load(src_.at(buffers, where, begin), room, count);
    if (prologue_.empty()) return values;
    if (values != room) std::copy_n(values, count * size_of(arithmetic_), room);
    prologue_.apply(room, count, buffers, where, begin);
    return room;
}

void reduction_step::add_carefully(buffer_list buffers, const position &where, int64_t begin, int64_t count,
                                   careful_sum &sum) const {
    tile room;
    for (int64_t i = 0; i < count; i += tile_size) {
        const int64_t part = std::min(tile_size, count - i);
        add_floats(arithmetic_, arithmetic_elements(buffers, where, begin + i, part, room.bytes), part, sum);
    }
}

template <typename Make>
bool reduction_step::store_results(int64_t begin, int64_t count, buffer_list buffers, const odometer &kept,
                                   const Make &make) const {
    tile room;
    const position where(kept);
    for (int64_t i = 0; i < count; i += tile_size) {
        const int64_t part = std::min(tile_size, count - i);
        std::byte *dst = dst_.at(buffers, where, begin + i);
        const bool direct = dst_.is_direct(part) && epilogue_.empty();
        std::byte *results = direct ? dst : room.bytes;
        if (!make(i, part, results)) return false;
        if (direct) continue;
        epilogue_.apply(results, part, buffers, where, begin + i);
        dst_.store(results, dst, part);
    }
    return true;
}

void reduction_step::write(const std::byte *totals, int64_t begin, int64_t count, buffer_list buffers,
                           const odometer &kept) const {
    store_results(begin, count, buffers, kept, [&](int64_t i, int64_t part, std::byte *results) {
        if (reduce_.finish(total_at(totals, i), static_cast<size_t>(part), elements_a_result_, results))
            for (int64_t k = 0; k < part; ++k)
                if (is_doubtful(op_, arithmetic_, *reinterpret_cast<const double *>(total_at(totals, i + k))))
                    put_float(arithmetic_, compute_carefully(buffers, kept, begin + i + k), results, k);
        return true;
    });
}

bool reduction_step::try_write_few(const void *const *src, int64_t rows, int64_t begin, int64_t count, buffer_list buffers,
                                   const odometer &kept) const {
    const auto number = static_cast<size_t>(rows);
    return store_results(begin, count, buffers, kept, [&](int64_t i, int64_t part, std::byte *results) {
        const void *columns[most_few];
        for (size_t r = 0; r < number; ++r)
            columns[r] = static_cast<const std::byte *>(src[r]) + i * src_.size;
        return !reduce_.few_columns(columns, number, static_cast<size_t>(part), elements_a_result_, results);
    });
}

void reduction_step::combine_blocks(std::byte *totals, int64_t blocks, int64_t distance, int64_t count) const {
    for (int64_t apart = 1; apart < blocks; apart *= 2)
        for (int64_t b = 0; b + apart < blocks; b += 2 * apart)
            reduce_.combine(total_at(totals, b * distance), total_at(totals, (b + apart) * distance),
                            static_cast<size_t>(count));
}

} // namespace onefold::impl::simd
